import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { useDeletionFactsQuery } from '../../api/own-record/own-data.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { externalSignIn } from '../../shared/addresses/external-sign-in.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import styles from './family.module.css';

/**
 * The proof of the user in a form: the password or a passkey; for a user of another provider the way there and back,
 * once the portal has asked for it.
 */
export function ProofFields({ user, isNeeded }: { user: CurrentUser; isNeeded: boolean }) {
  if (!isNeeded) return null;
  return user.isExternal ? <AtProvider /> : <CurrentPasswordField user={user} takesFocus />;
}

function AtProvider() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { data } = useDeletionFactsQuery(undefined, { refetchOnMountOrArgChange: true });
  if (!data) return null;
  if (!data.provider) return <p className={styles.until}>{t('family.noProvider')}</p>;
  const name = { provider: isolateName(data.provider.displayName) };
  return (
    <>
      <p className={styles.until}>{t('family.confirmAtProvider', name)}</p>
      <Button block href={externalSignIn(data.provider, portalPath(pathname), { confirm: true })}>
        {t('family.confirmAtProviderAction', name)}
      </Button>
    </>
  );
}
