import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { fieldRequired } from '../../../../src/contract/rules/text.js';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { PasswordInput } from '../../shared/ui/forms/password-input.js';

/** The field of the password that confirms an action. */
export function CurrentPasswordField({ user }: { user: CurrentUser }) {
  const { t } = useTranslation();
  return (
    <>
      {/* Tells password managers whose password it is. */}
      <input type="text" autoComplete="username" value={user.email ?? ''} readOnly hidden />
      <Form.Item
        name="currentPassword"
        label={t('accountSettings.currentPassword')}
        rules={[{ required: true, message: translateMessage(fieldRequired) }]}
      >
        <PasswordInput autoComplete="current-password" />
      </Form.Item>
    </>
  );
}
