import './words/en.js';
import { Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { AccountForm, AskForAccountRequest } from '../../../../src/contract/requests/accounts.js';
import { accountLinkHours } from '../../../../src/contract/rules/asker.js';
import { isGone, isRefusedFor } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useAskerFormQuery, useAskForAccountMutation, useOpenAccountMutation } from '../../api/own-record/asker.js';
import { useSettings } from '../../api/settings.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { useLink } from '../../shared/addresses/use-link.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { EmailField } from '../../shared/ui/forms/email-field.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import nativeField from '../../shared/ui/forms/native-field.module.css';
import { PageTitle, useFocusOnTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';

const names = ['fullName', 'email', 'tenant'] as const;

/** How a user without an account begins to ask for a patient: first the address is proven, by the link of a mail. */
export function AskPage() {
  const { t } = useTranslation();
  const { link, forget } = useLink();
  const [isAgain, setAgain] = useState(false);
  const { data, error, isFetching, refetch } = useAskerFormQuery();
  useFocusOnTitle(isAgain);
  const again = () => {
    forget();
    setAgain(true);
  };
  if (link && !isAgain) return <Begin link={link} onDone={forget} onAgain={again} />;
  if (data) return <Ask form={data} />;
  if (isGone(error)) return <Told title={t('asker.closedTitle')} text={t('asker.closedText')} />;
  return error && !isFetching ? <LoadFailed onRetry={refetch} /> : null;
}

function Told({ title, text }: { title: string; text: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useFocusOnTitle(true);
  return (
    <>
      <PageTitle className={card.title}>{title}</PageTitle>
      <p className={card.lead} role="status">
        {text}
      </p>
      <Button block onClick={() => navigate('/login')}>
        {t('common.goToLogin')}
      </Button>
    </>
  );
}

function Ask({ form: { tenants, isTenantRequired } }: { form: AccountForm }) {
  const { t } = useTranslation();
  const { organizationTitle } = useSettings();
  const navigate = useNavigate();
  const [form] = Form.useForm<AskForAccountRequest>();
  const refusal = useRefusal(form);
  const [ask, { isLoading, isSuccess }] = useAskForAccountMutation();
  if (isSuccess) return <Told title={t('asker.sentTitle')} text={t('asker.sentText', { count: accountLinkHours })} />;

  const submit = async (fields: AskForAccountRequest) => {
    refusal.clear();
    const { error } = await ask({ ...fields, email: fields.email.trim() });
    if (error) refusal.show(error, names);
  };
  return (
    <>
      <PageTitle className={card.title}>{t('asker.title')}</PageTitle>
      <p className={card.lead}>{t('asker.lead')}</p>
      <Form form={form} layout="vertical" onFinish={submit} scrollToFirstError={{ focus: true }} noValidate>
        <Form.Item
          name="fullName"
          label={t('asker.name')}
          rules={[{ required: true, whitespace: true, message: t('asker.nameNeeded') }]}
        >
          <Input autoComplete="name" maxLength={200} />
        </Form.Item>
        <EmailField label={t('common.email')} autoComplete="email" />
        {tenants.length > 0 && (
          <Form.Item
            name="tenant"
            label={t('asker.hospital')}
            initialValue=""
            rules={[{ required: isTenantRequired, message: t('asker.hospitalNeeded') }]}
          >
            <select className={nativeField.select}>
              <option value="">{isTenantRequired ? '' : (organizationTitle ?? t('product.name'))}</option>
              {tenants.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </Form.Item>
        )}
        <ErrorList errors={refusal.errors} />
        <Button type="primary" htmlType="submit" block loading={isLoading}>
          {t('asker.submit')}
        </Button>
      </Form>
      <Button type="text" block className={card.below} onClick={() => navigate('/login')}>
        {t('common.goToLogin')}
      </Button>
    </>
  );
}

/** Only the press makes the account: programs that look at mails open links. */
function Begin({ link, onDone, onAgain }: { link: MailedLink; onDone: () => void; onAgain: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refusal = useRefusal(Form.useForm()[0]);
  const [open, { isLoading, error }] = useOpenAccountMutation();
  useFocusOnTitle(isGone(error));
  const begin = async () => {
    refusal.clear();
    const { data, error: failure } = await open(link);
    if (!data) return void refusal.show(failure, []);
    onDone();
    navigate(data.activation);
  };
  if (isRefusedFor(error, 'asker-account-exists')) {
    return <Told title={t('asker.knownTitle')} text={t('asker.knownText')} />;
  }
  if (isGone(error)) {
    return (
      <>
        <PageTitle className={card.title}>{t('asker.endedTitle')}</PageTitle>
        <p className={card.lead}>{t('asker.endedText')}</p>
        <Button type="primary" block onClick={onAgain}>
          {t('asker.again')}
        </Button>
        <Button type="text" block className={card.below} onClick={() => navigate('/login')}>
          {t('common.goToLogin')}
        </Button>
      </>
    );
  }
  return (
    <>
      <PageTitle className={card.title}>{t('asker.openTitle')}</PageTitle>
      <p className={card.lead}>{t('asker.openLead')}</p>
      <ErrorList errors={refusal.errors} />
      <Button type="primary" block loading={isLoading} onClick={begin}>
        {t('asker.open')}
      </Button>
      <Button type="text" block className={card.below} onClick={() => navigate('/login')}>
        {t('common.goToLogin')}
      </Button>
    </>
  );
}
