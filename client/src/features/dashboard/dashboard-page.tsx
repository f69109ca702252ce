import { useTranslation } from 'react-i18next';
import { useDashboardCountsQuery } from '../../api/dashboard.js';
import { useSettings } from '../../api/settings.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Actions } from './actions.js';
import { Overview } from './overview.js';
import { SetupCard } from './setup-card.js';

/** The administrators' home page: open set-up steps, counts, and next actions. */
export function DashboardPage() {
  const { t } = useTranslation();
  const { adminAccountIsConfigured } = useSettings();
  const {
    data: counts,
    isError,
    isFetching,
    refetch,
  } = useDashboardCountsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  });
  const slow = useSlow(isFetching && !counts);
  const complete = adminAccountIsConfigured && counts && counts.numberOfUsers > 0 && counts.numberOfClients > 0;
  return (
    <>
      <PageTitle>{t('dashboard.title')}</PageTitle>
      {counts && !complete && <SetupCard counts={counts} />}
      {!counts && isError && !isFetching ? (
        <LoadFailed onRetry={refetch} />
      ) : (
        (counts || slow) && <Overview counts={counts} />
      )}
      <Actions />
    </>
  );
}
