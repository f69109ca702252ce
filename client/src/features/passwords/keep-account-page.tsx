import './words/en.js';
import { InfoCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { formErrors, hasPageOfItsOwn } from '../../api/failures/form-errors.js';
import { useWaitingFlow } from '../../api/flow-app.js';
import { useKeepAccountMutation, usePendingDeletionQuery } from '../../api/own-record/own-data.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { knownReturnUrl, returnUrlOf, withReturnUrl } from '../../shared/addresses/return-url.js';
import { useLink } from '../../shared/addresses/use-link.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { notify } from '../../shared/notices.js';
import { AppPlace } from '../../shared/ui/flow/app-place.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { LinkEnded } from './link-ended.js';

/** Keeps an account whose user has requested its deletion: by a link that came by mail, or after a sign-in. */
export function KeepAccountPage() {
  const { t } = useTranslation();
  const { search } = useLocation();
  // The address bar loses it together with the link.
  const [returnUrl] = useState(() => knownReturnUrl(returnUrlOf(search), window.location.origin)?.address ?? null);
  const { link, forget } = useLink();
  const flow = useWaitingFlow(returnUrl);
  return (
    <>
      {flow.app && <AppPlace app={flow.app} />}
      <PageTitle className={card.title}>{t('keepAccount.title')}</PageTitle>
      {link ? (
        <Choice link={link} returnUrl={returnUrl} onDone={forget} />
      ) : (
        <LinkEnded errors={[t('choosePassword.noLink')]} wayOn={{ label: t('common.goToLogin'), page: '/login' }} />
      )}
    </>
  );
}

interface OfLink {
  link: MailedLink;
  returnUrl: string | null;
  onDone: () => void;
}

function Choice({ link, returnUrl, onDone }: OfLink) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data, error, refetch } = usePendingDeletionQuery(link);
  const [keep, { isLoading }] = useKeepAccountMutation();
  const [errors, setErrors] = useState<string[]>([]);
  const wayOn = { label: t('common.goToLogin'), page: '/login' } as const;

  if (error) {
    const { status } = error as { status?: unknown };
    const problems = formErrors(error).form;
    if (status === 400) return <LinkEnded errors={problems} wayOn={wayOn} />;
    return (
      <div className={card.instead}>
        {status === 429 ? <ErrorList errors={problems} /> : <LoadFailed onRetry={refetch} />}
      </div>
    );
  }
  if (!data) return null;

  const goOn = () => {
    onDone();
    void navigate(withReturnUrl('/login', returnUrl), { replace: true });
  };
  if (data.deletedOn === null) {
    return (
      <div className={card.instead}>
        <p className={card.notice} role="status">
          <InfoCircleOutlined aria-hidden />
          <span>{t('keepAccount.kept')}</span>
        </p>
        <Button type="primary" block onClick={goOn}>
          {t('common.goToLogin')}
        </Button>
      </div>
    );
  }
  const at = longMoment(data.deletedOn);

  const submit = async () => {
    setErrors([]);
    const result = await keep(link);
    if (hasPageOfItsOwn(result.error)) return;
    if (result.error) return setErrors(formErrors(result.error).form);
    notify('success', t('keepAccount.done'));
    goOn();
  };
  const letGo = () => {
    onDone();
    notify('success', t('keepAccount.left', { at }));
    void navigate('/login?deleted=later', { replace: true });
  };

  return (
    <>
      <p className={card.lead}>{t('keepAccount.lead', { at })}</p>
      <ErrorList errors={errors} />
      <Button type="primary" block loading={isLoading} onClick={submit}>
        {t('keepAccount.submit')}
      </Button>
      <Button type="text" block className={card.below} onClick={letGo}>
        {t('keepAccount.leave')}
      </Button>
    </>
  );
}
