import { ClockCircleOutlined, InfoCircleOutlined, RightOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { ClientGrant } from '../../../../src/contract/grants.js';
import { longDate } from '../../shared/i18n/dates.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import styles from './grants-page.module.css';

/** An app without a name goes by its id. */
export const appName = ({ clientName, clientId }: ClientGrant) => clientName || clientId;

/** One app that can use the record. */
export function AppCard({
  grant,
  withLog,
  onView,
  onInfo,
  onTakeBack,
}: {
  grant: ClientGrant;
  withLog: boolean;
  onView: () => void;
  onInfo: () => void;
  onTakeBack: () => void;
}) {
  const { t } = useTranslation();
  const client = appName(grant);
  return (
    <li className={`${cardStyles.card} ${styles.app}`}>
      <div className={styles.appHead}>
        <Monogram name={client} size={48} />
        <h2 className={styles.appName} title={client}>
          <bdi>{client}</bdi>
        </h2>
        <button type="button" className={styles.info} aria-label={t('grants.info', { client })} onClick={onInfo}>
          <InfoCircleOutlined aria-hidden />
        </button>
      </div>
      <dl className={styles.dates}>
        <When label={t('grants.grantedOn')} iso={grant.created} />
        <When label={t('grants.expiresOn')} iso={grant.expires} />
        {hasAccess(grant) && <LastRead grant={grant} />}
      </dl>
      {isOffline(grant) && (
        <p className={styles.offline}>
          <ClockCircleOutlined aria-hidden /> {t('grants.offline')}
        </p>
      )}
      {withLog && grant.lastRead !== undefined && (
        <Link
          className={styles.view}
          to={`/user/access-log?${new URLSearchParams({ clientId: grant.clientId, period: 'all' })}`}
          aria-label={t('grants.seenOf', { client })}
        >
          {t('grants.seen')} <RightOutlined aria-hidden />
        </Link>
      )}
      <button
        type="button"
        data-app={grant.clientId}
        className={styles.view}
        aria-label={t('grants.viewOf', { client })}
        onClick={onView}
      >
        {t('grants.view')} <RightOutlined aria-hidden />
      </button>
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

/** False for an app of which only agreed disclaimers are left. */
const hasAccess = ({ created }: ClientGrant) => created !== null;

/** Reads are known where the gateway is on; elsewhere the last token tells when the app was used. */
function LastRead({ grant: { lastRead, lastUsed } }: { grant: ClientGrant }) {
  const { t } = useTranslation();
  if (lastRead === undefined) return lastUsed && <When label={t('grants.lastUsed')} iso={lastUsed} />;
  return <When label={t('grants.lastRead')} iso={lastRead} missing={t('grants.neverRead')} />;
}

const isOffline = ({ apiGrantData }: ClientGrant) => apiGrantData.some(({ scope }) => scope === 'offline_access');

function When({ label, iso, missing }: { label: string; iso: string | null; missing?: string }) {
  const { date, time } = longDate(iso);
  return (
    <div>
      <dt>{label}</dt>
      <dd>{(!iso && missing) || date}</dd>
      {time && <dd className={styles.time}>{time}</dd>}
    </div>
  );
}
