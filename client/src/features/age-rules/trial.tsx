import { Input } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AgeRules, AgeRulesTrial, AgeStepView } from '../../../../src/contract/representation/administration.js';
import { failureText } from '../../api/failures/form-errors.js';
import { useTryAgeRulesQuery } from '../../api/users/representation.js';
import { longDay } from '../../shared/i18n/dates.js';
import { plainList } from '../../shared/i18n/language.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import nativeField from '../../shared/ui/forms/native-field.module.css';
import styles from './age-rules.module.css';

/** Asks the server what the rules give on a day. */
export function Trial({ rules, tenant }: { rules: AgeRules; tenant: string }) {
  const { t } = useTranslation();
  const id = useId();
  const [basis, setBasis] = useState(rules.bases[0]?.id ?? '');
  const [birthDate, setBirthDate] = useState('');
  const [on, setOn] = useState(today);
  const skip = birthDate === '' || on === '' || basis === '';
  const { currentData, error, isFetching } = useTryAgeRulesQuery({ basis, tenant, birthDate, on }, { skip });
  return (
    <div className={styles.trial}>
      <div className={styles.days}>
        <div className={styles.field}>
          <label htmlFor={`${id}-born`}>{t('ageRules.born')}</label>
          <Input
            id={`${id}-born`}
            type="date"
            value={birthDate}
            onChange={({ target }) => setBirthDate(target.value)}
          />
        </div>
        <div className={styles.field}>
          <label htmlFor={`${id}-seen`}>{t('ageRules.seen')}</label>
          <Input id={`${id}-seen`} type="date" value={on} onChange={({ target }) => setOn(target.value)} />
        </div>
      </div>
      <div className={styles.field}>
        <label htmlFor={`${id}-basis`}>{t('ageRules.basis')}</label>
        <select
          id={`${id}-basis`}
          className={`${nativeField.select} ${nativeField.low}`}
          value={basis}
          onChange={({ target }) => setBasis(target.value)}
        >
          {rules.bases.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div className={styles.result} role="status">
        {skip || !currentData ? t('ageRules.result.none') : <Result trial={currentData} rules={rules} />}
      </div>
      <ErrorList errors={skip || isFetching || !error ? [] : failureText(error)} />
    </div>
  );
}

function Result({ trial, rules }: { trial: AgeRulesTrial; rules: AgeRules }) {
  const { t } = useTranslation();
  const { refusal, levels, ages, next, agreement } = trial;
  const labelOf = (id: string) => rules.levels.find((level) => level.id === id)?.label ?? id;
  const answer = () => {
    if (refusal) return t(`ageRules.result.${refusal}`);
    const labels = levels.map(labelOf);
    if (labels.length > 1) return t('ageRules.result.both', { levels: plainList(labels) });
    return labels[0] ?? t('ageRules.result.asAgreed');
  };
  const stepText = ({ level, agreement: asks }: AgeStepView) => {
    const known = { ends: t('ageRules.ends'), 'not-possible': t('ageRules.notPossible') };
    const text = level === null ? t('ageRules.asAgreed') : (known[level as keyof typeof known] ?? labelOf(level));
    return asks ? `${text}, ${t('ageRules.agreement')}` : text;
  };
  return (
    <>
      <strong>{answer()}</strong>
      {agreement && <span className={styles.small}>{t('ageRules.agreement')}</span>}
      {ages && (
        <span className={styles.small}>
          {ages.least === ages.most
            ? t('ageRules.ages', { age: ages.least })
            : t('ageRules.twoAges', { least: ages.least, most: ages.most })}
        </span>
      )}
      {next && !refusal && (
        <span className={styles.small}>
          {next.on === next.surelyOn
            ? t('ageRules.next', { date: longDay(next.on), step: stepText(next.step) })
            : t('ageRules.nextOfTwo', {
                date: longDay(next.on),
                surely: longDay(next.surelyOn),
                step: stepText(next.step),
              })}
        </span>
      )}
    </>
  );
}

function today(): string {
  const now = new Date();
  const digits = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${digits(now.getMonth() + 1)}-${digits(now.getDate())}`;
}
