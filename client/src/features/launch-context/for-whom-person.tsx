import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { ForWhom } from '../../../../src/contract/launch-context.js';
import radioStyles from '../../shared/ui/forms/radio.module.css';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Badge } from '../../shared/ui/marks/badge.js';
import styles from './for-whom.module.css';
import { isFull, linesOf } from './for-whom-words.js';

/** The whole of it is the label of its radio button. */
export function Person({
  id,
  forWhom,
  client,
  checked,
  isFixed,
  onSelect,
}: {
  id: string;
  forWhom: ForWhom;
  client: string;
  checked: boolean;
  isFixed: boolean;
  onSelect: () => void;
}) {
  const { t } = useTranslation();
  const inputId = useId();
  const { name, selectable } = forWhom;
  const lines = linesOf(forWhom);
  const looks = [cardStyles.card, styles.person, checked && styles.selected, !selectable && styles.out];
  return (
    <label htmlFor={inputId} className={looks.filter(Boolean).join(' ')}>
      <input
        type="radio"
        id={inputId}
        name="for-whom"
        value={id}
        className={radioStyles.radio}
        checked={checked}
        disabled={!selectable || (isFixed && !checked)}
        onChange={onSelect}
      />
      <bdi className={styles.name}>{name}</bdi>
      <Level forWhom={forWhom} />
      <span className={styles.lines}>
        {lines.map((line) => (
          <span key={line}>{line}</span>
        ))}
        {!selectable && <span>{t('launchContext.forWhom.nothing', { client })}</span>}
      </span>
    </label>
  );
}

function Level({ forWhom }: { forWhom: ForWhom }) {
  const { t } = useTranslation();
  if (forWhom.relation === null) return <Badge>{t('launchContext.forWhom.you')}</Badge>;
  return <Badge>{t(isFull(forWhom) ? 'launchContext.forWhom.full' : 'launchContext.forWhom.limited')}</Badge>;
}
