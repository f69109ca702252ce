import './words/en.js';
import { Button, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { fulfilsPasswordRules } from '../../../../src/contract/rules/users/password.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useLazySessionQuery, useLoginMutation } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { useCreateInitialAdminMutation } from '../../api/users/users.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { EmailField } from '../../shared/ui/forms/email-field.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PasswordChecklist } from '../../shared/ui/forms/password-checklist.js';
import { PasswordInput } from '../../shared/ui/forms/password-input.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';

interface Fields {
  Email: string;
  Password: string;
  SetupToken?: string;
}

const fieldNames = ['Email', 'Password', 'SetupToken'] as const;

/** The first account, which manages everything else; there is one race for it, and the server decides it. */
export function RegisterPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const { adminAccountIsConfigured, passwordSettings, setupTokenRequired } = useSettings();
  const [form] = Form.useForm<Fields>();
  const password = Form.useWatch('Password', form) ?? '';
  const refusal = useRefusal(form);
  const [create, { isLoading: isCreating, isSuccess, error }] = useCreateInitialAdminMutation();
  const [login, { isLoading: isSigningIn }] = useLoginMutation();
  const [loadSession, { isFetching }] = useLazySessionQuery();
  const isLoading = isCreating || isSigningIn || isFetching;

  const refused = error && 'status' in error && error.status === 403;
  const exists = refused || (adminAccountIsConfigured && !isLoading && !isSuccess);

  const submit = async (fields: Fields) => {
    refusal.clear();
    const result = await create({ ...fields, Email: fields.Email.trim() });
    if (!result.error) return signIn(fields);
    if ('status' in result.error && result.error.status === 403) return;
    const { first } = refusal.show(result.error, fieldNames);
    if (first) form.scrollToField(first, { focus: true });
  };

  /** The sign-in page is for what can keep a new account from signing in, such as a FHIR server that is starting. */
  const signIn = async ({ Email, Password }: Fields) => {
    const result = await login({ username: Email.trim(), password: Password, rememberLogin: false, returnUrl: null });
    if (result.error) return navigate('/login');
    await loadSession();
  };

  return (
    <>
      <PageTitle className={card.title}>{t('register.title')}</PageTitle>
      <p className={card.lead}>{t('register.lead')}</p>
      <Form<Fields>
        form={form}
        layout="vertical"
        initialValues={{ SetupToken: query.get('setup') ?? '' }}
        onFinish={submit}
        scrollToFirstError={{ focus: true }}
        noValidate
      >
        {setupTokenRequired && <SetupToken />}
        <EmailField name="Email" label={t('common.email')} autoComplete="username" />
        <Form.Item name="Password" label={t('common.password')} required>
          <PasswordInput autoComplete="new-password" />
        </Form.Item>
        <PasswordChecklist password={password} settings={passwordSettings} />
        <ErrorList errors={refusal.errors} />
        <Button
          type="primary"
          htmlType="submit"
          block
          loading={isLoading}
          disabled={!fulfilsPasswordRules(password, passwordSettings)}
        >
          {t('register.submit')}
        </Button>
      </Form>
      {query.has('firstVisit') && (
        <Button type="text" block className={card.below} onClick={() => navigate('/welcome')}>
          {t('common.goBack')}
        </Button>
      )}
      <ExistsDialog open={Boolean(exists)} />
    </>
  );
}

/** Proves access to the installation: it is in its log. */
function SetupToken() {
  const { t } = useTranslation();
  return (
    <Form.Item
      name="SetupToken"
      label={t('register.setupToken')}
      extra={t('register.setupTokenHelp')}
      rules={[{ required: true, message: t('register.setupTokenEmpty') }]}
    >
      <Input autoComplete="off" autoCapitalize="none" spellCheck={false} />
    </Form.Item>
  );
}

function ExistsDialog({ open }: { open: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Dialog
      open={open}
      title={t('register.existsTitle')}
      actions={
        <Button type="primary" onClick={() => navigate('/login')}>
          {t('common.goToLogin')}
        </Button>
      }
    >
      {t('register.existsText')}
    </Dialog>
  );
}
