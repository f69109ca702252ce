import './words/en.js';
import { InfoCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { formErrors, hasPageOfItsOwn } from '../../api/failures/form-errors.js';
import { useEndRecoveryMutation, useWaitingRecoveryQuery } from '../../api/users/recovery.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { useLink } from '../../shared/addresses/use-link.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { notify } from '../../shared/notices.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { LinkEnded } from './link-ended.js';

/** Ends the recovery of an account, by the link that tells of it. */
export function RecoveryPage() {
  const { t } = useTranslation();
  const { link, forget } = useLink();
  return (
    <>
      <PageTitle className={card.title}>{t('recovery.title')}</PageTitle>
      {link ? (
        <Choice link={link} onDone={forget} />
      ) : (
        <LinkEnded errors={[t('choosePassword.noLink')]} wayOn={{ label: t('common.goToLogin'), page: '/login' }} />
      )}
    </>
  );
}

function Choice({ link, onDone }: { link: MailedLink; onDone: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data, error, refetch } = useWaitingRecoveryQuery(link);
  const [end, { isLoading }] = useEndRecoveryMutation();
  const [errors, setErrors] = useState<string[]>([]);
  const goOn = () => {
    onDone();
    void navigate('/login', { replace: true });
  };

  if (error) {
    const { status } = error as { status?: unknown };
    const problems = formErrors(error).form;
    if (status === 400) {
      return <LinkEnded errors={problems} wayOn={{ label: t('common.goToLogin'), page: '/login' }} />;
    }
    return (
      <div className={card.instead}>
        {status === 429 ? <ErrorList errors={problems} /> : <LoadFailed onRetry={refetch} />}
      </div>
    );
  }
  if (!data) return null;
  if (data.readyAt === null) {
    return (
      <div className={card.instead}>
        <p className={card.notice} role="status">
          <InfoCircleOutlined aria-hidden />
          <span>{t('recovery.ended')}</span>
        </p>
        <Button type="primary" block onClick={goOn}>
          {t('common.goToLogin')}
        </Button>
      </div>
    );
  }

  const submit = async () => {
    setErrors([]);
    const result = await end(link);
    if (hasPageOfItsOwn(result.error)) return;
    if (result.error) return setErrors(formErrors(result.error).form);
    notify('success', t('recovery.done'));
    goOn();
  };

  return (
    <>
      <p className={card.lead}>{t('recovery.lead', { at: longMoment(data.readyAt) })}</p>
      <ErrorList errors={errors} />
      <Button type="primary" block loading={isLoading} onClick={submit}>
        {t('recovery.submit')}
      </Button>
      <Button type="text" block className={card.below} onClick={goOn}>
        {t('recovery.leave')}
      </Button>
    </>
  );
}
