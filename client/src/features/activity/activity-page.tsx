import { DownloadOutlined, HistoryOutlined, SearchOutlined } from '@ant-design/icons';
import { Button, Switch } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { parseReference, referenceOf } from '../../../../src/contract/activity/reference.js';
import type { LaunchRow } from '../../../../src/contract/activity.js';
import { useLaunchesQuery } from '../../api/activity.js';
import { queryString } from '../../api/failures/call-rules.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { AppId, appName, Outcome, PersonText, shortDuration, When } from '../../shared/launches/launch-facts.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { ListHead } from '../../shared/list/list-head.js';
import { useListState } from '../../shared/list/list-state.js';
import { ListTable } from '../../shared/list/list-table.js';
import { ListTools } from '../../shared/list/list-tools.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { Status } from '../../shared/ui/marks/status.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import styles from './activity.module.css';
import {
  type ActivityListState,
  activityList,
  launchesQueryOf,
  unsuccessful,
  useActivityFilter,
} from './activity-filter.js';
import { useHeldRow } from './use-held-row.js';
import './words/en.js';
import '../../shared/addresses/words/en.js';

/** Pause between two looks for new launches. */
const pollingInterval = 5000;

/** Limit up to which launches are counted. */
const mostCounted = 10_000;

const idOf = ({ reference }: LaunchRow) => reference;
const noFilters = { outcome: [], clientId: [], accountId: [], cause: [], period: [], from: [], to: [] };

/** The launches of all apps: found by reference, app, person, outcome and time. New ones appear by themselves. */
export function ActivityPage() {
  const { t } = useTranslation();
  const { state, change } = useListState(activityList);
  const { data, currentData, error, isError, isFetching, refetch } = useLaunchesQuery(launchesQueryOf(state), {
    pollingInterval,
    skipPollingIfUnfocused: true,
    refetchOnFocus: true,
  });
  const slow = useSlow(isFetching && !currentData);
  const list = currentData ?? (slow || isError ? undefined : data);
  const { rows, place } = useHeldRow(list?.launches, idOf);
  const filter = useActivityFilter(state, list?.counts, (filters) => change({ filters }));
  const clear = () => change({ searchTerm: '', filters: () => noFilters });
  const narrowed = state.searchTerm !== '' || Object.values(state.filters).some(({ length }) => length > 0);
  const { outcome } = state.filters;
  const isUnsuccessful = outcome.length === unsuccessful.length && unsuccessful.every((one) => outcome.includes(one));
  return (
    <>
      <ListHead
        title={t('activity.title')}
        total={data?.totalCount}
        actions={
          <>
            <span role="status" className={styles.live}>
              {list && <Status on={!isError}>{t(isError ? 'activity.notLive' : 'activity.live')}</Status>}
            </span>
            {/* The browser itself writes the file while it comes, however long it is. */}
            <Button href={exportAddress(state)} download icon={<DownloadOutlined aria-hidden />}>
              {t('activity.export')}
            </Button>
          </>
        }
      />
      <ListTools
        search={state.searchTerm}
        onSearch={(searchTerm) => change({ searchTerm })}
        placeholder={t('activity.search')}
        filters={filter.fields}
        chips={filter.chips}
        onClear={() => change({ filters: () => noFilters })}
      >
        <UnsuccessfulSwitch
          on={isUnsuccessful}
          onChange={(on) => change({ filters: () => ({ outcome: on ? [...unsuccessful] : [] }) })}
        />
      </ListTools>
      {isError && !isFetching && !list ? (
        <LoadFailed onRetry={refetch} text={refusedFilter(error)} />
      ) : list?.totalCount === 0 ? (
        <Empty searchTerm={state.searchTerm} narrowed={narrowed} onClear={clear} />
      ) : (
        (list || slow) && (
          <div {...place}>
            <ListTable<LaunchRow, 'startedAt'>
              label={t('activity.title')}
              rows={rows}
              total={list?.totalCount}
              more={list?.totalCount === mostCounted}
              idOf={idOf}
              name={{ title: t('activity.app'), of: appName, below: (row) => <AppId {...row} />, to: pathOf }}
              columns={[
                {
                  title: t('activity.time'),
                  width: 12,
                  sort: 'startedAt',
                  render: ({ startedAt }) => <When iso={startedAt} />,
                  narrow: 'below',
                  leads: true,
                },
                { title: t('activity.person'), width: 17, render: (row) => <PersonText {...row} />, narrow: 'below' },
                { title: t('activity.outcome'), width: 12, render: (row) => <Outcome {...row} />, narrow: 'right' },
                { title: t('activity.decidedBy'), width: 28, render: (row) => <DecidedBy {...row} />, narrow: 'below' },
                {
                  title: t('activity.took'),
                  width: 8,
                  render: ({ tookMs }) => <span className={styles.took}>{shortDuration(tookMs)}</span>,
                },
              ]}
              state={state}
              onChange={change}
            />
          </div>
        )
      )}
    </>
  );
}

/** The file with what the filters find. */
function exportAddress(state: ActivityListState): string {
  const { page: _, pageSize: __, ...limits } = launchesQueryOf(state);
  return portalPath(`/api/admin/activity/export?${queryString(limits)}`);
}

function pathOf({ reference }: LaunchRow): string {
  return `/admin/activity/${encodeURIComponent(reference)}`;
}

function DecidedBy({ decidedBy, page, isPageShown }: LaunchRow) {
  const { t } = useTranslation();
  if (decidedBy !== null || page === null) return decidedBy;
  const place = t(`activity.pages.${page as 'login'}`, page);
  return t(isPageShown ? 'activity.atPage' : 'activity.sentToPage', { page: place });
}

/** The server's message about an invalid filter. */
function refusedFilter(error: unknown): string | undefined {
  const isRefused = (error as { status?: unknown } | undefined)?.status === 400;
  return isRefused ? formErrors(error).form.join(' ') : undefined;
}

function UnsuccessfulSwitch({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <span className={styles.switch}>
      <Switch id={id} checked={on} onChange={onChange} />
      <label htmlFor={id}>{t('activity.failedOnly')}</label>
    </span>
  );
}

function Empty({ searchTerm, narrowed, onClear }: { searchTerm: string; narrowed: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  if (!narrowed) {
    const icon = <HistoryOutlined aria-hidden />;
    return <ListEmpty icon={icon} title={t('activity.emptyTitle')} text={t('activity.emptyText')} />;
  }
  const reference = parseReference(searchTerm);
  return (
    <ListEmpty
      icon={<SearchOutlined aria-hidden />}
      title={t('activity.noneFoundTitle')}
      text={
        reference ? t('activity.noReferenceText', { reference: referenceOf(reference) }) : t('activity.noneFoundText')
      }
      action={<Button onClick={onClear}>{t('activity.clear')}</Button>}
    />
  );
}
