import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientGrant } from '../../../../src/contract/own-record/grants.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import { Sheet } from '../../shared/ui/overlays/sheet.js';
import { AgreedDisclaimers } from './agreed-disclaimers.js';
import { appName } from './app-card.js';
import styles from './grants-page.module.css';
import { PermissionList } from './permission-list.js';
import { TakeBackDialog } from './take-back-dialog.js';

export interface PermissionsSheetProps {
  grant: ClientGrant;
  open: boolean;
  busy: boolean;
  onClose: () => void;
  /** Called when the app had no access. */
  onGone: () => void;
  onRevokeDisclaimers: () => Promise<string[]>;
}

/** The permissions of an app, and the button that ends them. */
export function PermissionsSheet({ grant, open, busy, onClose, onGone, onRevokeDisclaimers }: PermissionsSheetProps) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const client = appName(grant);
  const hasPermissions = grant.apiGrantData.length + grant.identityScopes.length > 0;
  return (
    <Sheet
      open={open}
      onClose={onClose}
      caption={t('grants.panelCaption')}
      title={
        <>
          <Monogram name={client} size={48} />
          <span className={styles.whole}>
            <bdi>{client}</bdi>
            {grant.patient && (
              <span className={styles.forPatient}>
                {t('grants.forPatient', { patient: isolateName(grant.patient.name) })}
              </span>
            )}
          </span>
        </>
      }
    >
      <h2 className={styles.section}>{t('grants.permissions')}</h2>
      <div className={cardStyles.card}>
        <PermissionList grant={grant} onGone={onGone} />
        {hasPermissions && (
          <Button type="text" danger block className={styles.revoke} onClick={() => setAsking(true)}>
            {t('grants.revoke')}
          </Button>
        )}
      </div>
      {grant.disclaimers.length > 0 && (
        <>
          <h2 className={`${styles.section} ${styles.agreed}`}>{t('grants.disclaimers')}</h2>
          <AgreedDisclaimers
            disclaimers={grant.disclaimers}
            question={t('grants.revokeDisclaimersTitle', { client: isolateName(client) })}
            busy={busy}
            onRevoke={onRevokeDisclaimers}
          />
        </>
      )}
      <TakeBackDialog grant={grant} open={asking} onClose={() => setAsking(false)} onGone={onGone} />
    </Sheet>
  );
}
