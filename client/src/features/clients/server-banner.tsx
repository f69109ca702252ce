import { useTranslation } from 'react-i18next';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { useSettings } from '../../api/settings.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';

/** Explains why clients cannot be changed, or not yet; empty while they can (`spec §8` Server banners). */
export function ServerBanner({ status }: { status: ServerStatus | undefined }) {
  const { t } = useTranslation();
  const { documentation } = useSettings();
  const problem = problemOf(status);
  return (
    <div role="status">
      {problem && (
        <Banner tone={problem === 'loading' ? 'info' : 'warning'}>
          <span>{t(`clients.banner.${problem}`)}</span>{' '}
          {problem === 'disconnected' && documentation.fhirServer && (
            <NewTabLink href={documentation.fhirServer}>{t('serverState.setupInstructions')}</NewTabLink>
          )}
        </Banner>
      )}
    </div>
  );
}

function problemOf(status: ServerStatus | undefined): 'disconnected' | 'lost' | 'loading' | null {
  if (!status) return null;
  if (!status.isFirelyServerAvailable) return status.isAllDataLoaded ? 'lost' : 'disconnected';
  return status.isAllDataLoaded ? null : 'loading';
}
