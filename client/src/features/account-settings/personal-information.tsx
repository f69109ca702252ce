import { Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { nameProblem } from '../../../../src/contract/rules/users/claims.js';
import { maxFullName } from '../../../../src/contract/rules/users/user-form.js';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { isGone } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useChangeNameMutation } from '../../api/users/account.js';
import { forgetDraft, keptDraft } from '../../shared/drafts/drafts.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { notify } from '../../shared/notices.js';
import { DraftNotice } from '../../shared/ui/forms/draft-notice.js';
import card from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import styles from './account-settings.module.css';
import { EditActions, EditableRow } from './editable-row.js';
import { Row } from './row.js';

/** Its name among the drafts that outlive their page. */
const nameDraft = 'own-name';

interface Fields {
  fullName: string;
}

/** Name and address; only the name can be changed here. */
export function PersonalInformation({ user, onGone }: { user: CurrentUser; onGone: () => void }) {
  const { t } = useTranslation();
  const [isBroughtBack] = useState(() => keptDraft(nameDraft) !== undefined);
  return (
    <Section title={t('accountSettings.personal')} help={t('accountSettings.personalHelp')}>
      <div className={card.card}>
        <EditableRow
          label={t('accountSettings.name')}
          value={user.fullName}
          action={t('accountSettings.edit')}
          actionLabel={t('accountSettings.editName')}
          startsOpen={isBroughtBack}
          form={(close) => <NameForm name={user.fullName} onClose={close} onGone={onGone} />}
        />
        <Row label={t('common.email')} value={user.email || t('accountSettings.noEmail')} />
      </div>
    </Section>
  );
}

function NameForm({ name, onClose, onGone }: { name: string; onClose: () => void; onGone: () => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const [kept, setKept] = useState(() => keptDraft<string>(nameDraft));
  const typed = Form.useWatch('fullName', form) ?? kept ?? name;
  const fullName = typed.trim();
  useOpenForm({ name: nameDraft, isChanged: () => typed !== name, value: () => typed });
  const close = () => {
    forgetDraft(nameDraft);
    onClose();
  };
  const refusal = useRefusal(form);
  const [change, { isLoading }] = useChangeNameMutation();

  // The watched value may be one character behind.
  const submit = async (fields: Fields) => {
    refusal.clear();
    const { error } = await change({ fullName: fields.fullName.trim() });
    if (!error) {
      notify('success', t('accountSettings.nameChanged'));
      return close();
    }
    if (isGone(error)) return onGone();
    refusal.show(error, ['fullName']);
    form.scrollToField('fullName', { focus: true });
  };

  const checkName = async (_: unknown, value = '') => {
    if (value.trim() === '') throw new Error(t('accountSettings.nameEmpty'));
    const problem = nameProblem(value, maxFullName);
    if (problem) throw new Error(translateMessage(problem));
  };

  return (
    <Form<Fields>
      form={form}
      className={styles.form}
      layout="vertical"
      initialValues={{ fullName: kept ?? name }}
      onFinish={submit}
      noValidate
    >
      {kept !== undefined && (
        <DraftNotice
          onDiscard={() => {
            forgetDraft(nameDraft);
            setKept(undefined);
            form.setFieldValue('fullName', name);
          }}
        />
      )}
      <Form.Item name="fullName" label={t('accountSettings.name')} rules={[{ validator: checkName }]}>
        <Input autoFocus autoComplete="name" />
      </Form.Item>
      <EditActions
        errors={refusal.errors}
        saving={isLoading}
        disabled={fullName === '' || fullName === name}
        onCancel={close}
      />
    </Form>
  );
}
