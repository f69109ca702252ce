import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { fieldRequired } from '../../../../../src/contract/rules/text.js';
import type { UserView } from '../../../../../src/contract/users/users.js';
import { useLinkPatientRecordMutation } from '../../../api/users/representation.js';
import { useFormDraft } from '../../../shared/drafts/use-form-draft.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../../shared/i18n/messages.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import { draftName } from './relationship-drafts.js';
import { RelationshipForm } from './relationship-form.js';
import styles from './representation.module.css';

export interface LinkRecordProps {
  open: boolean;
  user: UserView;
  onClose: () => void;
  onDone: () => void;
}

interface Fields {
  patient: string;
  note: string;
}

const names = ['patient', 'note'] as const;

/** Gives an account that only acts for others its own patient record. */
export function LinkRecordDialog({ open, user, onClose, onDone }: LinkRecordProps) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const [link, { isLoading }] = useLinkPatientRecordMutation();
  const draft = useFormDraft<Fields>({
    ...{ name: draftName(user.id, { kind: 'link' }), form, fields: names },
    initial: {},
  });
  const send = async ({ patient, note }: Fields) => {
    const { error } = await link({ id: user.id, patient: patient.trim().replace(/^Patient\//, ''), note });
    return { error, done: t('representation.linked') };
  };
  const required = [{ required: true, whitespace: true, message: translateMessage(fieldRequired) }];
  return (
    <Dialog
      open={open}
      title={t('representation.linkTitle', { name: isolateName(user.fullName) })}
      width={480}
      onClose={onClose}
    >
      <p className={styles.lead}>{t('representation.linkText')}</p>
      <RelationshipForm
        {...{ form, draft, send, isLoading, onClose, onDone }}
        fields={names}
        label={t('representation.link')}
      >
        <Form.Item
          name="patient"
          label={t('representation.patient')}
          extra={t('representation.patientHelp')}
          rules={required}
        >
          <Input autoComplete="off" autoCapitalize="none" spellCheck={false} maxLength={72} />
        </Form.Item>
        <Form.Item name="note" label={t('representation.note')} rules={required}>
          <Input autoComplete="off" maxLength={1000} />
        </Form.Item>
      </RelationshipForm>
    </Dialog>
  );
}
