import './words/en.js';
import { useTranslation } from 'react-i18next';
import { Banner } from '../../shared/ui/layout/banner.js';
import { HelpDeskContact } from '../two-factor/help-desk-contact.js';
import styles from './passwords.module.css';

/** Without a mail server the link waits for one, so another way is named. */
export function MailWaits() {
  const { t } = useTranslation();
  return (
    <div className={styles.waits}>
      <Banner tone="warning">{t('forgotPassword.mailWaits')}</Banner>
      <HelpDeskContact />
    </div>
  );
}
