import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ClientGrant } from '../../../../src/contract/own-record/grants.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import { appName } from './app-card.js';
import styles from './grants-page.module.css';

/** The organization behind an app. */
export function AppInfoDialog({ grant, onClose }: { grant: ClientGrant; onClose: () => void }) {
  const { t } = useTranslation();
  const link = (url: string | null) => url && <NewTabLink href={url}>{url}</NewTabLink>;
  const facts = [
    [t('grants.description'), grant.clientDescription],
    [t('grants.company'), grant.legalCompanyName],
    [t('grants.contact'), link(grant.contactUsUrl)],
    [t('grants.privacy'), link(grant.privacyPolicyUrl)],
    [t('grants.terms'), link(grant.termsOfServiceUrl)],
  ] as const;
  return (
    <Dialog
      open
      title={appName(grant)}
      onClose={onClose}
      actions={
        <Button type="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      <dl className={styles.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value || t('common.noValue')}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
