import { useTranslation } from 'react-i18next';
import type { LevelView } from '../../../../src/contract/representation/levels.js';
import { plainList } from '../i18n/language.js';
import styles from './level-details.module.css';
import { namesOfLevel } from './level-texts.js';
import './words/en.js';

/** The kinds that a level shows and keeps private, folded. */
export function LevelDetails({ level }: { level: LevelView }) {
  const { t } = useTranslation();
  const { shown, hidden } = namesOfLevel(level);
  const name = level.isChosen ? t('levels.chosenLevel') : level.label;
  if (!shown?.length && hidden.length === 0) return null;
  return (
    <details className={styles.details}>
      <summary>{t('levels.includes', { level: name })}</summary>
      {shown && shown.length > 0 && (
        <ul>
          {shown.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      {shown === null && <p>{t('levels.everythingBut')}</p>}
      {hidden.length > 0 && <p>{t('levels.private', { kinds: plainList(hidden) })}</p>}
    </details>
  );
}
