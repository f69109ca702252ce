import './words/en.js';
import { Button, Form } from 'antd';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { resetLinkMinutes } from '../../../../src/contract/rules/users/password.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useWaitingFlow } from '../../api/flow-app.js';
import { useSettings } from '../../api/settings.js';
import { useForgotPasswordMutation } from '../../api/users/account.js';
import { returnUrlOf, withReturnUrl } from '../../shared/addresses/return-url.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { amount } from '../../shared/i18n/language.js';
import { AppPlace } from '../../shared/ui/flow/app-place.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { EmailField } from '../../shared/ui/forms/email-field.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PageTitle, useFocusOnTitle } from '../../shared/ui/layout/page-title.js';

/** Few portals need it. */
const MailWaits = lazy(async () => ({ default: (await import('./mail-waits.js')).MailWaits }));

interface Fields {
  email: string;
}

/** Asks for a link to choose a new password; the answer is the same whether or not there is such an account. */
export function ForgotPasswordPage() {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const { returnUrl, app } = useWaitingFlow(returnUrlOf(query.toString()));
  const [ask, { isLoading, isSuccess }] = useForgotPasswordMutation();
  useFocusOnTitle(isSuccess);

  const submit = async ({ email }: Fields) => {
    refusal.clear();
    const { error } = await ask({ email: email.trim(), returnUrl });
    if (!error) return;
    refusal.show(error, ['email']);
  };

  return (
    <>
      {returnUrl && app !== null && <AppPlace app={app} />}
      <PageTitle className={card.title}>{t('forgotPassword.title')}</PageTitle>
      {isSuccess ? (
        <div role="status" className={card.lead}>
          <strong>{t('forgotPassword.sent')}</strong>
          {mailWaits ? (
            <Suspense fallback={null}>
              <MailWaits />
            </Suspense>
          ) : (
            <p>{t('forgotPassword.sentHelp', { duration: amount(resetLinkMinutes, 'minute') })}</p>
          )}
          {app && <p>{t('forgotPassword.sentOnTheWay', { client: isolateName(app.clientName) })}</p>}
        </div>
      ) : (
        <>
          <p className={card.lead}>{t('forgotPassword.lead')}</p>
          {mailWaits && (
            <Suspense fallback={null}>
              <MailWaits />
            </Suspense>
          )}
          <Form<Fields>
            form={form}
            layout="vertical"
            requiredMark={false}
            onFinish={submit}
            scrollToFirstError={{ focus: true }}
            noValidate
          >
            <EmailField label={t('common.email')} autoComplete="username" validateTrigger="onSubmit" />
            <ErrorList errors={refusal.errors} />
            <Button type="primary" htmlType="submit" block loading={isLoading}>
              {t('forgotPassword.submit')}
            </Button>
          </Form>
        </>
      )}
      <Button
        type="text"
        block
        className={card.below}
        onClick={() =>
          navigate(withReturnUrl('/login', returnUrlOf(query.toString())), {
            state: isSuccess ? { email: form.getFieldValue('email') } : null,
          })
        }
      >
        {t('common.goBack')}
      </Button>
    </>
  );
}
