import { AppstoreOutlined, TeamOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { DashboardCounts } from '../../../../src/contract/dashboard.js';
import { useServerStatus } from '../../api/dashboard.js';
import { useSettings } from '../../api/settings.js';
import { numeral } from '../../shared/i18n/language.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Badge } from '../../shared/ui/marks/badge.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import styles from './dashboard-page.module.css';

export function Overview({ counts }: { counts: DashboardCounts | undefined }) {
  const { t } = useTranslation();
  return (
    <section className={cardStyles.card} aria-labelledby="overview">
      <h2 id="overview" className={styles.cardHeading}>
        {t('dashboard.overview')}
      </h2>
      <div className={styles.overview}>
        <Fact label={t('dashboard.users')} aside={<TeamOutlined aria-hidden />} help={t('dashboard.usersHelp')}>
          <Count value={counts?.numberOfUsers} />
        </Fact>
        <Fact label={t('dashboard.clients')} aside={<AppstoreOutlined aria-hidden />} help={t('dashboard.clientsHelp')}>
          <Count value={counts?.numberOfClients} />
        </Fact>
        <FhirServer />
      </div>
    </section>
  );
}

function Fact({
  label,
  aside,
  help,
  children,
}: {
  label: string;
  aside: ReactNode;
  help: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={styles.fact}>
      <p className={styles.factHead}>
        <span>{label}</span>
        <span className={styles.aside}>{aside}</span>
      </p>
      {children}
      <p className={styles.factHelp}>{help}</p>
    </div>
  );
}

function CountBone() {
  return (
    <div className={styles.countBone}>
      <Skeleton width={72} height={28} />
    </div>
  );
}

function Count({ value }: { value: number | undefined }) {
  if (value === undefined) return <CountBone />;
  return <p className={styles.count}>{numeral(value)}</p>;
}

function FhirServer() {
  const { t } = useTranslation();
  const { documentation } = useSettings();
  const status = useServerStatus();
  const up = status?.isFirelyServerAvailable;
  const url = status?.firelyServerUrl;
  const chip = (
    <span role="status">
      {status && (
        <Badge tone={up ? 'good' : 'bad'} dot>
          {t(up ? 'dashboard.up' : 'dashboard.down')}
        </Badge>
      )}
    </span>
  );
  const help = (
    <>
      {url && (
        <NewTabLink className={styles.address} href={url}>
          {url}
        </NewTabLink>
      )}
      {status && !up && documentation.fhirServer && (
        <NewTabLink className={styles.connectHelp} href={documentation.fhirServer}>
          {t('dashboard.connectHelp')}
        </NewTabLink>
      )}
      {up && !status?.isAllDataLoaded && <span>{t('dashboard.loadingData')}</span>}
    </>
  );
  return (
    <Fact label={t('dashboard.server')} aside={chip} help={help}>
      {status ? (
        <p className={styles.connection}>{t(up ? 'dashboard.connected' : 'dashboard.disconnected')}</p>
      ) : (
        <CountBone />
      )}
    </Fact>
  );
}
