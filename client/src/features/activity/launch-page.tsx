import { RightOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router-dom';
import type { LaunchView } from '../../../../src/contract/activity.js';
import { useLaunchQuery } from '../../api/activity.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { appName, moment, Outcome, shortDuration } from '../../shared/launches/launch-facts.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { ForDeveloper } from './for-developer.js';
import styles from './launch-page.module.css';
import { Timeline } from './timeline.js';
import { clientAddress, WhatToChange } from './what-to-change.js';
import './words/en.js';
import '../../shared/launches/words/en.js';
import '../../shared/addresses/words/en.js';

/** Pause between two looks at a launch that is under way. */
const pollingInterval = 5000;

/** One launch: what happened step by step, what decided, and what to change. */
export function LaunchPage() {
  const { reference = '' } = useParams();
  const { t } = useTranslation();
  const { data, currentData, error, isFetching, refetch } = useLaunchQuery(reference);
  const launch = currentData;
  const isOpen = data?.outcome === 'open';
  useLaunchQuery(reference, { skip: !isOpen, pollingInterval, skipPollingIfUnfocused: true });
  const slow = useSlow(isFetching && !launch);
  const status = (error as { status?: unknown } | undefined)?.status;
  const isUnknown = !launch && (status === 404 || status === 400);
  return (
    <div data-width="wide">
      <nav className={styles.path} aria-label={t('activity.path')}>
        <ol>
          <li>
            <Link className="target" to="/admin/activity">
              {t('activity.title')}
            </Link>
          </li>
          <li aria-current="page">
            <RightOutlined aria-hidden /> <bdi>{launch?.reference ?? reference}</bdi>
          </li>
        </ol>
      </nav>
      {launch ? (
        <Launch launch={launch} />
      ) : isUnknown ? (
        <section className={`${cardStyles.card} ${styles.unknown}`}>
          <PageTitle>{t('activity.unknownTitle')}</PageTitle>
          <p role="status">{formErrors(error).form.join(' ') || t('activity.unknownText', { reference })}</p>
          <Link className="target" to="/admin/activity">
            {t('activity.toList')}
          </Link>
        </section>
      ) : error && !isFetching ? (
        <LoadFailed heading="h1" onRetry={refetch} />
      ) : (
        slow && <Loading />
      )}
    </div>
  );
}

function Launch({ launch }: { launch: LaunchView }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { day, time } = moment(launch.startedAt);
  const { clientRecordId, person, sameCause, decision, client } = launch;
  return (
    <>
      <div className={styles.head}>
        <PageTitle className={styles.title}>
          <bdi>{appName(launch)}</bdi>
        </PageTitle>
        <Outcome {...launch} />
        <p className={`parts ${styles.when}`}>
          <span>{t('activity.when', { moment: `${day}, ${time}`, duration: shortDuration(launch.tookMs) })}</span>
          {person && (
            <span>
              <bdi>{person.name ?? t('activity.deletedPerson')}</bdi>
            </span>
          )}
        </p>
        {clientRecordId && (
          <Button className={styles.open} onClick={() => navigate(clientAddress(clientRecordId))}>
            {t('activity.openClient')}
          </Button>
        )}
      </div>
      <div className={styles.columns}>
        <Timeline launch={launch} />
        <div className={styles.side}>
          <WhatToChange launch={launch} />
          <ForDeveloper text={launch.forDeveloper} />
          <Link className="target" to={`/admin/audit?${new URLSearchParams({ launch: launch.reference })}`}>
            {t('activity.auditEvents')}
          </Link>
          {decision && client && sameCause > 0 && (
            <section className={`${cardStyles.card} ${styles.same}`} aria-labelledby="same-cause">
              <h2 id="same-cause">{t('activity.sameCause')}</h2>
              <Link
                className="target"
                to={`/admin/activity?${new URLSearchParams({ clientId: client.id, cause: decision.code, period: 'week' })}`}
              >
                {t('activity.launches', { count: sameCause })}
              </Link>
            </section>
          )}
        </div>
      </div>
    </>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <>
      <span className="visually-hidden">{t('common.loading')}</span>
      <div className={styles.head}>
        <Skeleton width={220} height={28} />
      </div>
      <div className={styles.columns}>
        <div className={`${cardStyles.card} ${styles.card} ${styles.timelineCard}`}>
          {[52, 40, 60, 44, 56, 48].map((width) => (
            <p key={width} className={styles.bone}>
              <Skeleton width={`${width}%`} height={12} />
            </p>
          ))}
        </div>
        <div className={styles.side}>
          <div className={`${cardStyles.card} ${styles.card}`}>
            <Skeleton width="80%" height={12} />
          </div>
        </div>
      </div>
    </>
  );
}
