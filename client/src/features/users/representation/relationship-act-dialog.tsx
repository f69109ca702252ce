import { Form, Input, Radio } from 'antd';
import Checkbox from 'antd/es/checkbox/Checkbox';
import { useTranslation } from 'react-i18next';
import type { AdministeredRelationship, AgeRules } from '../../../../../src/contract/representation/administration.js';
import type { SingleKinds } from '../../../../../src/contract/representation/levels.js';
import type { AdministratorEnd, Suspension } from '../../../../../src/contract/representation.js';
import { fieldRequired } from '../../../../../src/contract/rules/text.js';
import {
  useConfirmRelationshipMutation,
  useDecideRelationshipMutation,
  useEndRelationshipOfUserMutation,
  useLiftBlockMutation,
} from '../../../api/users/representation.js';
import { useFormDraft } from '../../../shared/drafts/use-form-draft.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../../shared/i18n/messages.js';
import { LevelChoice } from '../../../shared/levels/level-choice.js';
import { fieldsOfLevel, type LevelFields, levelText, withLevelOf } from '../../../shared/levels/level-fields.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import { draftName } from './relationship-drafts.js';
import { RelationshipForm } from './relationship-form.js';
import type { Act } from './relationship-item.js';
import styles from './representation.module.css';

export interface RelationshipActProps {
  open: boolean;
  /** Id of the user on whose sheet the relationship is. */
  user: string;
  act: Act;
  relationship: AdministeredRelationship;
  rules: AgeRules;
  onClose: () => void;
  onDone: () => void;
}

interface Fields extends LevelFields {
  note: string;
  exceedsTable: boolean;
  withoutBirthDate: boolean;
  patient: string;
  reason: AdministratorEnd;
}

const fields = ['note', 'level', 'kinds', 'exceedsTable', 'withoutBirthDate', 'patient', 'reason'] as const;
const reasons = ['administrator', 'safeguarding', 'in-error', 'deceased', 'representative-died'] as const;

/** An administrator's act on one relationship, with its reason. */
export function RelationshipActDialog(props: RelationshipActProps) {
  const { open, user, act, relationship, rules, onClose, onDone } = props;
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const single = rules.bases.find(({ id }) => id === relationship.basis)?.single ?? null;
  const { send, isLoading } = useAct(act, relationship, single);
  const draft = useFormDraft<Fields>({
    ...{ name: draftName(user, { kind: 'act', act, relationship: relationship.id }), form, fields },
    initial: { ...fieldsOfLevel(relationship.level, single), reason: 'administrator' },
  });
  const reason = Form.useWatch('reason', form) ?? 'administrator';
  const names = {
    representative: isolateName(relationship.representativeName),
    patient: isolateName(relationship.patientName),
  };
  const required = [{ required: true, whitespace: true, message: translateMessage(fieldRequired) }];
  return (
    <Dialog open={open} title={t(`representation.${act}Title`, names)} width={480} onClose={onClose}>
      <RelationshipForm
        {...{ form, draft, fields, send, isLoading, onClose, onDone }}
        label={t(`representation.${act}`)}
        isDangerous={act === 'end' || act === 'decline'}
      >
        {act === 'approve' && <Approval relationship={relationship} levels={rules.levels} single={single} />}
        {act === 'confirm' && relationship.reason === 'merged' && (
          <Form.Item name="patient" label={t('representation.newPatient')} extra={t('representation.newPatientHelp')}>
            <Input autoComplete="off" spellCheck={false} maxLength={64} />
          </Form.Item>
        )}
        {act === 'end' && (
          <>
            <Form.Item name="reason" label={t('representation.endReason')}>
              <Radio.Group
                className={styles.reasons ?? ''}
                options={reasons.map((value) => ({ value, label: t(`representation.endReasons.${value}`) }))}
              />
            </Form.Item>
            <p className={styles.effect} aria-live="polite">
              {t(`representation.endTexts.${reason}`)}
            </p>
          </>
        )}
        {act === 'lift' ? (
          <p>{t('representation.liftText')}</p>
        ) : (
          <Form.Item name="note" label={t('representation.note')} rules={required}>
            <Input autoComplete="off" maxLength={1000} />
          </Form.Item>
        )}
      </RelationshipForm>
    </Dialog>
  );
}

function Approval({
  relationship: { table, awaitsSecond, level },
  levels,
  single,
}: {
  relationship: AdministeredRelationship;
  levels: AgeRules['levels'];
  single: SingleKinds | null;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item name="level" label={t('representation.level')}>
        <LevelChoice levels={withLevelOf(levels, level, single)} single={single} />
      </Form.Item>
      {(table === 'less' || awaitsSecond) && (
        <Form.Item name="exceedsTable" valuePropName="checked" extra={t('representation.exceedsHelp')}>
          <Checkbox>{t('representation.exceeds')}</Checkbox>
        </Form.Item>
      )}
      {table === 'unknown' && (
        <Form.Item name="withoutBirthDate" valuePropName="checked" extra={t('representation.withoutBirthDateHelp')}>
          <Checkbox>{t('representation.withoutBirthDate')}</Checkbox>
        </Form.Item>
      )}
    </>
  );
}

/** The call of an act, and what to say when it is done. */
function useAct(
  act: Act,
  { id, status, reason: cause, changedAt: seenChange }: AdministeredRelationship,
  single: SingleKinds | null,
) {
  const { t } = useTranslation();
  const [decide, deciding] = useDecideRelationshipMutation();
  const [confirm, confirming] = useConfirmRelationshipMutation();
  const [end, ending] = useEndRelationshipOfUserMutation();
  const [lift, lifting] = useLiftBlockMutation();
  const send = async (values: Fields): Promise<{ error?: unknown; done: string }> => {
    const { note, exceedsTable = false, withoutBirthDate = false, patient, reason } = values;
    if (act === 'lift') {
      const { data, error } = await lift({ id });
      return { error, done: t(data?.state === 'asked' ? 'representation.liftNeedsSecond' : 'representation.liftDone') };
    }
    if (act === 'end') return { ...(await end({ id, note, reason })), done: t('representation.endedNow') };
    if (act === 'confirm') {
      const moved = patient?.trim() ? { patient: patient.trim() } : {};
      const seen = cause === null ? {} : { reason: cause as Suspension };
      return { ...(await confirm({ id, note, seenChange, ...seen, ...moved })), done: t('representation.decided') };
    }
    const { data, error } = await decide(
      act === 'decline'
        ? { id, decision: 'decline', note, seenChange }
        : {
            ...{ id, decision: 'approve', note, seenChange, exceedsTable, withoutBirthDate },
            level: levelText(values, single),
          },
    );
    const isWaiting = data?.awaitsSecond === true && status !== 'active';
    return { error, done: t(isWaiting ? 'representation.secondNeeded' : 'representation.decided') };
  };
  return { send, isLoading: [deciding, confirming, ending, lifting].some(({ isLoading }) => isLoading) };
}
