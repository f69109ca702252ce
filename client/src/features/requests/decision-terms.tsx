import { Checkbox, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import type { LevelForApproval, LevelsForApproval } from '../../../../src/contract/representation/levels.js';
import type { RequestReview } from '../../../../src/contract/requests.js';
import { longDate } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { capitalized } from '../../shared/i18n/language.js';
import { LevelChoice } from '../../shared/levels/level-choice.js';
import { askedLevel, type LevelFields } from '../../shared/levels/level-fields.js';
import { levelName } from '../../shared/levels/level-texts.js';
import nativeField from '../../shared/ui/forms/native-field.module.css';
import { Notice } from './notice.js';
import styles from './requests.module.css';

/** Fields of the form of a decision. */
export interface DecisionFields extends LevelFields {
  basis: string;
  relation: string;
  end: string;
  noEnd: boolean;
  note: string;
  despiteDifference: boolean;
  withoutBirthDate: boolean;
  currentPassword: string;
}

/** The terms of an approval: basis, level and end. */
export function Terms({ request, values }: { request: RequestReview; values: Partial<DecisionFields> | undefined }) {
  const { t } = useTranslation();
  const { choices, comparison, firstApproval } = request;
  const bases = choices?.bases ?? [];
  const basis = bases.find(({ id }) => id === values?.basis);
  const basisOfFirst = bases.find(({ id }) => id === firstApproval?.basis);
  const next = basis?.next;
  if (!choices) return null;
  return (
    <>
      <FirstApproval approval={firstApproval} basis={basisOfFirst?.label} levels={basisOfFirst?.levels} />
      <div className={styles.pair}>
        <Form.Item name="basis" label={t('requests.basis')}>
          <Select list={bases} />
        </Form.Item>
        <Form.Item name="relation" label={t('requests.relation')}>
          <Select list={basis?.relations ?? []} />
        </Form.Item>
        <Form.Item
          name="end"
          label={t('requests.until')}
          extra={next && t('requests.ageRule', { age: next.age, date: longDate(`${next.on}T12:00:00`).date })}
        >
          <Input type="date" disabled={values?.noEnd === true} />
        </Form.Item>
        <Form.Item name="noEnd" valuePropName="checked" className={styles.noEnd ?? ''}>
          <Checkbox>{t('requests.noEnd')}</Checkbox>
        </Form.Item>
      </div>
      <Levels levels={basis?.levels ?? []} single={basis?.single ?? null} values={values} />
      {basis && !basis.isPossible && <Notice type="warning">{t('requests.notPossible')}</Notice>}
      {comparison?.result === 'differs' && (
        <Form.Item name="despiteDifference" valuePropName="checked">
          <Checkbox>{t('requests.despite')}</Checkbox>
        </Form.Item>
      )}
      {comparison?.patient && comparison.lacksBirthDate && (
        <Form.Item name="withoutBirthDate" valuePropName="checked">
          <Checkbox>{t('requests.withoutBirthDate')}</Checkbox>
        </Form.Item>
      )}
    </>
  );
}

/** The terms of an approval of a change: the level, and the end of a level above the age rule. */
export function ChangeTerms({
  request,
  values,
}: {
  request: RequestReview;
  values: Partial<DecisionFields> | undefined;
}) {
  const { t } = useTranslation();
  const { change, firstApproval } = request;
  if (!change) return <Notice type="warning">{t('requests.changeGone')}</Notice>;
  const { basis, level, step, levels, single, isPossible } = change;
  const isAbove = isAboveTable(values, { levels, single });
  return (
    <>
      <FirstApproval approval={firstApproval} basis={basis} levels={levels} />
      <p>{t('requests.changeNow', { basis, level: levelName([level], level.id) })}</p>
      {step && <p>{t('requests.changeStep', { age: step.age, date: longDate(`${step.on}T12:00:00`).date })}</p>}
      <Levels levels={levels} single={single} values={values} />
      {isAbove && (
        <div className={styles.pair}>
          <Form.Item name="end" label={t('requests.changeUntil')}>
            <Input type="date" disabled={values?.noEnd === true} />
          </Form.Item>
          <Form.Item name="noEnd" valuePropName="checked" className={styles.noEnd ?? ''}>
            <Checkbox>{t('requests.changeStepEnd')}</Checkbox>
          </Form.Item>
        </div>
      )}
      {!isPossible && <Notice type="warning">{t('requests.notPossible')}</Notice>}
    </>
  );
}

/** The terms that the first of two administrators has approved. */
function FirstApproval({
  approval,
  basis,
  levels = [],
}: {
  approval: RequestReview['firstApproval'];
  basis: string | undefined;
  levels: readonly LevelForApproval[] | undefined;
}) {
  const { t } = useTranslation();
  if (!approval) return null;
  return (
    <Notice type="info">
      {t(approval.isOwn ? 'requests.firstOwn' : 'requests.first', {
        name: isolateName(approval.by),
        level: levelName(levels, approval.level),
        basis: basis ?? approval.basis,
      })}
    </Notice>
  );
}

/** The levels, and kinds one by one. */
function Levels({ values, ...choices }: LevelsForApproval & { values: Partial<DecisionFields> | undefined }) {
  const { t } = useTranslation();
  // A basis is chosen first.
  if (choices.levels.length === 0) return null;
  return (
    <>
      <Form.Item name="level" label={t('requests.level')}>
        <LevelChoice {...choices} />
      </Form.Item>
      {isAboveTable(values, choices) && <Notice type="warning">{t('requests.aboveTable')}</Notice>}
    </>
  );
}

/** True if a level, or one of the ticked kinds, is above the age table. */
export function isAboveTable(
  { level = '', kinds }: Partial<LevelFields> = {},
  { levels, single }: LevelsForApproval,
): boolean {
  const asked = askedLevel({ level, ...(kinds && { kinds }) }, single);
  if (!asked.kinds) return levels.some(({ id, isAbove }) => id === level && isAbove);
  return single?.kinds.some(({ kind, isAbove }) => isAbove && asked.kinds?.includes(kind)) ?? false;
}

/** True if a level is chosen that is offered, or one kind at least. */
export function isLevelChosen(
  { level = '', kinds }: Partial<LevelFields>,
  { levels, single }: LevelsForApproval,
): boolean {
  const asked = askedLevel({ level, ...(kinds && { kinds }) }, single);
  return asked.kinds ? asked.kinds.length > 0 : levels.some(({ id }) => id === level);
}

/** Value and handler come from the form item. */
function Select({ list, ...field }: { list: { id: string; label: string }[]; id?: string }) {
  return (
    <select className={`${nativeField.select} ${nativeField.low}`} {...field}>
      <option value="" />
      {list.map(({ id, label }) => (
        <option key={id} value={id}>
          {capitalized(label)}
        </option>
      ))}
    </select>
  );
}
