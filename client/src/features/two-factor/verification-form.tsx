import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { codeEmpty } from '../../../../src/contract/rules/two-factor-code.js';
import { formErrors } from '../../api/form-errors.js';
import { useVerifyCodeMutation, useVerifyRecoveryCodeMutation } from '../../api/two-factor.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/error-list.js';
import { CodeInput, RecoveryCodeInput } from './code-input.js';
import styles from './two-factor.module.css';
import { useOneAtATime } from './use-one-at-a-time.js';
import { UserNotFound } from './user-not-found.js';

interface Fields {
  verificationCode?: string;
  recoveryCode?: string;
}

/** Proves the second factor, by a code of the authenticator app or by a recovery code. */
export function VerificationForm({
  returnUrl,
  rememberMe,
  onVerified,
  onExpired,
}: {
  returnUrl: string | null;
  rememberMe?: boolean;
  onVerified: () => unknown;
  /** The password has to be entered once more; given what the server said. */
  onExpired?: (errors: string[]) => void;
}) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const [recovery, setRecovery] = useState(false);
  const [errors, setErrors] = useState<string[]>([]);
  const [verifyCode, code] = useVerifyCodeMutation();
  const [verifyRecoveryCode, recoveryCode] = useVerifyRecoveryCodeMutation();
  const field = recovery ? 'recoveryCode' : 'verificationCode';
  const { error } = recovery ? recoveryCode : code;

  const send = ({ verificationCode = '', recoveryCode = '' }: Fields) => {
    const sameFor = { returnUrl, ...(rememberMe === undefined ? {} : { rememberMe }) };
    return recovery ? verifyRecoveryCode({ recoveryCode, ...sameFor }) : verifyCode({ verificationCode, ...sameFor });
  };

  const submit = useOneAtATime(async (fields: Fields) => {
    setErrors([]);
    const result = await send(fields);
    if (!result.error) {
      if (result.data) notify('success', t('verification.codesLeft', { count: result.data.recoveryCodesLeft }));
      return onVerified();
    }
    const status = 'status' in result.error ? result.error.status : undefined;
    const problems = formErrors(result.error, [field]);
    if (status === 401 && onExpired) return onExpired(problems.form);
    setErrors(problems.form);
    form.setFields([{ name: field, errors: problems.fields[field] ?? [] }]);
    form.getFieldInstance(field)?.focus({ cursor: 'all' });
  });

  const changeMode = () => {
    form.resetFields();
    setErrors([]);
    setRecovery(!recovery);
  };

  if (error && 'status' in error && error.status === 404) return <UserNotFound />;
  return (
    <>
      <p className={styles.lead}>{t(recovery ? 'verification.recoveryLead' : 'verification.authenticatorLead')}</p>
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        onFinish={submit}
        scrollToFirstError={{ focus: true }}
        noValidate
      >
        <Form.Item
          key={field}
          name={field}
          className={styles.codeItem ?? ''}
          label={t(recovery ? 'verification.recoveryCode' : 'verification.authenticatorCode')}
          validateTrigger="onSubmit"
          extra={recovery ? undefined : t('verification.sentAtOnce')}
          rules={[{ required: true, whitespace: true, message: translateMessage(codeEmpty) }]}
        >
          {recovery ? (
            <RecoveryCodeInput autoFocus />
          ) : (
            <CodeInput autoFocus busy={code.isLoading} onComplete={form.submit} />
          )}
        </Form.Item>
        <ErrorList errors={errors} />
        <Button type="primary" htmlType="submit" block loading={code.isLoading || recoveryCode.isLoading}>
          {t('verification.submit')}
        </Button>
        <Button type="link" block className={styles.switch} onClick={changeMode}>
          {t(recovery ? 'verification.toAuthenticator' : 'verification.toRecovery')}
        </Button>
      </Form>
    </>
  );
}
