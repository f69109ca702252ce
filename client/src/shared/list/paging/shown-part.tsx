import '../words/en.js';
import { Button } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../i18n/language.js';
import styles from './shown-part.module.css';

/** Rows that a list on one page has at first, and that each press of the button adds. */
export const partLength = 50;

/** The first rows of a list that may be very long, and the button for more of them. */
export function useShownPart<Row>(
  rows: readonly Row[],
  /** A row that is shown wherever it stands. */
  isKept: (row: Row) => boolean = () => false,
): { shown: readonly Row[]; more: ReactNode } {
  const { t } = useTranslation();
  const [length, setLength] = useState(partLength);
  const shown = rows.filter((row, index) => index < length || isKept(row));
  const more = shown.length < rows.length && (
    <div className={styles.more}>
      <p role="status">{t('list.shownOf', { shown: numeral(shown.length), total: numeral(rows.length) })}</p>
      <Button onClick={() => setLength(length + partLength)}>{t('list.showMore')}</Button>
    </div>
  );
  return { shown, more };
}
