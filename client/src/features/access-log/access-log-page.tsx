import './words/en.js';
import { EyeOutlined, SearchOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router-dom';
import type { AccessLogEntry, AccessLogSummary } from '../../../../src/contract/own-record/access-log.js';
import type { OwnRelationship } from '../../../../src/contract/representation.js';
import { useAccessLogInfiniteQuery, useAccessLogSummaryQuery } from '../../api/own-record/access-log.js';
import { useFamilyQuery } from '../../api/own-record/family.js';
import { useGrantsQuery } from '../../api/own-record/grants.js';
import { useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { longDate } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { numeral } from '../../shared/i18n/language.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './access-log-page.module.css';
import { appName, dayText } from './access-words.js';
import { AskWholeList } from './ask-whole-list.js';
import { emptyLogOf } from './empty-log.js';
import { LogEntry } from './log-entry.js';
import entryStyles from './log-entry.module.css';
import { Download, LogFilters } from './log-filters.js';
import { callOf, isNarrowed, type LogFilter, useLogFilter } from './use-log-filter.js';
import '../../shared/addresses/words/en.js';

/** Entries that are printed at most, in pages of 20. */
const mostPrinted = 1_000;

/** The log of accesses to a patient's record, by days, the latest first. */
export function AccessLogPage() {
  const { data: user } = useSessionQuery();
  const { familyPages } = useSettings();
  const log = useLogFilter();
  // A user who only acts for others has no record, and opens the log of a patient from the patient's card.
  if (user?.userType === 'RelatedPerson' && log.filter.patient === null) {
    return <Navigate to={familyPages ? '/user/family' : '/user/grants'} replace />;
  }
  return <AccessLog {...log} />;
}

function AccessLog({ filter, change, clear }: ReturnType<typeof useLogFilter>) {
  const { t } = useTranslation();
  const call = callOf(filter);
  const fresh = { refetchOnMountOrArgChange: true, refetchOnFocus: true };
  const { currentData, isError, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useAccessLogInfiniteQuery(call, fresh);
  const { currentData: summary, data: lastSummary } = useAccessLogSummaryQuery(call, fresh);
  const organization = useOrganization();
  const family = useFamilyCount(filter, summary);
  const slow = useSlow(isFetching && !currentData);
  const entries = currentData?.pages.flatMap((page) => page.entries);
  const reportAddress = currentData?.pages[0]?.reportAddress ?? null;
  const patientName = useNameOfPatient(filter);
  const narrowed = isNarrowed(filter);
  const client = useNameOfApp(filter.clientId, summary ?? lastSummary);
  const print = usePrint(async () => {
    for (let shown = entries?.length ?? 0; shown < mostPrinted; ) {
      const { data, hasNextPage: more } = await fetchNextPage();
      const loaded = data?.pages.reduce((sum, page) => sum + page.entries.length, 0) ?? 0;
      if (!more || loaded === shown) return;
      shown = loaded;
    }
  });

  return (
    <div className={styles.page}>
      <PageTitle>{t(filter.patient ? 'accessLog.titleOwnFor' : 'grants.accessLog')}</PageTitle>
      <p className={narrowed && !filter.patient ? `${styles.lead} ${styles.wide}` : styles.lead}>
        {filter.patient
          ? patientName === undefined
            ? t('accessLog.leadOwnFor')
            : t('accessLog.leadOwnForNamed', { name: isolateName(patientName) })
          : client === null
            ? t('accessLog.lead', { organization })
            : t('accessLog.leadOfApp', { client: isolateName(client), organization })}
      </p>
      <PrintedFor />
      <LogFilters
        filter={filter}
        summary={summary ?? lastSummary}
        client={client}
        family={family}
        onChange={change}
        onClear={clear}
      >
        <Download call={call} onPrint={print} />
      </LogFilters>
      {summary && (narrowed ? <Times filter={filter} summary={summary} /> : <Summary summary={summary} />)}
      {entries && entries.length > 0 && (
        <Days entries={entries} organization={organization} reportAddress={reportAddress} />
      )}
      {entries?.length === 0 && <Empty filter={filter} client={client ?? ''} onClear={clear} onChange={change} />}
      {isError && !isFetching && !currentData && <LoadFailed onRetry={refetch} />}
      {filter.patient && entries && <AskWholeList patient={filter.patient} />}
      {slow && !entries && <LogSkeleton />}
      {hasNextPage && (
        <div className={styles.more}>
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('accessLog.showMore')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The number stays while another group is shown, of which the summary is then. */
function useFamilyCount({ show }: LogFilter, summary: AccessLogSummary | undefined): number {
  const last = useRef(0);
  if (summary && (show === null || show === 'family')) last.current = summary.family ?? 0;
  return last.current;
}

/** Prints once everything is loaded and shown. */
function usePrint(load: () => Promise<void>): () => void {
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    if (!wanted) return;
    setWanted(false);
    window.print();
  }, [wanted]);
  return () => void load().then(() => setWanted(true));
}

function useOrganization(): string {
  const { t } = useTranslation();
  return useSettings().organizationTitle ?? t('product.name');
}

/** The name of the app that the log is narrowed to; null without one, and until the name is known. */
function useNameOfApp(clientId: string | null, summary: AccessLogSummary | undefined): string | null {
  const seen = summary?.apps.find(({ id }) => id === clientId);
  // An app that has seen nothing is in the list of apps with access.
  const { data: grants, isError } = useGrantsQuery(undefined, { skip: clientId === null || !summary || Boolean(seen) });
  if (clientId === null) return null;
  if (seen) return appName(seen);
  const listed = grants?.clientsPermissions.find((grant) => grant.clientId === clientId);
  if (listed) return listed.clientName || clientId;
  return grants || isError ? appName(null) : null;
}

/** The name of the patient for whom the user acts; undefined until it is known, and after the end. */
function useNameOfPatient({ patient, tenant }: LogFilter): string | undefined {
  const { data } = useFamilyQuery(undefined, { skip: patient === null });
  const isSame = (one: OwnRelationship) => `Patient/${one.patient}` === patient && one.tenant === tenant;
  return patient === null ? undefined : data?.lookedAfter.find(isSame)?.name;
}

/** On paper alone: whose log it is, and when it was printed. */
function PrintedFor() {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const { date } = longDate(new Date().toISOString());
  return <p className={styles.printed}>{user && t('accessLog.printedFor', { name: user.fullName, date })}</p>;
}

function Summary({ summary }: { summary: AccessLogSummary }) {
  const { t } = useTranslation();
  const { apps, people, visits, refused } = summary;
  const numbers = [
    [apps.length, t('accessLog.countApps')],
    [people.length, t('accessLog.countPeople', { count: people.length })],
    [visits, t('accessLog.countVisits')],
    [refused, t('accessLog.countRefused')],
  ] as const;
  return (
    <dl className={`${cardStyles.card} ${styles.summary}`} aria-label={t('accessLog.summary')}>
      {numbers.map(([number, label]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{numeral(number)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Times({ filter: { period }, summary: { visits } }: { filter: LogFilter; summary: AccessLogSummary }) {
  const { t } = useTranslation();
  return (
    <p className={styles.times} role="status">
      {t(`accessLog.times.${period}`, { count: visits, number: numeral(visits) })}
    </p>
  );
}

/** The entries of each day; one entry is open at a time. */
function Days({
  entries,
  organization,
  reportAddress,
}: {
  entries: AccessLogEntry[];
  organization: string;
  reportAddress: string | null;
}) {
  const [opened, setOpened] = useState<string | null>(null);
  const days = new Map<string, AccessLogEntry[]>();
  for (const entry of entries) {
    const day = new Date(entry.start).toDateString();
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days].map(([day, found]) => (
    <section key={day} className={styles.day}>
      <DayHeading iso={found[0]?.start ?? ''} />
      <ul className={cardStyles.card}>
        {found.map((entry) => (
          <LogEntry
            key={entry.id}
            entry={entry}
            open={opened === entry.id}
            organization={organization}
            reportAddress={reportAddress}
            onToggle={() => setOpened(opened === entry.id ? null : entry.id)}
          />
        ))}
      </ul>
    </section>
  ));
}

function DayHeading({ iso }: { iso: string }) {
  const { word, date } = dayText(iso);
  return (
    <h2>
      {word}
      <span className={styles.dot}> · </span>
      <span className={styles.date}>{date}</span>
    </h2>
  );
}

const everything: LogFilter = {
  ...{ show: null, clientId: null, personId: null, kind: null, patient: null, tenant: null },
  period: 'all',
};

/** Says why nothing is listed. */
function Empty({
  filter,
  client,
  onClear,
  onChange,
}: {
  filter: LogFilter;
  client: string;
  onClear: () => void;
  onChange: (changes: Partial<LogFilter>) => void;
}) {
  const { t } = useTranslation();
  const { patient, tenant } = filter;
  const { data } = useAccessLogInfiniteQuery(callOf({ ...everything, patient, tenant }));
  if (!data) return null;
  const why = emptyLogOf(filter, (data.pages[0]?.entries.length ?? 0) > 0);
  const [eye, search] = [<EyeOutlined key="eye" aria-hidden />, <SearchOutlined key="search" aria-hidden />];
  const clear = <Button onClick={onClear}>{t('accessLog.noneClear')}</Button>;
  switch (why) {
    case 'never':
      return patient ? (
        <ListEmpty icon={eye} title={t('accessLog.emptyOwnForTitle')} text={t('accessLog.emptyOwnForText')} />
      ) : (
        <ListEmpty icon={eye} title={t('accessLog.emptyTitle')} text={t('accessLog.emptyText')} />
      );
    case 'app':
      return (
        <ListEmpty
          icon={eye}
          title={t('accessLog.noneOfAppTitle', { client: isolateName(client) })}
          text={t(patient ? 'accessLog.noneOfAppOwnForText' : 'accessLog.noneOfAppText')}
          action={<Button onClick={onClear}>{t('accessLog.noneOfAppAction')}</Button>}
        />
      );
    case 'match':
      return (
        <ListEmpty icon={search} title={t('accessLog.noMatchTitle')} text={t('accessLog.noMatchText')} action={clear} />
      );
    case 'period':
      return <ListEmpty icon={search} title={t('accessLog.noneTitle')} text={t('accessLog.noneText')} action={clear} />;
    case 'earlier':
      return (
        <ListEmpty
          icon={search}
          title={t('accessLog.noneTitle')}
          text={t('accessLog.noneText')}
          action={<Button onClick={() => onChange({ period: 'all' })}>{t('accessLog.noneEarlier')}</Button>}
        />
      );
  }
}

function LogSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" className={styles.day}>
      <span className="visually-hidden">{t('common.loading')}</span>
      <div className={cardStyles.card} aria-hidden="true">
        {[1, 2, 3, 4].map((row) => (
          <div key={row} className={`${entryStyles.row} ${entryStyles.bones}`}>
            <Skeleton width={36} height={36} />
            <Skeleton width="35%" />
            <Skeleton width="25%" />
          </div>
        ))}
      </div>
    </div>
  );
}
