import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PageTitle } from '../ui/layout/page-title.js';
import { Count } from '../ui/marks/count.js';
import styles from './list-head.module.css';
import './words/en.js';

/** `spec §9`. */
const mostShown = 999;

/** Title, count and actions of a list; the primary action last. */
export function ListHead({
  title,
  total,
  afterCount,
  actions,
}: {
  title: string;
  /** Undefined until it is known; null where nothing is counted. */
  total: number | undefined | null;
  afterCount?: ReactNode;
  actions: ReactNode;
}) {
  const { t } = useTranslation();
  const shown = typeof total !== 'number' ? undefined : total > mostShown ? `${mostShown}+` : String(total);
  return (
    <div className={styles.head} data-width="full">
      <PageTitle>{title}</PageTitle>
      {total !== null && <Count shown={shown} words={t('list.totalOf', { number: shown ?? '' })} />}
      {afterCount}
      <div className={styles.actions}>{actions}</div>
    </div>
  );
}
