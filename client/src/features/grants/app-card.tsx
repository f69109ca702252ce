import { ClockCircleOutlined, InfoCircleOutlined, PauseCircleOutlined, RightOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { ClientGrant } from '../../../../src/contract/own-record/grants.js';
import { dayAndTime, longDate, longMoment } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import styles from './grants-page.module.css';
import { readText } from './read-text.js';

/** An app without a name goes by its id. */
export const appName = ({ clientName, clientId }: ClientGrant) => clientName || clientId;

/** One app that can use the record. */
export function AppCard({
  grant,
  withLog,
  onView,
  onInfo,
  onPause,
  onTakeBack,
}: {
  grant: ClientGrant;
  withLog: boolean;
  onView: () => void;
  onInfo: () => void;
  /** Pauses it, or resumes it. */
  onPause: () => void;
  onTakeBack: () => void;
}) {
  const { t } = useTranslation();
  // Of several cards of an app the patient tells which one a button belongs to.
  const client = grant.patient
    ? t('grants.appFor', { client: appName(grant), patient: grant.patient.name })
    : appName(grant);
  return (
    <li className={`${cardStyles.card} ${styles.app}`}>
      <div className={styles.appHead}>
        <Monogram name={appName(grant)} size={48} />
        <div className={styles.appWho}>
          <h2 className={styles.appName} title={appName(grant)}>
            <bdi>{appName(grant)}</bdi>
          </h2>
          {grant.patient && (
            <p className={styles.forPatient}>{t('grants.forPatient', { patient: isolateName(grant.patient.name) })}</p>
          )}
          {grant.legalCompanyName && (
            <p className={styles.company}>
              <bdi>{grant.legalCompanyName}</bdi>
            </p>
          )}
        </div>
        <button type="button" className={styles.info} aria-label={t('grants.info', { client })} onClick={onInfo}>
          <InfoCircleOutlined aria-hidden />
        </button>
      </div>
      <dl className={styles.dates}>
        <When label={t('grants.grantedOn')} iso={grant.created} />
        {/* Where nothing is granted, nothing expires. */}
        {hasAccess(grant) && <When label={t('grants.expiresOn')} iso={grant.expires} none={t('grants.noExpiry')} />}
      </dl>
      {!hasAccess(grant) && <p className={styles.offline}>{t('grants.noAccess')}</p>}
      {grant.pausedAt && (
        <p className={styles.offline}>
          <PauseCircleOutlined aria-hidden /> {t('grants.pausedSince', { date: longMoment(grant.pausedAt) })}
        </p>
      )}
      {isOffline(grant) && (
        <p className={styles.offline}>
          <ClockCircleOutlined aria-hidden /> {t('grants.offline')}
        </p>
      )}
      {hasAccess(grant) && <LastRead grant={grant} />}
      {(withLog || grant.patient) && grant.lastRead !== undefined && (
        <Link className={styles.view} to={`/user/access-log?${new URLSearchParams(logOf(grant))}`}>
          {grant.patient
            ? t('grants.seenOf', { client: isolateName(appName(grant)), patient: isolateName(grant.patient.name) })
            : t('grants.seen', { client: isolateName(client) })}{' '}
          <RightOutlined aria-hidden />
        </Link>
      )}
      <button
        type="button"
        data-app={grant.patient ? undefined : grant.clientId}
        className={styles.view}
        aria-label={t('grants.viewOf', { client })}
        onClick={onView}
      >
        {t('grants.view')} <RightOutlined aria-hidden />
      </button>
      {hasAccess(grant) && (
        <button
          type="button"
          className={styles.view}
          aria-label={t(grant.pausedAt ? 'grants.resumeOf' : 'grants.pauseOf', { client })}
          onClick={onPause}
        >
          {t(grant.pausedAt ? 'grants.resume' : 'grants.pause')}
        </button>
      )}
      {hasAccess(grant) && (
        <button
          type="button"
          className={`${styles.view} ${styles.takeBack}`}
          aria-label={t('grants.takeBackOf', { client })}
          onClick={onTakeBack}
        >
          {t('grants.takeBack')}
        </button>
      )}
    </li>
  );
}

/** The log of what the app has seen of this record. */
function logOf({ clientId, patient }: ClientGrant): Record<string, string> {
  const of = patient && { patient: patient.reference, ...(patient.tenant !== null && { tenant: patient.tenant }) };
  return { clientId, ...of, period: 'all' };
}

/** False for an app of which only agreed disclaimers are left. */
const hasAccess = ({ created }: ClientGrant) => created !== null;

/** Reads are known where the gateway is on; elsewhere the last token tells when the app was used. */
function LastRead({ grant }: { grant: ClientGrant }) {
  const { t } = useTranslation();
  const { lastRead, lastUsed, lastReadKinds: kinds, lastReadUnattended: unattended } = grant;
  if (lastRead === undefined && !lastUsed) return null;
  const at = lastRead === undefined ? lastUsed : lastRead;
  return (
    <dl className={styles.lastRead}>
      <dt>{t(lastRead === undefined ? 'grants.lastUsed' : 'grants.lastRead')}</dt>
      <dd>{at ? dayAndTime(at) : t('grants.neverRead')}</dd>
      {lastRead && <dd className={styles.time}>{readText({ kinds, unattended })}</dd>}
    </dl>
  );
}

const isOffline = ({ apiGrantData }: ClientGrant) => apiGrantData.some(({ scope }) => scope === 'offline_access');

/** `none` takes the place of a date that does not exist. */
function When({ label, iso, none }: { label: string; iso: string | null; none?: string | undefined }) {
  const { date, time } = longDate(iso);
  return (
    <div>
      <dt>{label}</dt>
      <dd>{iso ? date : (none ?? date)}</dd>
      {time && <dd className={styles.time}>{time}</dd>}
    </div>
  );
}
