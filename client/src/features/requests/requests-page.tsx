import './words/en.js';
import '../../shared/addresses/words/en.js';
import { InboxOutlined, SearchOutlined } from '@ant-design/icons';
import { Button, Radio } from 'antd';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { RequestList, RequestRow } from '../../../../src/contract/requests.js';
import { useRequestsQuery } from '../../api/requests.js';
import { useOpened } from '../../shared/addresses/use-opened.js';
import { dayAndTime, inDays } from '../../shared/i18n/dates.js';
import { duration, numeral } from '../../shared/i18n/language.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { ListHead } from '../../shared/list/list-head.js';
import { useListKeys } from '../../shared/list/list-keys.js';
import { type ListShape, useListState } from '../../shared/list/list-state.js';
import { ListTable } from '../../shared/list/list-table.js';
import { ListTools } from '../../shared/list/list-tools.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { useDelayedClose } from '../../shared/ui/overlays/use-delayed-close.js';
import { useSidePanel } from '../../shared/ui/overlays/use-side-panel.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Name } from '../../shared/ui/text/name.js';
import { RequestPanel } from './request-panel.js';
import styles from './requests.module.css';
import { SuspendedRecords } from './suspended-records.js';

const requestList: ListShape<'dueAt', 'show'> = {
  sortColumns: ['dueAt'],
  defaultPageSize: 10,
  filters: { show: ['closed', 'records'] },
};
const opens = 'request';

/** The queue of administrators; a request is opened next to it. */
export function RequestsPage() {
  const { t } = useTranslation();
  const { state, change } = useListState(requestList);
  const [chosen = 'open'] = state.filters.show;
  const isOfRecords = chosen === 'records';
  const show = chosen === 'closed' ? 'closed' : 'open';
  const { searchTerm, page, pageSize } = state;
  const { data, currentData, isError, isFetching, refetch } = useRequestsQuery(
    { searchTerm, page, pageSize, show },
    { refetchOnMountOrArgChange: true, pollingInterval: 60_000, skipPollingIfUnfocused: true },
  );
  const slow = useSlow(isFetching && !currentData);
  const list = currentData ?? (slow || isError ? undefined : data);
  const place = useRef<HTMLDivElement>(null);
  const opened = useOpenedRequest(list?.requests);
  useListKeys({
    list: place,
    opened: opened.id === null ? null : { id: opened.id, sidePanel: opened.pushed },
    open: opened.show,
    toggle: () => {},
    selectAll: () => {},
    clear: () => {
      if (opened.id === null) return false;
      opened.close();
      return true;
    },
    help: () => {},
  });
  return (
    <>
      <div ref={place} className={opened.pushed ? styles.pushed : undefined}>
        <ListHead title={t('requests.title')} total={isOfRecords ? null : list?.totalCount} actions={null} />
        <ListTools
          search={searchTerm}
          onSearch={(term) => change({ searchTerm: term })}
          placeholder={t('requests.search')}
          menus={[]}
          chips={[]}
          onClear={() => change({ searchTerm: '' })}
        />
        <Radio.Group
          className={styles.show ?? ''}
          optionType="button"
          aria-label={t('requests.show')}
          value={chosen}
          onChange={({ target }) =>
            change({ filters: () => ({ show: target.value === 'open' ? [] : [target.value] }) })
          }
          options={[
            { value: 'open', label: t('requests.open') },
            { value: 'closed', label: t('requests.closed') },
            { value: 'records', label: t('requests.records') },
          ]}
        />
        {isOfRecords ? (
          <SuspendedRecords
            query={{ searchTerm, page, pageSize }}
            onChange={change}
            noneFound={<Empty searched onClear={() => change({ searchTerm: '' })} />}
          />
        ) : isError && !isFetching && !list ? (
          <LoadFailed onRetry={refetch} />
        ) : list?.totalCount === 0 ? (
          <Empty searched={searchTerm !== ''} onClear={() => change({ searchTerm: '' })} />
        ) : (
          (list || slow) && (
            <Rows
              list={list}
              state={state}
              change={change}
              selected={opened.id}
              onOpen={opened.show}
              tight={opened.pushed}
            />
          )
        )}
        {list && !isOfRecords && (
          <div className={styles.rules}>
            <Banner>
              {t('requests.rules')}{' '}
              <Link className="target" to="/admin/age-rules">
                {t('requests.rulesOpen')}
              </Link>
            </Banner>
          </div>
        )}
        {list && !isOfRecords && <Decided list={list} />}
      </div>
      {opened.panel}
    </>
  );
}

/** The request that the address names, in its panel, and the ways to those above and below it. */
function useOpenedRequest(rows: RequestRow[] = []) {
  const { opened, show, close } = useOpened(opens);
  const id = opened(opens);
  const sheet = useDelayedClose(id);
  const pushed = useSidePanel(true) && id !== null;
  const at = rows.findIndex((row) => row.id === id);
  const step = (by: number) => {
    const next = at < 0 ? undefined : rows[at + by];
    return next && (() => show(opens, next.id));
  };
  const panel = sheet.lingering && (
    <RequestPanel
      key={sheet.lingering}
      id={sheet.lingering}
      open={id !== null}
      onClose={close}
      afterClose={sheet.forget}
      above={step(-1)}
      below={step(1)}
    />
  );
  return { id, pushed, show: (next: string) => show(opens, next), close, panel };
}

function Rows({
  list,
  state,
  change,
  selected,
  onOpen,
  tight,
}: {
  list: RequestList | undefined;
  state: ReturnType<typeof useListState<'dueAt', 'show'>>['state'];
  change: ReturnType<typeof useListState<'dueAt', 'show'>>['change'];
  selected: string | null;
  onOpen: (id: string) => void;
  tight: boolean;
}) {
  const { t } = useTranslation();
  return (
    <ListTable<RequestRow, 'dueAt'>
      label={t('requests.title')}
      rows={list?.requests}
      total={list?.totalCount}
      idOf={({ id }) => id}
      name={{ title: t('requests.who'), of: ({ askerName }) => askerName }}
      columns={[
        { title: t('requests.for'), width: 24, render: (row) => <For row={row} />, narrow: 'below' },
        {
          title: t('requests.basis'),
          width: 26,
          render: ({ basis, kind }) => basis ?? t(`requests.kind.${kind}`),
          narrow: 'below',
        },
        { title: t('requests.asked'), width: 26, render: (row) => <Asked row={row} />, narrow: 'right' },
      ]}
      tight={tight}
      state={state}
      onChange={(changes) => change(changes)}
      selected={selected}
      hasKeys
      onOpen={({ id }) => onOpen(id)}
    />
  );
}

function For({ row: { patientName, age } }: { row: RequestRow }) {
  const { t } = useTranslation();
  return (
    <span className={styles.two}>
      <Name>{patientName}</Name>
      {age !== null && <span>{t('requests.years', { count: age })}</span>}
    </span>
  );
}

function Asked({ row }: { row: RequestRow }) {
  const { t } = useTranslation();
  const { askedAt, dueAt, status, awaitsSecond } = row;
  const isLate = status === 'waiting' && Date.parse(dueAt) < Date.now();
  const when = { when: inDays(dueAt) };
  const state =
    status === 'waiting' && !awaitsSecond
      ? t(isLate ? 'requests.late' : 'requests.answerBy', when)
      : t(awaitsSecond ? 'requests.awaitsSecond' : `requests.state.${status}`);
  return (
    <span className={styles.two}>
      <span>{dayAndTime(askedAt)}</span>
      <span className={isLate || status === 'in-error' ? styles.late : undefined}>{state}</span>
    </span>
  );
}

function Empty({ searched, onClear }: { searched: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  if (!searched) {
    return (
      <ListEmpty icon={<InboxOutlined aria-hidden />} title={t('requests.emptyTitle')} text={t('requests.emptyText')} />
    );
  }
  return (
    <ListEmpty
      icon={<SearchOutlined aria-hidden />}
      title={t('requests.noneFoundTitle')}
      text={t('requests.noneFoundText')}
      action={<Button onClick={onClear}>{t('requests.clear')}</Button>}
    />
  );
}

function Decided({ list: { decided, lateCount } }: { list: RequestList }) {
  const { t } = useTranslation();
  const { approved, declined, cancelled, usualHours } = decided;
  const facts = [
    [numeral(approved), t('requests.decidedApproved')],
    [numeral(declined), t('requests.decidedDeclined')],
    [numeral(cancelled), t('requests.decidedCancelled')],
    ...(usualHours === null ? [] : [[duration(Math.max(1, usualHours) * 3600), t('requests.decidedWait')]]),
  ];
  return (
    <section className={`${cardStyles.card} ${styles.decided}`}>
      <h2>{t('requests.decidedTitle')}</h2>
      {lateCount > 0 && <p className={styles.second}>{t('requests.lateCount', { count: lateCount })}</p>}
      <dl>
        {facts.map(([number, label]) => (
          <div key={label}>
            <dd>{number}</dd>
            <dt>{label}</dt>
          </div>
        ))}
      </dl>
    </section>
  );
}
