import { CheckOutlined, WarningFilled } from '@ant-design/icons';
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
import { Fact, FactSection, Facts } from '../../shared/ui/text/facts.js';
import styles from './client-activity.module.css';
import { Mark } from './secret-marks.js';
import '../../shared/launches/words/en.js';

/** The outcomes of the client's latest launches, and its credentials that need attention. */
export function ClientActivitySection({ client }: { client: ClientView }) {
  const { t } = useTranslation();
  const { currentData: activity, isError, isFetching, refetch } = useClientActivityQuery(client.id);
  const slow = useSlow(isFetching && !activity);
  return (
    <FactSection title={t('activity.section')}>
      {activity ? (
        <Known activity={activity} clientId={client.clientId} />
      ) : isError && !isFetching ? (
        <LoadFailed onRetry={refetch} />
      ) : (
        slow && <Skeleton width="70%" height={12} />
      )}
    </FactSection>
  );
}

function Known({ activity, clientId }: { activity: ClientActivity; clientId: string }) {
  const { t } = useTranslation();
  const { launches, lastSuccessAt, refusals, credentials, keySets } = activity;
  const none = (text: string) => <span className={styles.none}>{text}</span>;
  return (
    <>
      <Facts>
        <Fact label={t('activity.lastSuccess')}>
          {lastSuccessAt ? longMoment(lastSuccessAt) : none(t('activity.never'))}
        </Fact>
        <Fact label={t('activity.lastLaunches')}>
          {launches.length === 0 ? (
            none(t('activity.noLaunches'))
          ) : (
            <ul className={styles.list}>
              {launches.map((launch) => (
                <Launch key={launch.reference} launch={launch} />
              ))}
            </ul>
          )}
        </Fact>
        <Fact label={t('activity.refusals')}>
          {refusals.length === 0 ? (
            none(t('activity.noRefusals'))
          ) : (
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
          )}
        </Fact>
        <Fact label={t('activity.credentials')}>
          {credentials.length === 0 ? (
            none(t('activity.credentialsFine'))
          ) : (
            <ul className={styles.list}>
              {credentials.map((credential, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they have no ids, and two can be equal
                <li key={index}>
                  <Credential {...credential} />
                </li>
              ))}
            </ul>
          )}
        </Fact>
        {keySets.map(({ url, readable, reason }) => (
          <Fact key={url} label={t('activity.keySet')}>
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
        ))}
      </Facts>
      <div className="parts">
        <span>
          <Link className="target" to={`/admin/activity?${new URLSearchParams({ clientId })}`}>
            {t('activity.allLaunches')}
          </Link>
        </span>
        <span>
          <Link className="target" to={`/admin/audit?${new URLSearchParams({ clientId })}`}>
            {t('activity.auditEvents')}
          </Link>
        </span>
      </div>
    </>
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
