import { FileDoneOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useHref, useLinkClickHandler } from 'react-router-dom';
import type { Path } from '../../../../src/contract/rules/pages.js';
import { useDashboardCountsQuery, useServerStatus } from '../../api/dashboard.js';
import { useFirstStepsQuery } from '../../api/readiness.js';
import { useSettings } from '../../api/settings.js';
import { longDate, longMoment } from '../../shared/i18n/dates.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Actions } from './actions.js';
import { Attention, useFindings } from './attention.js';
import styles from './dashboard-page.module.css';
import { LaunchesPerDay } from './launches-per-day.js';
import { Overview } from './overview.js';
import { SetupCard } from './setup-card.js';
import './words/en.js';

const readiness: Path = '/admin/readiness';

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
  const { data: facts } = useFirstStepsQuery(undefined, { refetchOnMountOrArgChange: true });
  const findings = useFindings();
  const isComing = !counts || !facts || !findings.isKnown;
  // Each card at its place at once, where the answers are quick: one that comes later would move those below.
  const isPlaced = useSlow(isComing) || !isComing;
  const complete = adminAccountIsConfigured && counts && counts.numberOfUsers > 0 && counts.numberOfClients > 0;
  return (
    <>
      <div className={styles.head}>
        <PageTitle>{t('dashboard.title')}</PageTitle>
        <CheckedAt />
        <Button
          icon={<FileDoneOutlined aria-hidden />}
          href={useHref(readiness)}
          onClick={useLinkClickHandler<HTMLElement>(readiness)}
        >
          {t('dashboard.readiness')}
        </Button>
      </div>
      <div className={isPlaced ? undefined : styles.unplaced}>
        <SetupCard counts={counts} facts={facts} complete={!counts || complete === true} />
        <Attention {...findings} />
        <div className={styles.columns}>
          <LaunchesPerDay />
          {!counts && isError && !isFetching ? (
            <LoadFailed onRetry={refetch} />
          ) : (
            (counts || slow) && <Overview counts={counts} />
          )}
        </div>
        <Actions />
      </div>
    </>
  );
}

/** The age of what the page says about the FHIR server, which is not asked again while it is up. */
function CheckedAt() {
  const { t } = useTranslation();
  const at = useServerStatus()?.checkedAt;
  if (!at) return null;
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return (
    <p className={styles.checked}>
      {isToday
        ? t('dashboard.checkedToday', { time: longDate(at).time })
        : t('dashboard.checkedOn', { moment: longMoment(at) })}
    </p>
  );
}
