import { Button, Checkbox, Form, Input } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router-dom';
import type { LoginOptions } from '../../../../src/contract/session.js';
import { formErrors } from '../../api/form-errors.js';
import { useLazySessionQuery, useLoginMutation } from '../../api/session.js';
import { leave } from '../../shared/leave.js';
import { knownReturnUrl, withReturnUrl } from '../../shared/return-url.js';
import card from '../../shared/ui/card-form.module.css';
import { ErrorList } from '../../shared/ui/error-list.js';
import { PasswordInput } from '../../shared/ui/password-input.js';

interface Fields {
  username: string;
  password: string;
  rememberLogin: boolean;
}

/** Most people have no second factor. */
const VerificationDialog = lazy(() =>
  import('../two-factor/verification-dialog.js').then((m) => ({ default: m.VerificationDialog })),
);

/** Local sign-in, with its second step. Once it succeeds the routing rules see the new session and move the browser on. */
export function LoginForm({
  options,
  returnUrl,
  errors,
  onErrors,
  onInitializing,
}: {
  options: LoginOptions;
  returnUrl: string | null;
  errors: string[];
  onErrors: (errors: string[]) => void;
  onInitializing: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  // The address of a user who has just chosen a password is known.
  const chosen = (useLocation().state as { email?: string } | null)?.email;
  const known = options.loginHint ?? chosen ?? '';
  const [login, { isLoading }] = useLoginMutation();
  const [loadSession, { isFetching }] = useLazySessionQuery();
  const [secondStep, setSecondStep] = useState<{ open: boolean; rememberMe: boolean } | null>(null);

  const submit = async (fields: Fields) => {
    onErrors([]);
    const result = await login({ ...fields, returnUrl });
    if (result.error) {
      const status = 'status' in result.error ? result.error.status : undefined;
      if (status === 503) return onInitializing();
      // The password was right, but the account is not set up yet.
      if (status === 403) return navigate('/account/error', { replace: true });
      return onErrors(formErrors(result.error).form);
    }
    if (result.data.is2faEnabled) return setSecondStep({ open: true, rememberMe: fields.rememberLogin });
    await goOn();
  };

  const goOn = async () => {
    await loadSession();
    const target = knownReturnUrl(returnUrl, window.location.origin);
    // The account of an authorization becomes a session only there, and one that has to sign in again stays on this page.
    if (target?.onServer) leave(target.to);
  };

  const closeSecondStep = () => setSecondStep((step) => step && { ...step, open: false });

  return (
    <>
      <Form<Fields>
        layout="vertical"
        initialValues={{ username: known, password: '', rememberLogin: false }}
        onFinish={submit}
        scrollToFirstError={{ focus: true }}
        noValidate
      >
        <Form.Item
          name="username"
          label={t('common.email')}
          rules={[{ required: true, message: t('login.emailEmpty') }]}
        >
          <Input
            type="email"
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus={known === ''}
          />
        </Form.Item>
        <Form.Item
          name="password"
          label={t('common.password')}
          rules={[{ required: true, message: t('login.passwordEmpty') }]}
        >
          <PasswordInput autoComplete="current-password" autoFocus={known !== ''} />
        </Form.Item>
        <div className={card.row}>
          <Form.Item name="rememberLogin" valuePropName="checked" noStyle>
            <Checkbox>{t('login.remember')}</Checkbox>
          </Form.Item>
          <Link to={withReturnUrl('/password/forgot', returnUrl)}>{t('login.forgot')}</Link>
        </div>
        <ErrorList errors={errors} />
        <Button type="primary" htmlType="submit" block loading={isLoading || isFetching}>
          {t('login.submit')}
        </Button>
      </Form>
      {secondStep && (
        <Suspense>
          <VerificationDialog
            {...secondStep}
            returnUrl={returnUrl}
            onClose={closeSecondStep}
            onVerified={async () => {
              closeSecondStep();
              await goOn();
            }}
            onExpired={(expired) => {
              closeSecondStep();
              onErrors(expired);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
