import './words/en.js';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../api/settings.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import styles from './two-factor.module.css';

/** Whom a user contacts who has lost all second factors: the configured help desk, or else the organization. */
export function HelpDeskContact() {
  const { t } = useTranslation();
  const { helpDesk, organizationTitle } = useSettings();
  const organization = isolateName(organizationTitle ?? t('product.name'));
  if (!helpDesk) return <p className={styles.contactText}>{t('lostFactor.noHelpDesk', { organization })}</p>;
  const { phone, email, page, hours } = helpDesk;
  return (
    <>
      <p className={styles.contactText}>{t('lostFactor.helpDesk', { organization })}</p>
      <dl className={styles.contact}>
        {phone && (
          <div>
            <dt>{t('lostFactor.phone')}</dt>
            <dd>
              <a href={`tel:${phone.replace(/[^+\d]/g, '')}`} className="target">
                <bdi>{phone}</bdi>
              </a>
            </dd>
          </div>
        )}
        {email && (
          <div>
            <dt>{t('lostFactor.email')}</dt>
            <dd>
              <a href={`mailto:${email}`} className="target">
                <bdi>{email}</bdi>
              </a>
            </dd>
          </div>
        )}
        {page && (
          <div>
            <dt>{t('lostFactor.page')}</dt>
            <dd>
              <NewTabLink href={page}>{new URL(page).host}</NewTabLink>
            </dd>
          </div>
        )}
        {hours && (
          <div>
            <dt>{t('lostFactor.hours')}</dt>
            <dd>{hours}</dd>
          </div>
        )}
      </dl>
    </>
  );
}
