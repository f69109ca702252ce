import { Button, Checkbox, Form, Input } from 'antd';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import type { LoginOptions } from '../../../../src/contract/session.js';
import { useSettings } from '../../api/settings.js';
import { withReturnUrl } from '../../shared/addresses/return-url.js';
import { takeOverPassword } from '../../shared/browser/chosen-password.js';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import { hasUsedPasskey } from '../../shared/browser/visit.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PasswordInput } from '../../shared/ui/forms/password-input.js';
import { PasskeySignIn } from '../passkeys/passkey-sign-in.js';
import { type SignInFields, useLocalSignIn } from './use-local-sign-in.js';

/** Most people have no second factor. */
const VerificationDialog = lazy(() =>
  import('../two-factor/verification-dialog.js').then((m) => ({ default: m.VerificationDialog })),
);

/**
 * Local sign-in, with its second step. Once it succeeds the routing rules see the new session and move the browser on.
 */
export function LoginForm({
  options,
  returnUrl,
  errors,
  onErrors,
  onInitializing,
  onOffer,
}: {
  options: LoginOptions;
  returnUrl: string | null;
  errors: string[];
  onErrors: (errors: string[]) => void;
  onInitializing: () => void;
  /** A passkey is to be offered, then `goOn` continues. */
  onOffer: (goOn: () => unknown) => void;
}) {
  const { t } = useTranslation();
  // The address of a user who has just chosen a password is known.
  const chosen = (useLocation().state as { email?: string } | null)?.email;
  const known = options.loginHint ?? chosen ?? '';
  const { submit, busy, secondStep, closeSecondStep, goOn, goOnOrOffer, toKeepPage } = useLocalSignIn(
    returnUrl,
    onErrors,
    onInitializing,
    onOffer,
  );
  const [takenOver] = useState(() => takeOverPassword(chosen));
  const signsIn = useRef(takenOver !== null);
  useEffect(() => {
    if (!takenOver || !signsIn.current) return;
    signsIn.current = false;
    void submit({ username: takenOver.email, password: takenOver.password, rememberLogin: false });
  });
  const withPasskeys = useSettings().passkeysAllowed && supportsPasskeys();

  return (
    <>
      {withPasskeys && (
        <PasskeySignIn
          returnUrl={returnUrl}
          onErrors={onErrors}
          onSignedIn={(keepPage) => (keepPage === undefined ? goOn() : toKeepPage(keepPage))}
        />
      )}
      <Form<SignInFields>
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
            autoComplete={withPasskeys ? 'username webauthn' : 'username'}
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
        <Button type={withPasskeys && hasUsedPasskey() ? 'default' : 'primary'} htmlType="submit" block loading={busy}>
          {t('login.submit')}
        </Button>
      </Form>
      {secondStep && (
        <Suspense>
          <VerificationDialog
            {...secondStep}
            returnUrl={returnUrl}
            onClose={closeSecondStep}
            onVerified={async (keepPage) => {
              closeSecondStep();
              await (keepPage === undefined ? goOnOrOffer() : toKeepPage(keepPage));
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
