import '../passkeys/words/en.js';
import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { fieldRequired } from '../../../../src/contract/rules/text.js';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { PasswordInput } from '../../shared/ui/forms/password-input.js';
import { ConfirmByPasskey } from '../passkeys/confirm-by-passkey.js';
import styles from '../passkeys/passkeys.module.css';

/** The password that confirms an action; a passkey in its place, where the user has none. */
export function CurrentPasswordField({
  user,
  label,
  help,
  takesFocus = false,
}: {
  user: CurrentUser;
  label?: string;
  help?: string;
  takesFocus?: boolean;
}) {
  const { t } = useTranslation();
  if (user.hasNoPassword) {
    return (
      <>
        <p className={styles.next}>{t('passkeys.confirm.lead')}</p>
        <Form.Item name="currentPassword" rules={[{ required: true, message: t('passkeys.confirm.needed') }]}>
          <ConfirmByPasskey />
        </Form.Item>
      </>
    );
  }
  return (
    <>
      {/* Tells password managers whose password it is. */}
      <input type="text" autoComplete="username" value={user.email ?? ''} readOnly hidden />
      <Form.Item
        name="currentPassword"
        label={label ?? t('passkeys.confirm.password')}
        extra={help}
        rules={[{ required: true, message: translateMessage(fieldRequired) }]}
      >
        <PasswordInput autoFocus={takesFocus} autoComplete="current-password" />
      </Form.Item>
    </>
  );
}
