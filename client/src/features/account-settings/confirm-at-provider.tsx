import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import type { DeletionFacts } from '../../../../src/contract/own-record/own-data.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { externalSignIn } from '../../shared/addresses/external-sign-in.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import styles from './account-settings.module.css';

/**
 * The way to the provider, at which a user without a password confirms that it is them, and back to what they began.
 */
export function ConfirmAtProvider({ provider, open }: { provider: DeletionFacts['provider']; open: string }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  if (!provider) return <p className={styles.lead}>{t('ownData.noProvider')}</p>;
  const name = { provider: isolateName(provider.displayName) };
  return (
    <>
      <p className={styles.lead}>{t('ownData.confirmHelp', name)}</p>
      <Button
        type="primary"
        block
        href={externalSignIn(provider, `${portalPath(pathname)}${open && `?open=${open}`}`, { confirm: true })}
      >
        {t('ownData.confirmAction', name)}
      </Button>
    </>
  );
}
