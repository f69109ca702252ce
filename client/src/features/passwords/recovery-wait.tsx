import { ClockCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { LinkProof } from '../../../../src/contract/users/account.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { useBeginRecoveryMutation } from '../../api/users/recovery.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { longMoment } from '../../shared/i18n/dates.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { useFocusOnTitle } from '../../shared/ui/layout/page-title.js';
import { HelpDeskContact } from '../two-factor/help-desk-contact.js';
import styles from './passwords.module.css';

/** The way back for a user who has neither code nor passkey: to wait. */
export function RecoveryWait({ link, proof }: { link: MailedLink; proof: LinkProof }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [begin, { isLoading, data }] = useBeginRecoveryMutation();
  const [errors, setErrors] = useState<string[]>([]);
  useFocusOnTitle(data !== undefined);
  const readyAt = data?.readyAt ?? proof.readyAt;

  const submit = async () => {
    setErrors([]);
    const { error } = await begin(link);
    if (error) setErrors(formErrors(error).form);
  };

  if (readyAt !== null) {
    return (
      <>
        <p className={card.notice} role="status">
          <ClockCircleOutlined aria-hidden />
          <span>{t('choosePassword.wait.running', { at: longMoment(readyAt) })}</span>
        </p>
        <Button block onClick={() => navigate('/login')}>
          {t('common.goToLogin')}
        </Button>
      </>
    );
  }
  return (
    <>
      <p className={styles.wait}>{t('choosePassword.wait.lead', { count: proof.waitHours })}</p>
      {proof.authenticator && (
        <p className={styles.wait}>
          {t(proof.waitEndsTwoFactor ? 'choosePassword.wait.endsTwoFactor' : 'choosePassword.wait.keepsTwoFactor')}
        </p>
      )}
      <ErrorList errors={errors} />
      <Button type="primary" block loading={isLoading} onClick={submit}>
        {t('choosePassword.wait.submit', { count: proof.waitHours })}
      </Button>
      <div className={styles.desk}>
        <HelpDeskContact />
      </div>
    </>
  );
}
