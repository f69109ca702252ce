import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import type { AccountRelationships, AgeRules } from '../../../../../src/contract/representation/administration.js';
import { fieldRequired } from '../../../../../src/contract/rules/text.js';
import type { UserView } from '../../../../../src/contract/users/users.js';
import { useSettings } from '../../../api/settings.js';
import { useProposeRelationshipMutation } from '../../../api/users/representation.js';
import { useFormDraft } from '../../../shared/drafts/use-form-draft.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../../shared/i18n/messages.js';
import { LevelChoice } from '../../../shared/levels/level-choice.js';
import { type LevelFields, levelText } from '../../../shared/levels/level-fields.js';
import nativeField from '../../../shared/ui/forms/native-field.module.css';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import { draftName } from './relationship-drafts.js';
import { RelationshipForm } from './relationship-form.js';
import styles from './representation.module.css';

export interface ProposeProps {
  open: boolean;
  user: UserView;
  /** `actsFor`: the user is the representative; `helpers`: the user is the patient. */
  side: 'actsFor' | 'helpers';
  records: AccountRelationships['records'];
  rules: AgeRules;
  onClose: () => void;
  onDone: () => void;
}

interface Fields extends LevelFields {
  patient?: string;
  tenant?: string;
  email?: string;
  fullName?: string;
  basis: string;
  relation: string;
  start?: string;
  end?: string;
  note?: string;
}

const names = [
  ...(['patient', 'tenant', 'email', 'fullName', 'basis', 'relation', 'level', 'kinds', 'start', 'end'] as const),
  'note' as const,
];

/** A relationship that an administrator proposes. */
export function ProposeDialog({ open, user, side, records, rules, onClose, onDone }: ProposeProps) {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  const [form] = Form.useForm<Fields>();
  const [propose, { isLoading }] = useProposeRelationshipMutation();
  const [first] = rules.bases;
  const basis = Form.useWatch('basis', form) ?? first?.id;
  const { relations = [], single = null } = rules.bases.find(({ id }) => id === basis) ?? {};
  const tenants = user.claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
  const draft = useFormDraft<Fields>({
    ...{ name: draftName(user.id, { kind: 'propose', side }), form, fields: names },
    initial: {
      ...{ basis: first?.id ?? '', relation: first?.relations[0]?.id ?? '', level: rules.levels[0]?.id ?? '' },
      ...(tenants.length > 1 && tenants[0] !== undefined && { tenant: tenants[0] }),
    },
  });

  const send = async ({ patient, tenant, email, level, kinds, ...fields }: Fields) => {
    const chosen = tenant || tenants[0];
    const record = records.find((one) => (one.tenant ?? undefined) === chosen) ?? records[0];
    const { error } = await propose({
      ...fields,
      level: levelText({ level, ...(kinds && { kinds }) }, single),
      ...(chosen !== undefined && { tenant: chosen }),
      ...(side === 'actsFor'
        ? { account: user.id, patient: idIn(patient) }
        : { email: email?.trim() ?? '', patient: record?.patient ?? '' }),
    });
    return { error, done: t('representation.proposed') };
  };
  const required = [{ required: true, whitespace: true, message: translateMessage(fieldRequired) }];
  const choice = (list: readonly { id: string; label: string }[]) => (
    <select className={`${nativeField.select} ${nativeField.low}`}>
      {list.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
  );
  const nameHelp = mailWaits ? 'representation.fullNameHelpByHand' : 'representation.fullNameHelp';
  return (
    <Dialog
      open={open}
      title={t(side === 'actsFor' ? 'representation.addTitle' : 'representation.addHelperTitle', {
        name: isolateName(user.fullName),
      })}
      width={560}
      onClose={onClose}
    >
      <RelationshipForm
        {...{ form, draft, send, isLoading, onClose, onDone }}
        fields={names}
        label={t('representation.propose')}
        onValuesChange={({ basis: changed }) => {
          const words = rules.bases.find(({ id }) => id === changed)?.relations;
          if (words) form.setFieldValue('relation', words[0]?.id);
        }}
      >
        {side === 'actsFor' ? (
          <Form.Item
            name="patient"
            label={t('representation.patient')}
            extra={t('representation.patientHelp')}
            rules={required}
          >
            <Input autoComplete="off" autoCapitalize="none" spellCheck={false} maxLength={72} />
          </Form.Item>
        ) : (
          <>
            <Form.Item name="email" label={t('representation.email')} rules={required}>
              <Input type="email" autoComplete="off" autoCapitalize="none" spellCheck={false} maxLength={254} />
            </Form.Item>
            <Form.Item name="fullName" label={t('representation.fullName')} extra={t(nameHelp)}>
              <Input autoComplete="off" maxLength={200} />
            </Form.Item>
          </>
        )}
        {tenants.length > 1 && (
          <Form.Item name="tenant" label={t('representation.tenant')}>
            {choice(tenants.map((id) => ({ id, label: id })))}
          </Form.Item>
        )}
        <Form.Item name="basis" label={t('representation.basis')}>
          {choice(rules.bases)}
        </Form.Item>
        <Form.Item name="relation" label={t('representation.relation')}>
          {choice(relations.map(({ id, ...words }) => ({ id, label: t('representation.relationText', words) })))}
        </Form.Item>
        <Form.Item name="level" label={t('representation.level')}>
          <LevelChoice levels={rules.levels} single={single} />
        </Form.Item>
        <div className={styles.days}>
          <Form.Item name="start" label={t('representation.start')}>
            <Input type="date" />
          </Form.Item>
          <Form.Item name="end" label={t('representation.last')}>
            <Input type="date" />
          </Form.Item>
        </div>
        <Form.Item name="note" label={t('representation.note')}>
          <Input autoComplete="off" maxLength={1000} />
        </Form.Item>
        <p className={styles.lead}>{t('representation.proposeHelp')}</p>
      </RelationshipForm>
    </Dialog>
  );
}

/** The id of a reference that was pasted as a whole. */
function idIn(text = ''): string {
  return text.trim().replace(/^Patient\//, '');
}
