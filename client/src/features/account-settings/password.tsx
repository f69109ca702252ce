import '../passkeys/words/en.js';
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
import { usePasskeysQuery } from '../../api/users/passkeys.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { notify } from '../../shared/notices.js';
import { PasswordChecklist } from '../../shared/ui/forms/password-checklist.js';
import { PasswordInput } from '../../shared/ui/forms/password-input.js';
import card from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import styles from './account-settings.module.css';
import { EditActions, EditableRow } from './editable-row.js';
import { RemovePassword } from './remove-password.js';

interface Fields {
  currentPassword: string;
  newPassword: string;
  confirmation: string;
}

const named = ['currentPassword', 'newPassword'] as const;

/** The password of a user who signs in here and not at an external provider; one with a passkey can do without. */
export function Password({ user, onGone }: { user: CurrentUser; onGone: () => void }) {
  const { t } = useTranslation();
  const { passkeysAllowed } = useSettings();
  const { data: own } = usePasskeysQuery(undefined, { skip: !passkeysAllowed });
  const none = user.hasNoPassword;
  return (
    <Section title={t('accountSettings.password')} help={t('accountSettings.passwordHelp')}>
      <div className={card.card}>
        <EditableRow
          key={String(none)}
          label={t('common.password')}
          value={none ? t('passkeys.password.none') : <span aria-hidden="true">••••••••••••</span>}
          action={t(none ? 'passkeys.password.chooseAction' : 'accountSettings.change')}
          actionLabel={t(none ? 'passkeys.password.choose' : 'accountSettings.changePassword')}
          form={(close) => <PasswordForm user={user} onClose={close} onGone={onGone} />}
        />
        {!none && own && own.passkeys.length > 0 && <RemovePassword user={user} passkeys={own.passkeys.length} />}
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
  const [left, setLeft] = useState(false);
  const unfit = left && newPassword !== '' && !fulfilsPasswordRules(newPassword, passwordSettings);
  const differ = newPassword !== '' && confirmation !== '' && newPassword !== confirmation;
  const valid =
    currentPassword !== '' && fulfilsPasswordRules(newPassword, passwordSettings) && newPassword === confirmation;

  // The watched value may be one character behind.
  const submit = async ({ currentPassword = '', newPassword, confirmation }: Fields) => {
    if (newPassword !== confirmation) return;
    setErrors([]);
    const { error } = await change(user.hasNoPassword ? { newPassword } : { currentPassword, newPassword });
    if (!error) {
      notify('success', t(user.hasNoPassword ? 'passkeys.password.chosen' : 'accountSettings.passwordChanged'));
      return onClose();
    }
    if (isGone(error)) return onGone();
    const problems = formErrors(error, named);
    setErrors(problems.form);
    // The server's objections come after the sentence of `spec §5`.
    const { newPassword: objections } = problems.fields;
    if (objections) {
      problems.fields.newPassword = [...new Set([translateMessage(passwordNotFulfilled), ...objections])];
    }
    form.setFields(named.map((name) => ({ name, errors: problems.fields[name] ?? [] })));
    const first = named.find((name) => problems.fields[name]);
    if (first) form.scrollToField(first, { focus: true });
  };

  return (
    <Form<Fields> form={form} className={styles.form} layout="vertical" onFinish={submit} noValidate>
      <CurrentPasswordField user={user} label={t('accountSettings.currentPassword')} takesFocus />
      <Form.Item
        name="newPassword"
        label={t('accountSettings.newPassword')}
        rules={[{ required: true, message: translateMessage(fieldRequired) }]}
        {...(unfit ? { validateStatus: 'error', help: translateMessage(passwordNotFulfilled) } : {})}
      >
        <PasswordInput autoComplete="new-password" onFocus={() => setLeft(false)} onBlur={() => setLeft(true)} />
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
