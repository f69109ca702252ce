import { useTranslation } from 'react-i18next';
import type { AgeStepView, BasisView } from '../../../../src/contract/representation/administration.js';
import type { LevelView } from '../../../../src/contract/representation/levels.js';
import { plainList } from '../../shared/i18n/language.js';
import styles from './age-rules.module.css';

const shades = [styles.shade0, styles.shade1, styles.shade2];

/** The bases by the ages at which some basis changes. */
export function AgeTable({ bases, levels }: { bases: readonly BasisView[]; levels: readonly LevelView[] }) {
  const { t } = useTranslation();
  const starts = [...new Set([0, ...bases.flatMap(({ ages }) => ages.map(({ from }) => from))])].toSorted(
    (one, other) => one - other,
  );
  const bands = starts.map((from, index) => {
    const to = (starts[index + 1] ?? Number.NaN) - 1;
    if (Number.isNaN(to)) return { from, label: from === 0 ? t('ageRules.everyAge') : t('ageRules.fromAge', { from }) };
    return { from, label: from === to ? t('ageRules.oneAge', { from }) : t('ageRules.toAge', { from, to }) };
  });
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t('ageRules.basis')}</th>
          {bands.map(({ from, label }) => (
            <th key={from} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bases.map(({ id, label, askedBy, ages }) => (
          <tr key={id}>
            <th scope="row">
              <span className={styles.basis}>{label}</span>
              <span className={styles.small}>{plainList(askedBy.map((way) => t(`ageRules.ways.${way}`)))}</span>
            </th>
            {bands.map((band) => (
              <td key={band.from} data-label={band.label}>
                <Step step={stepAt(ages, band.from)} levels={levels} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The step that holds at an age; undefined below the first one. Without a table the level of the relationship does. */
function stepAt(ages: readonly AgeStepView[], age: number): AgeStepView | undefined {
  if (ages.length === 0) return { from: 0, level: null, agreement: false };
  return ages.findLast(({ from }) => from <= age);
}

function Step({ step, levels }: { step: AgeStepView | undefined; levels: readonly LevelView[] }) {
  const { t } = useTranslation();
  if (!step || step.level === 'not-possible') {
    return <span className={`${styles.step} ${styles.impossible}`}>{t('ageRules.notPossible')}</span>;
  }
  if (step.level === 'ends') {
    return (
      <span className={`${styles.step} ${styles.ends}`}>
        {t('ageRules.ends')}
        <span className={styles.small}>{t('ageRules.endsHelp')}</span>
      </span>
    );
  }
  const at = levels.findIndex(({ id }) => id === step.level);
  const shade = step.level === null ? styles.shade1 : shades[Math.min(Math.max(at, 0), shades.length - 1)];
  return (
    <span className={`${styles.step} ${shade}`}>
      {step.level === null ? t('ageRules.asAgreed') : (levels[at]?.label ?? step.level)}
      {step.level === null && <span className={styles.small}>{t('ageRules.asAgreedHelp')}</span>}
      {step.agreement && <span className={styles.small}>{t('ageRules.agreement')}</span>}
    </span>
  );
}
