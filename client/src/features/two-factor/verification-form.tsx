import './words/en.js';
import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrors } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useVerifyCodeMutation, useVerifyRecoveryCodeMutation } from '../../api/users/two-factor.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { FactorField, FactorSwitch, useFactor } from './factor-field.js';
import { LostFactor } from './lost-factor.js';
import { PasskeyFactor } from './passkey-factor.js';
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
  hasPasskey = false,
  onVerified,
  onExpired,
}: {
  returnUrl: string | null;
  rememberMe?: boolean;
  /** A passkey can be used as well. */
  hasPasskey?: boolean;
  /** Given the page on which the account can be kept, when no session began. */
  onVerified: (keepPage: string | undefined) => unknown;
  /** The password has to be entered once more; gets the messages of the server. */
  onExpired?: (errors: string[]) => void;
}) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const factor = useFactor(form, refusal.clear);
  const [lost, setLost] = useState(false);
  const { recovery, field } = factor;
  const [verifyCode, code] = useVerifyCodeMutation();
  const [verifyRecoveryCode, recoveryCode] = useVerifyRecoveryCodeMutation();
  const { error } = recovery ? recoveryCode : code;

  const send = ({ verificationCode = '', recoveryCode = '' }: Fields) => {
    const sameFor = { returnUrl, ...(rememberMe === undefined ? {} : { rememberMe }) };
    return recovery ? verifyRecoveryCode({ recoveryCode, ...sameFor }) : verifyCode({ verificationCode, ...sameFor });
  };

  const submit = useOneAtATime(async (fields: Fields) => {
    refusal.clear();
    const result = await send(fields);
    if (!result.error) {
      const { data } = result;
      if (data && 'recoveryCodesLeft' in data) {
        notify('success', t('verification.codesLeft', { count: data.recoveryCodesLeft }));
      }
      return onVerified(data?.keepPage);
    }
    const status = 'status' in result.error ? result.error.status : undefined;
    if (status === 401 && onExpired) return onExpired(formErrors(result.error, [field]).form);
    refusal.show(result.error, [field]);
    form.getFieldInstance(field)?.focus({ cursor: 'all' });
  });

  if (error && 'status' in error && error.status === 404) return <UserNotFound />;
  if (lost) return <LostFactor returnUrl={returnUrl} onBack={() => setLost(false)} onExpired={onExpired} />;
  return (
    <>
      {hasPasskey && (
        <div className={styles.passkey}>
          <PasskeyFactor
            returnUrl={returnUrl}
            {...(rememberMe === undefined ? {} : { rememberMe })}
            onVerified={onVerified}
            {...(onExpired && { onExpired })}
          />
        </div>
      )}
      <p className={styles.lead}>{t(recovery ? 'verification.recoveryLead' : 'verification.authenticatorLead')}</p>
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        onFinish={submit}
        scrollToFirstError={{ focus: true }}
        noValidate
      >
        <FactorField factor={factor} busy={code.isLoading} onComplete={form.submit} />
        <ErrorList errors={refusal.errors} />
        <Button type="primary" htmlType="submit" block loading={code.isLoading || recoveryCode.isLoading}>
          {t('verification.submit')}
        </Button>
        <FactorSwitch factor={factor} />
        <Button type="link" block onClick={() => setLost(true)}>
          {t(hasPasskey ? 'verification.noneOfThese' : 'verification.neither')}
        </Button>
      </Form>
    </>
  );
}
