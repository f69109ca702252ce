import './words/en.js';
import { Button, Form, type FormInstance } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { codeEmpty } from '../../../../src/contract/rules/users/two-factor-code.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { CodeInput, RecoveryCodeInput } from './code-input.js';
import styles from './two-factor.module.css';

export interface Factor {
  /** By a recovery code instead of a code of the authenticator app. */
  recovery: boolean;
  /** Name of the field with the code. */
  field: 'verificationCode' | 'recoveryCode';
  change: () => void;
}

/** The second factor that a form takes; another one begins with empty fields. */
export function useFactor(form: Pick<FormInstance, 'resetFields'>, onChange: () => void): Factor {
  const [recovery, setRecovery] = useState(false);
  const change = () => {
    form.resetFields();
    onChange();
    setRecovery(!recovery);
  };
  return { recovery, field: recovery ? 'recoveryCode' : 'verificationCode', change };
}

export function FactorField({
  factor: { recovery, field },
  busy,
  sendsAtOnce = true,
  takesFocus = true,
  onComplete,
}: {
  factor: Factor;
  busy: boolean;
  /** The form says that the sixth digit sends it. */
  sendsAtOnce?: boolean;
  /** False for a field that is not the first of its form. */
  takesFocus?: boolean;
  onComplete: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Form.Item
      key={field}
      name={field}
      className={styles.codeItem ?? ''}
      label={t(recovery ? 'verification.recoveryCode' : 'verification.authenticatorCode')}
      validateTrigger="onSubmit"
      extra={recovery || !sendsAtOnce ? undefined : t('verification.sentAtOnce')}
      rules={[{ required: true, whitespace: true, message: translateMessage(codeEmpty) }]}
    >
      {recovery ? (
        <RecoveryCodeInput autoFocus={takesFocus} />
      ) : (
        <CodeInput autoFocus={takesFocus} busy={busy} onComplete={onComplete} />
      )}
    </Form.Item>
  );
}

/** Switches between the two codes. */
export function FactorSwitch({ factor: { recovery, change } }: { factor: Factor }) {
  const { t } = useTranslation();
  return (
    <Button type="link" block className={styles.switch} onClick={change}>
      {t(recovery ? 'verification.toAuthenticator' : 'verification.toRecovery')}
    </Button>
  );
}
