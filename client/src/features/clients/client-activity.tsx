import { CheckOutlined, WarningFilled } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { ClientActivity, LaunchRow } from '../../../../src/contract/activity.js';
import type { ClientView } from '../../../../src/contract/clients/clients.js';
import { useClientActivityQuery } from '../../api/activity.js';
import { longDate, longMoment } from '../../shared/i18n/dates.js';
import { numeral } from '../../shared/i18n/language.js';
import { moment, Outcome } from '../../shared/launches/launch-facts.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { CopyButton } from '../../shared/ui/text/copy-button.js';
import { Fact, FactSection, Facts } from '../../shared/ui/text/facts.js';
import styles from './client-activity.module.css';
import sheetStyles from './clients-page.module.css';
import { RotateSecret } from './rotation/rotate-secret.js';
import { Mark } from './secret-marks.js';
import '../../shared/launches/words/en.js';

/**
 * The outcomes of the client's latest launches, and its credentials that need attention, which can be replaced here.
 */
export function ClientActivitySection({ client }: { client: ClientView }) {
  const { t } = useTranslation();
  const { currentData: activity, isError, isFetching, refetch } = useClientActivityQuery(client.id);
  const slow = useSlow(isFetching && !activity);
  const isUnknown = isError && !isFetching && !activity;
  const known = (value: (activity: ClientActivity) => ReactNode) =>
    activity ? value(activity) : slow && <Skeleton width="70%" height={12} />;
  return (
    <FactSection title={t('activity.section')}>
      <Facts>
        <Fact label={t('clients.fields.clientId')}>
          <span className={sheetStyles.copied}>
            <span className={sheetStyles.id}>{client.clientId}</span>
            <CopyButton text={client.clientId} label={t('clients.copyId')} />
          </span>
        </Fact>
        {!isUnknown && (
          <Fact label={t('activity.lastSuccess')}>
            {known(({ lastSuccessAt }) =>
              lastSuccessAt ? longMoment(lastSuccessAt) : <None>{t('activity.never')}</None>,
            )}
          </Fact>
        )}
        {!isUnknown && (
          <Fact label={t('activity.refusals')}>
            {known((activity) => (
              <Refusals {...activity} />
            ))}
          </Fact>
        )}
        {activity !== undefined && activity.emptiedSearches > 0 && (
          <Fact label={t('activity.emptiedSearches')}>{numeral(activity.emptiedSearches)}</Fact>
        )}
        {/* At one place, so that a rotation that is begun meanwhile stays open. */}
        {client.clientSecrets.length > 0 && (
          <Fact label={t('activity.credentials')}>
            {!isUnknown && known((activity) => <Credentials {...activity} />)}
            {!client.managed && <RotateSecret client={client} />}
          </Fact>
        )}
        {activity?.keySets.map((keySet) => (
          <KeySet key={keySet.url} {...keySet} />
        ))}
        {!isUnknown && (
          <Fact label={t('activity.lastLaunches')}>
            {known((activity) => (
              <Launches {...activity} />
            ))}
          </Fact>
        )}
      </Facts>
      {isUnknown && <LoadFailed onRetry={refetch} />}
      <div className="parts">
        <span>
          <Link className="target" to={`/admin/activity?${new URLSearchParams({ clientId: client.clientId })}`}>
            {t('activity.allLaunches')}
          </Link>
        </span>
        <span>
          <Link className="target" to={`/admin/audit?${new URLSearchParams({ clientId: client.clientId })}`}>
            {t('activity.auditEvents')}
          </Link>
        </span>
      </div>
    </FactSection>
  );
}

function None({ children }: { children: ReactNode }) {
  return <span className={styles.none}>{children}</span>;
}

function Refusals({ refusals }: ClientActivity) {
  const { t } = useTranslation();
  if (refusals.length === 0) return <None>{t('activity.noRefusals')}</None>;
  return (
    <ul className={styles.list}>
      {refusals.map(({ cause, decidedBy, count, lastReference }) => (
        <li key={cause}>
          <Link className="target" to={`/admin/activity/${encodeURIComponent(lastReference)}`}>
            {decidedBy}
          </Link>{' '}
          <span className={styles.none}>{t('activity.multiplied', { number: numeral(count) })}</span>
        </li>
      ))}
    </ul>
  );
}

function Credentials({ credentials }: ClientActivity) {
  const { t } = useTranslation();
  if (credentials.length === 0) return <None>{t('activity.credentialsFine')}</None>;
  return (
    <ul className={styles.list}>
      {credentials.map((credential, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no ids, and two can be equal
        <li key={index}>
          <Credential {...credential} />
        </li>
      ))}
    </ul>
  );
}

function KeySet({ url, readable, reason }: ClientActivity['keySets'][number]) {
  const { t } = useTranslation();
  return (
    <Fact label={t('activity.keySet')}>
      {readable ? (
        <>
          <CheckOutlined className={styles.good} aria-hidden /> {t('activity.keySetReadable')}
        </>
      ) : (
        <span className={styles.bad}>
          <WarningFilled aria-hidden /> {t('activity.keySetUnreadable')}
        </span>
      )}
      {reason && <span className={styles.line}>{reason}</span>}
      <span className={styles.address}>{url}</span>
    </Fact>
  );
}

function Launches({ launches }: ClientActivity) {
  const { t } = useTranslation();
  if (launches.length === 0) return <None>{t('activity.noLaunches')}</None>;
  return (
    <ul className={styles.list}>
      {launches.map((launch) => (
        <Launch key={launch.reference} launch={launch} />
      ))}
    </ul>
  );
}

function Launch({ launch }: { launch: LaunchRow }) {
  const { day, time } = moment(launch.startedAt);
  return (
    <li className={styles.launch}>
      <Link className="target" to={`/admin/activity/${encodeURIComponent(launch.reference)}`}>
        {day}, {time}
      </Link>
      <Outcome {...launch} />
      {launch.decidedBy && <span className={styles.line}>{launch.decidedBy}</span>}
    </li>
  );
}

function Credential({ description, type, expires, lastUsed, state }: ClientActivity['credentials'][number]) {
  const { t } = useTranslation();
  const day = (iso: string) => longDate(iso).date;
  return (
    <>
      <Mark state={state}>{t(`clients.secretStates.${state}`)}</Mark>
      <span className={styles.line}>{description ?? type}</span>
      {expires && (
        <span className={styles.line}>
          {t(state === 'expired' ? 'clients.secretExpired' : 'clients.secretExpires', { date: day(expires) })}
        </span>
      )}
      {lastUsed && <span className={styles.line}>{t('clients.secretUsed', { date: day(lastUsed) })}</span>}
    </>
  );
}
