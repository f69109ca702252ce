import { Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldRequired } from '../../../../src/contract/rules/text.js';
import {
  fulfilsPasswordRules,
  passwordNotFulfilled,
  passwordsDiffer,
} from '../../../../src/contract/rules/users/password.js';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { formErrors, isGone } from '../../api/failures/form-errors.js';
import { useSettings } from '../../api/settings.js';
import { useChangePasswordMutation } from '../../api/users/account.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { notify } from '../../shared/notices.js';
import { PasswordChecklist } from '../../shared/ui/forms/password-checklist.js';
import { PasswordInput } from '../../shared/ui/forms/password-input.js';
import card from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import styles from './account-settings.module.css';
import { EditActions, EditableRow } from './editable-row.js';

interface Fields {
  currentPassword: string;
  newPassword: string;
  confirmation: string;
}

const named = ['currentPassword', 'newPassword'] as const;

/** The password of a user who signs in here and not at an external provider. */
export function Password({ user, onGone }: { user: CurrentUser; onGone: () => void }) {
  const { t } = useTranslation();
  return (
    <Section title={t('accountSettings.password')} help={t('accountSettings.passwordHelp')}>
      <div className={card.card}>
        <EditableRow
          label={t('common.password')}
          value={<span aria-hidden="true">••••••••••••</span>}
          action={t('accountSettings.change')}
          actionLabel={t('accountSettings.changePassword')}
          form={(close) => <PasswordForm user={user} onClose={close} onGone={onGone} />}
        />
      </div>
    </Section>
  );
}

function PasswordForm({ user, onClose, onGone }: { user: CurrentUser; onClose: () => void; onGone: () => void }) {
  const { t } = useTranslation();
  const { passwordSettings } = useSettings();
  const [form] = Form.useForm<Fields>();
  const { currentPassword = '', newPassword = '', confirmation = '' } = Form.useWatch([], form) ?? {};
  const [errors, setErrors] = useState<string[]>([]);
  const [change, { isLoading }] = useChangePasswordMutation();
  // Passwords are never stored: they stay only as long as the page does.
  useOpenForm({ name: 'own-password', isChanged: () => `${currentPassword}${newPassword}${confirmation}` !== '' });
  const differ = newPassword !== '' && confirmation !== '' && newPassword !== confirmation;
  const valid =
    currentPassword !== '' && fulfilsPasswordRules(newPassword, passwordSettings) && newPassword === confirmation;

  const submit = async () => {
    setErrors([]);
    const { error } = await change({ currentPassword, newPassword });
    if (!error) {
      notify('success', t('accountSettings.passwordChanged'));
      return onClose();
    }
    if (isGone(error)) return onGone();
    const problems = formErrors(error, named);
    setErrors(problems.form);
    // The server's objections come after the sentence of `spec §5`.
    const { newPassword: unfit } = problems.fields;
    if (unfit) problems.fields.newPassword = [...new Set([translateMessage(passwordNotFulfilled), ...unfit])];
    form.setFields(named.map((name) => ({ name, errors: problems.fields[name] ?? [] })));
    const first = named.find((name) => problems.fields[name]);
    if (first) form.scrollToField(first, { focus: true });
  };

  return (
    <Form<Fields> form={form} className={styles.form} layout="vertical" onFinish={submit} noValidate>
      {/* Tells password managers whose password it is. */}
      <input type="text" autoComplete="username" value={user.email ?? ''} readOnly hidden />
      <Form.Item
        name="currentPassword"
        label={t('accountSettings.currentPassword')}
        rules={[{ required: true, message: translateMessage(fieldRequired) }]}
      >
        <PasswordInput autoFocus autoComplete="current-password" />
      </Form.Item>
      <Form.Item
        name="newPassword"
        label={t('accountSettings.newPassword')}
        rules={[{ required: true, message: translateMessage(fieldRequired) }]}
      >
        <PasswordInput autoComplete="new-password" />
      </Form.Item>
      <PasswordChecklist password={newPassword} settings={passwordSettings} />
      <Form.Item
        name="confirmation"
        label={t('accountSettings.confirmPassword')}
        {...(differ ? { validateStatus: 'error', help: translateMessage(passwordsDiffer) } : {})}
      >
        <PasswordInput autoComplete="new-password" />
      </Form.Item>
      <p className={styles.note}>{t('accountSettings.passwordNote')}</p>
      <EditActions errors={errors} saving={isLoading} disabled={!valid} onCancel={onClose} />
    </Form>
  );
}
