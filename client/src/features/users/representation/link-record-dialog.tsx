import { Button, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { fieldRequired } from '../../../../../src/contract/rules/text.js';
import type { UserView } from '../../../../../src/contract/users/users.js';
import { hasPageOfItsOwn } from '../../../api/failures/form-errors.js';
import { useRefusal } from '../../../api/failures/use-refusal.js';
import { useLinkPatientRecordMutation } from '../../../api/users/representation.js';
import { useFormDraft } from '../../../shared/drafts/use-form-draft.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../../shared/i18n/messages.js';
import { notify } from '../../../shared/notices.js';
import { DraftNotice } from '../../../shared/ui/forms/draft-notice.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import { draftName } from './relationship-drafts.js';
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
  const refusal = useRefusal(form);
  const [link, { isLoading }] = useLinkPatientRecordMutation();
  const draft = useFormDraft<Fields>({
    ...{ name: draftName(user.id, { kind: 'link' }), form, fields: names },
    initial: {},
  });
  const submit = async ({ patient, note }: Fields) => {
    refusal.clear();
    const { error } = await link({ id: user.id, patient: patient.trim().replace(/^Patient\//, ''), note });
    if (!error) {
      notify('success', t('representation.linked'));
      draft.discard();
      return onDone();
    }
    if (hasPageOfItsOwn(error)) return;
    const { first } = refusal.show(error, names);
    if (first) form.getFieldInstance(first)?.focus?.();
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
      <Form<Fields>
        form={form}
        layout="vertical"
        className={styles.form ?? ''}
        requiredMark={false}
        noValidate
        initialValues={draft.initial}
        onFinish={submit}
        scrollToFirstError={{ focus: true }}
      >
        {draft.isBack && <DraftNotice onDiscard={draft.discard} />}
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
        <ErrorList errors={refusal.errors} />
        <div className={styles.buttons}>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="primary" htmlType="submit" loading={isLoading}>
            {t('representation.link')}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
