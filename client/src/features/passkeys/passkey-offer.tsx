import './words/en.js';
import { LockOutlined, SafetyCertificateOutlined, ThunderboltOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { passkeyOffers } from '../../../../src/contract/rules/users/passkeys.js';
import { useSettings } from '../../api/settings.js';
import { usePutOffPasskeyMutation } from '../../api/users/passkeys.js';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { amount } from '../../shared/i18n/language.js';
import { notify } from '../../shared/notices.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { QuietStatus } from '../../shared/ui/forms/quiet-status.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { PasskeyIcon } from './passkey-icon.js';
import styles from './passkeys.module.css';
import { useNewPasskey } from './use-new-passkey.js';

/**
 * Offers a passkey after a sign-in with a password, or asks for one where the portal requires it. What the user
 * answers, the sign-in continues.
 */
export function PasskeyOffer({ app, onDone }: { app: string | undefined; onDone: () => unknown }) {
  const { t } = useTranslation();
  const { organizationTitle, passkeysRequired } = useSettings();
  const { make, busy, stopped } = useNewPasskey();
  const [putOff, { isLoading }] = usePutOffPasskeyMutation();
  const [errors, setErrors] = useState<string[]>([]);

  const create = async () => {
    setErrors([]);
    const result = await make();
    if (result === 'stopped') return;
    // There is no field for the password, which the page has just had.
    if (result !== 'done')
      return setErrors('currentPassword' in result.fields ? [t('passkeys.offer.late')] : result.form);
    notify('success', t('passkeys.added'));
    await onDone();
  };
  const later = async () => {
    // It is asked again next time if this is lost.
    await putOff();
    await onDone();
  };

  const organization = isolateName(organizationTitle ?? t('product.name'));
  const words = passkeysRequired ? 'required' : 'offer';
  const canMake = supportsPasskeys();
  return (
    <>
      <span className={styles.mark}>
        <PasskeyIcon />
      </span>
      <PageTitle className={card.title}>{t(`passkeys.${words}.title`)}</PageTitle>
      <p className={card.lead}>{t(`passkeys.${words}.lead`, { organization })}</p>
      <ul className={styles.reasons}>
        <Reason icon={<ThunderboltOutlined aria-hidden />} title={t('passkeys.offer.touch')}>
          {t('passkeys.offer.touchText')}
        </Reason>
        <Reason icon={<SafetyCertificateOutlined aria-hidden />} title={t('passkeys.offer.safe')}>
          {t('passkeys.offer.safeText', { organization })}
        </Reason>
        <Reason icon={<LockOutlined aria-hidden />} title={t('passkeys.offer.yours')}>
          {t('passkeys.offer.yoursText')}
        </Reason>
      </ul>
      {app && <p className={styles.next}>{t('passkeys.offer.next', { app: isolateName(app) })}</p>}
      {passkeysRequired && (
        <p className={styles.next}>{t(canMake ? 'passkeys.required.elsewhere' : 'passkeys.required.unsupported')}</p>
      )}
      <ErrorList errors={errors} />
      <div className={styles.answers}>
        {canMake && (
          <Button type="primary" block loading={busy} onClick={create}>
            {t('passkeys.offer.create')}
          </Button>
        )}
        <QuietStatus>{stopped && t('passkeys.stopped')}</QuietStatus>
        <Button block loading={isLoading} disabled={busy} onClick={later}>
          {t(`passkeys.${words}.later`)}
        </Button>
      </div>
      <p className={styles.again}>
        {t(`passkeys.${words}.again`, { duration: amount(passkeyOffers.pauseDays, 'day') })}
      </p>
    </>
  );
}

function Reason({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <li>
      {icon}
      <span>
        <span className={styles.reason}>{title}</span>
        <span className={styles.text}>{children}</span>
      </span>
    </li>
  );
}
