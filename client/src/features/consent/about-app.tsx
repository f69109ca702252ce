import { InfoCircleOutlined, SwapOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { ConsentRequest } from '../../../../src/contract/consent.js';
import { useSettings } from '../../api/settings.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Logo } from '../../shared/ui/marks/brand-mark.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import styles from './consent-page.module.css';

/** The app that asks, and the organization whose data it asks for. */
export function AppHead({ request }: { request: ConsentRequest }) {
  const { t } = useTranslation();
  const settings = useSettings();
  return (
    <>
      <div className={styles.parties} aria-hidden="true">
        <Monogram name={request.clientName} size={52} />
        <SwapOutlined className={styles.swap} />
        <Logo settings={settings} size={52} />
      </div>
      <PageTitle className={styles.title}>{t('consent.title', { client: isolateName(request.clientName) })}</PageTitle>
      <p className={styles.lead}>{t('consent.lead')}</p>
      <AboutApp request={request} />
    </>
  );
}

/** The app's host and policies, so that the user can recognise it. */
function AboutApp({ request }: { request: ConsentRequest }) {
  const { t } = useTranslation();
  const {
    redirectHost,
    firstTime,
    leftOutBefore,
    legalCompanyName,
    contactUsUrl,
    privacyPolicyUrl,
    termsOfServiceUrl,
  } = request;
  return (
    <ul className={styles.about}>
      {firstTime && (
        <li className={styles.firstTime}>
          <InfoCircleOutlined aria-hidden /> {t('consent.firstTime')}
        </li>
      )}
      {leftOutBefore.length > 0 && (
        <li className={styles.firstTime}>
          <InfoCircleOutlined aria-hidden /> {t('consent.filledIn')}
        </li>
      )}
      {legalCompanyName && <li>{legalCompanyName}</li>}
      <li>{t('consent.returnsTo', { host: redirectHost })}</li>
      {(contactUsUrl || privacyPolicyUrl || termsOfServiceUrl) && (
        <li className={styles.legal}>
          {contactUsUrl && <NewTabLink href={contactUsUrl}>{t('consent.contact')}</NewTabLink>}
          {privacyPolicyUrl && <NewTabLink href={privacyPolicyUrl}>{t('consent.privacyPolicy')}</NewTabLink>}
          {termsOfServiceUrl && <NewTabLink href={termsOfServiceUrl}>{t('consent.termsOfService')}</NewTabLink>}
        </li>
      )}
    </ul>
  );
}
