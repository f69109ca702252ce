import { useTranslation } from 'react-i18next';
import type { AgeRules } from '../../../../src/contract/representation/administration.js';
import { plainList } from '../../shared/i18n/language.js';
import { namesOfLevel } from '../../shared/levels/level-texts.js';
import styles from './age-rules.module.css';

/** The content of each level, and the content that it and each basis keep private. */
export function LevelKinds({ rules: { levels, bases } }: { rules: AgeRules }) {
  const { t } = useTranslation();
  const hiddenOf = (without: AgeRules['bases'][number]['keptPrivate']) => namesOfLevel({ kinds: null, without }).hidden;
  return (
    <dl className={styles.facts}>
      {levels.map(({ id, label, ...level }) => {
        const { shown, hidden } = namesOfLevel(level);
        return (
          <div key={id}>
            <dt>{label}</dt>
            <dd>
              {shown
                ? t('levels.only', { kinds: plainList(shown) })
                : t(hidden.length > 0 ? 'levels.everythingBut' : 'levels.everything')}
            </dd>
            {hidden.length > 0 && <dd>{t('levels.private', { kinds: plainList(hidden) })}</dd>}
          </div>
        );
      })}
      {bases
        .map((basis) => ({ basis, hidden: hiddenOf(basis.keptPrivate) }))
        .filter(({ hidden }) => hidden.length > 0)
        .map(({ basis, hidden }) => (
          <div key={basis.id}>
            <dt>{t('ageRules.privateOf', { basis: basis.label })}</dt>
            <dd>{plainList(hidden)}</dd>
          </div>
        ))}
    </dl>
  );
}
