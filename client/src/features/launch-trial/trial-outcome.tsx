import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import type { TrialRead, TrialResult, TrialView } from '../../../../src/contract/clients/launch-trial.js';
import { useTrialQuery } from '../../api/clients/launch-trial.js';
import { isGone } from '../../api/failures/form-errors.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { Outcome } from '../../shared/launches/launch-facts.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { Fact, Facts } from '../../shared/ui/text/facts.js';
import { Decisions } from './decisions.js';
import { clientAddress, Part } from './parts.js';
import styles from './try-launch.module.css';

/** Pause between two looks at a trial that is running. */
const pollingInterval = 1000;

/** The outcome of a trial. */
export function TrialOutcome({ id }: { id: string }) {
  const { data: trial, error, isFetching, refetch } = useTrialQuery(id);
  useTrialQuery(id, { skip: trial?.state !== 'running', pollingInterval });
  const slow = useSlow(isFetching && !trial);
  if (isGone(error)) return <NotFoundPage />;
  if (error && !isFetching) return <LoadFailed heading="h1" onRetry={refetch} />;
  if (trial) return <Outcomes trial={trial} />;
  return slow ? <Skeleton width="60%" /> : null;
}

function Outcomes({ trial }: { trial: TrialView }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { clientName, clientId, clientRecordId, state, result, reference, kind } = trial;
  return (
    <>
      <div className={styles.head}>
        <PageTitle>{t('launchTrial.titleOf', { client: isolateName(clientName || clientId) })}</PageTitle>
        {result && <Outcome state={result.outcome} kind="trial" />}
        <div className={styles.headActions}>
          <Button onClick={() => navigate(clientAddress(clientRecordId))}>{t('launchTrial.toClient')}</Button>
          <Button
            type="primary"
            onClick={() => navigate(`/admin/try-launch?${new URLSearchParams({ client: clientRecordId })}`)}
          >
            {t('launchTrial.again')}
          </Button>
        </div>
        <p className={`parts ${styles.lead}`}>
          <span>{t(`launchTrial.kinds.${kind}`)}</span>
          <span>
            <Link className="target" to={`/admin/activity/${reference}`}>
              {t('launchTrial.activity')} (<bdi>{reference}</bdi>)
            </Link>
          </span>
        </p>
      </div>
      {state !== 'ended' && (
        <div role="status">
          <Banner tone={state === 'running' ? 'info' : 'warning'}>{t(`launchTrial.states.${state}`)}</Banner>
        </div>
      )}
      <div className={styles.cards}>
        <Part title={t('launchTrial.request')} help={t('launchTrial.requestHelp')}>
          <Members values={trial.request} />
        </Part>
        {result && (
          <>
            <Decisions trial={trial} result={result} />
            <Token result={result} />
            <Read read={result.read} />
            {result.limits.length > 0 && (
              <Part title={t('launchTrial.limits')} help={t('launchTrial.limitsHelp')}>
                <ul className={styles.list}>
                  {result.limits.map((limit) => (
                    <li key={limit}>{t(`launchTrial.limit.${limit}`)}</li>
                  ))}
                </ul>
              </Part>
            )}
          </>
        )}
      </div>
    </>
  );
}

function Members({ values }: { values: Record<string, unknown> }) {
  return (
    <Facts>
      {Object.entries(values).map(([name, value]) => (
        <div key={name}>
          <dt>
            <code className={styles.code}>{name}</code>
          </dt>
          <dd>
            <code className={styles.code}>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
          </dd>
        </div>
      ))}
    </Facts>
  );
}

function Token({ result: { accessToken, idToken, response } }: { result: TrialResult }) {
  const { t } = useTranslation();
  if (!accessToken) {
    return (
      <Part title={t('launchTrial.token')}>
        <p>{t('launchTrial.noToken')}</p>
      </Part>
    );
  }
  const { header, claims } = accessToken;
  return (
    <Part title={t('launchTrial.token')} help={t('launchTrial.withheld')}>
      <h3>{t('launchTrial.response')}</h3>
      <Members values={response} />
      {header && (
        <>
          <h3>{t('launchTrial.tokenHeader')}</h3>
          <Members values={header} />
        </>
      )}
      {claims && (
        <>
          <h3>{t('launchTrial.tokenClaims')}</h3>
          <Members values={claims} />
        </>
      )}
      {!claims && <p className={styles.after}>{t('launchTrial.opaque')}</p>}
      {idToken?.claims && (
        <>
          <h3>{t('launchTrial.idTokenClaims')}</h3>
          <Members values={idToken.claims} />
        </>
      )}
    </Part>
  );
}

function Read({ read }: { read: TrialRead }) {
  const { t } = useTranslation();
  if ('none' in read) {
    return (
      <Part title={t('launchTrial.read')}>
        <p>{t(`launchTrial.notRead.${read.none}`)}</p>
      </Part>
    );
  }
  const { target, status, resourceType, count } = read;
  return (
    <Part title={t('launchTrial.read')} help={t('launchTrial.readHelp')}>
      <Facts>
        <Fact label={t('launchTrial.request')}>
          <code className={styles.code}>GET {target}</code>
        </Fact>
        <Fact label={t('launchTrial.status')}>{String(status)}</Fact>
        <Fact label={t('launchTrial.resourceType')}>
          {resourceType === null ? t('launchTrial.unknown') : <code className={styles.code}>{resourceType}</code>}
        </Fact>
        <Fact label={t('launchTrial.count')}>{count === null ? t('launchTrial.unknown') : String(count)}</Fact>
      </Facts>
    </Part>
  );
}
