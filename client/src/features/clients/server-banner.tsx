import { ExclamationCircleFilled, InfoCircleFilled } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { useSettings } from '../../api/settings.js';
import { NewTabLink } from '../../shared/ui/new-tab-link.js';
import styles from './clients-page.module.css';

/** Why clients cannot be changed, or not yet; nothing while they can (`spec §8` Server banners). */
export function ServerBanner({ status }: { status: ServerStatus | undefined }) {
  const { t } = useTranslation();
  const { documentation } = useSettings();
  const problem = problemOf(status);
  return (
    <div role="status">
      {problem && (
        <p className={problem === 'loading' ? styles.banner : `${styles.banner} ${styles.warning}`}>
          {problem === 'loading' ? <InfoCircleFilled aria-hidden /> : <ExclamationCircleFilled aria-hidden />}
          <span>
            <span>{t(`clients.banner.${problem}`)}</span>{' '}
            {problem === 'disconnected' && documentation.fhirServer && (
              <NewTabLink href={documentation.fhirServer}>{t('discovery.setupInstructions')}</NewTabLink>
            )}
          </span>
        </p>
      )}
    </div>
  );
}

function problemOf(status: ServerStatus | undefined): 'disconnected' | 'lost' | 'loading' | null {
  if (!status) return null;
  if (!status.isFirelyServerAvailable) return status.isAllDataLoaded ? 'lost' : 'disconnected';
  return status.isAllDataLoaded ? null : 'loading';
}
