import './words/en.js';
import { SafetyCertificateOutlined, SearchOutlined, StopOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditList, AuditRow } from '../../../../src/contract/audit.js';
import { useAuditListQuery } from '../../api/audit.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { useOpened } from '../../shared/addresses/use-opened.js';
import { t } from '../../shared/i18n/i18n.js';
import { When } from '../../shared/launches/launch-facts.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { ListHead } from '../../shared/list/list-head.js';
import { useListState } from '../../shared/list/list-state.js';
import { ListTable } from '../../shared/list/list-table.js';
import { ListTools } from '../../shared/list/list-tools.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import { useDelayedClose } from '../../shared/ui/overlays/use-delayed-close.js';
import { useSidePanel } from '../../shared/ui/overlays/use-side-panel.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Name } from '../../shared/ui/text/name.js';
import styles from './audit.module.css';
import { AuditExport } from './audit-export.js';
import { useAuditFilter } from './audit-filter.js';
import { type AuditFilter, type AuditListState, auditList, auditQueryOf, limitsOf, noFilters } from './audit-list.js';
import { AuditPager } from './audit-pager.js';
import { AuditPanel } from './audit-panel.js';
import { BrokenBanner, SealsState, VerifyButton } from './audit-seals.js';
import { objectOf, personName, roleOf, titleOf } from './audit-words.js';

const idOf = ({ id }: AuditRow) => id;
const opens = 'entry';

/**
 * The audit record: found by person, client, patient, kind, address, launch and time; an entry is opened next to the
 * list.
 */
export function AuditPage() {
  const { t } = useTranslation();
  const { state, change: changeList } = useListState(auditList);
  // Another search begins on its first page.
  const change: typeof changeList = ({ filters, ...changes }, options) =>
    changeList({ ...changes, filters: (current) => ({ ...filters?.(current), after: [], before: [] }) }, options);
  const { data, currentData, error, isError, isFetching, refetch } = useAuditListQuery(auditQueryOf(state), {
    refetchOnMountOrArgChange: true,
  });
  const slow = useSlow(isFetching && !currentData);
  const list = currentData ?? (slow || isError ? undefined : data);
  // Until the entries of another page have come, those of the page before are shown, from which a further step is
  // counted.
  const shownPage = useRef(state.page);
  if (currentData) shownPage.current = state.page;
  const refused = refusedFilter(isFetching ? undefined : error);
  const filter = useAuditFilter(state, list, refused?.fields ?? {}, (filters) => change({ filters }));
  const clearFilters = () => change({ filters: () => noFilters });
  const narrowed = state.searchTerm !== '' || filter.chips.length > 0;
  const { entry, pushed, show, panel } = useOpenedEntry(list?.events);
  return (
    <>
      <div className={pushed ? styles.pushed : undefined}>
        <ListHead
          title={t('audit.title')}
          total={data?.totalCount ?? undefined}
          afterCount={<SealsState />}
          actions={
            <>
              <VerifyButton />
              <AuditExport limits={limitsOf(state)} total={list?.totalCount ?? null} />
            </>
          }
        />
        <BrokenBanner />
        <ListTools
          search={state.searchTerm}
          onSearch={(searchTerm) => change({ searchTerm })}
          placeholder={t('audit.search')}
          menus={filter.menus}
          chips={filter.chips}
          onClear={clearFilters}
        />
        {isError && !isFetching && !list ? (
          <LoadFailed onRetry={refetch} {...refused?.shown} />
        ) : list && list.events.length === 0 ? (
          <Empty narrowed={narrowed} onClear={() => change({ searchTerm: '', filters: () => noFilters })} />
        ) : (
          (list || slow) && (
            <Entries
              list={list}
              state={state}
              change={change}
              pager={
                <AuditPager
                  list={list}
                  page={shownPage.current}
                  pageSize={state.pageSize}
                  onPage={(page, { after, before }) =>
                    changeList({
                      page,
                      filters: () => ({ after: after ? [after] : [], before: before ? [before] : [] }),
                    })
                  }
                  onPageSize={(pageSize) => change({ pageSize })}
                />
              }
              selected={entry}
              onOpen={show}
            />
          )
        )}
      </div>
      {panel}
    </>
  );
}

/** The entry that the address names, in the panel next to the list, and the ways to the entries above and below it. */
function useOpenedEntry(events: AuditRow[] = []) {
  const { opened, show, close } = useOpened(opens);
  const entry = opened(opens);
  const sheet = useDelayedClose(entry);
  const pushed = useSidePanel(true) && entry !== null;
  const at = events.findIndex(({ id }) => id === entry);
  const step = (by: number) => {
    const next = at < 0 ? undefined : events[at + by];
    return next && (() => show(opens, next.id));
  };
  const panel = sheet.lingering && (
    <AuditPanel
      id={sheet.lingering}
      open={entry !== null}
      onClose={close}
      afterClose={sheet.forget}
      above={step(-1)}
      below={step(1)}
    />
  );
  return { entry, pushed, show: (id: string) => show(opens, id), panel };
}

function Entries({
  list,
  state,
  change,
  pager,
  selected,
  onOpen,
}: {
  list: AuditList | undefined;
  state: AuditListState;
  change: (changes: Partial<Omit<AuditListState, 'filters'>>) => void;
  pager: ReactNode;
  selected: string | null;
  onOpen: (id: string) => void;
}) {
  const { t } = useTranslation();
  return (
    <ListTable<AuditRow, 'at'>
      label={t('audit.title')}
      rows={list?.events}
      total={list?.totalCount ?? undefined}
      idOf={idOf}
      name={{ title: t('audit.what'), of: titleOf, below: (row) => <Refused {...row} /> }}
      columns={[
        {
          title: t('audit.time'),
          width: 20,
          sort: 'at',
          render: ({ at: time }) => <When iso={time} />,
          narrow: 'below',
          leads: true,
        },
        { title: t('audit.who'), width: 23, render: (row) => <Who row={row} />, narrow: 'below', leads: true },
        { title: t('audit.on'), width: 26, render: (row) => <On row={row} />, narrow: 'below' },
      ]}
      tight={false}
      state={state}
      onChange={change}
      selected={selected}
      onOpen={({ id }) => onOpen(id)}
      pager={pager}
    />
  );
}

function Who({ row }: { row: AuditRow }) {
  const { t } = useTranslation();
  return (
    <span className={`pair ${styles.two}`}>
      <span className={styles.first}>
        <Name>{row.who ? personName(row.who) : t('audit.noPerson')}</Name>
      </span>{' '}
      <span className={styles.second}>{roleOf(row)}</span>
    </span>
  );
}

function On({ row }: { row: AuditRow }) {
  const { name, id } = objectOf(row);
  return (
    <span className={`pair ${styles.two}`}>
      <span className={styles.first}>
        <Name>{name}</Name>
      </span>{' '}
      {id !== undefined && (
        <span className={styles.code}>
          <Name>{id}</Name>
        </span>
      )}
    </span>
  );
}

function Refused({ outcome, type }: AuditRow) {
  const { t } = useTranslation();
  if (outcome === 'success' || type === 'access.refused') return null;
  return (
    <Badge tone="bad" icon={<StopOutlined aria-hidden />}>
      {t('audit.refused')}
    </Badge>
  );
}

/** The server's message about an invalid filter, or a search that takes too long. */
function refusedFilter(error: unknown) {
  const isRefused = (error as { status?: unknown } | undefined)?.status === 400;
  if (!isRefused) return undefined;
  const { form, fields } = formErrors(error, Object.keys(auditList.filters) as AuditFilter[]);
  const text = [...form, ...Object.values(fields).flat()].join(' ');
  return { fields, shown: { title: t('audit.refusedTitle'), text } };
}

function Empty({ narrowed, onClear }: { narrowed: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  if (!narrowed) {
    const icon = <SafetyCertificateOutlined aria-hidden />;
    return <ListEmpty icon={icon} title={t('audit.emptyTitle')} text={t('audit.emptyText')} />;
  }
  return (
    <ListEmpty
      icon={<SearchOutlined aria-hidden />}
      title={t('audit.noneFoundTitle')}
      text={t('audit.noneFoundText')}
      action={<Button onClick={onClear}>{t('audit.clear')}</Button>}
    />
  );
}
