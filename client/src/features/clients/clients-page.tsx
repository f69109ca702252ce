import { ApiOutlined, PlusOutlined, SearchOutlined, TagsOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientList, ClientListQuery, ClientView } from '../../../../src/contract/clients.js';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { useClientsQuery } from '../../api/clients.js';
import { useServerStatus } from '../../api/dashboard.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { ListHead } from '../../shared/list/list-head.js';
import { useListState } from '../../shared/list/list-state.js';
import { ListTable } from '../../shared/list/list-table.js';
import { ListTools } from '../../shared/list/list-tools.js';
import { GoneDialog } from '../../shared/ui/gone.js';
import { LoadFailed } from '../../shared/ui/load-failed.js';
import { focusPageTitle } from '../../shared/ui/page-title.js';
import { Status } from '../../shared/ui/status.js';
import { useLingering } from '../../shared/use-lingering.js';
import { useOpened } from '../../shared/use-opened.js';
import { useSlow } from '../../shared/use-slow.js';
import { type ClientListState, clientList, noFilters, useClientFilter } from './client-filter.js';
import { ClientTypeText, TagChips } from './client-marks.js';
import { ClientSheet } from './client-sheet.js';
import styles from './clients-page.module.css';
import { AddClientDialog } from './form/add-client-dialog.js';
import { ServerBanner } from './server-banner.js';
import { useClientSurroundings } from './surroundings.js';
import { TagsSheet } from './tags/tags-sheet.js';

/** Apps and services that may ask for tokens, and the tags they are sorted by. */
export function ClientsPage() {
  const { t } = useTranslation();
  const { state, change } = useListState(clientList);
  const { opened, show, close } = useOpened('client', 'add');
  const client = opened('client');
  const status = useServerStatus();
  const surroundings = useClientSurroundings(status);
  const available = status?.isFirelyServerAvailable ?? false;
  const dialogWasOpen = useRef(false);
  const adding =
    client === null && opened('add') !== null && surroundings !== undefined && (available || dialogWasOpen.current);
  const { data, currentData, isError, isFetching, refetch } = useClientsQuery(queryOf(state), {
    // In the order of `spec §2`: first how the FHIR server is, then what depends on it.
    skip: !status,
    refetchOnMountOrArgChange: true,
  });
  const slow = useSlow((!status || isFetching) && !currentData);
  // Until the next page is there the one before stays, unless that takes long.
  const list = currentData ?? (slow ? undefined : data);
  const { fields, chips, clear } = useClientFilter(state, (filters) => change({ filters }), !status);
  const [gone, setGone] = useState<string | null>(null);
  const [tagsOpen, setTagsOpen] = useState(false);
  const sheet = useLingering(client);
  const dialog = useLingering(adding ? 'add' : null);
  // What was typed stays when the FHIR server goes away meanwhile.
  dialogWasOpen.current = adding;

  const last = currentData && Math.max(1, Math.ceil(currentData.totalCount / state.pageSize));
  useEffect(() => {
    // Somebody has deleted what was on it.
    if (last !== undefined && state.page > last) change({ page: last }, { replace: true });
  });

  // The row that had the focus is not there any more.
  const deleted = useRef(false);
  const afterClose = () => {
    if (deleted.current) focusPageTitle();
    deleted.current = false;
    sheet.forget();
  };

  const narrowed = state.searchTerm !== '' || Object.values(state.filters).some(({ length }) => length > 0);
  return (
    <>
      <ListHead
        title={t('clients.title')}
        total={data?.totalCount}
        actions={
          <>
            <Button icon={<TagsOutlined aria-hidden />} onClick={() => setTagsOpen(true)}>
              {t('tags.title')}
            </Button>
            <AddButton status={status} ready={surroundings !== undefined} onClick={() => show('add', 'true')} />
          </>
        }
      />
      <ServerBanner status={status} />
      <ListTools
        search={state.searchTerm}
        onSearch={(searchTerm) => change({ searchTerm })}
        placeholder={t('clients.search')}
        filters={fields}
        chips={chips}
        onClear={clear}
      />
      {isError && !isFetching && !currentData ? (
        <LoadFailed onRetry={refetch} />
      ) : list?.totalCount === 0 ? (
        <Empty narrowed={narrowed} onClear={() => change({ searchTerm: '', filters: noFilters })} />
      ) : (
        (list || slow) && (
          <Clients
            list={list}
            state={state}
            onChange={change}
            selected={client}
            onOpen={({ id }) => show('client', id)}
          />
        )
      )}
      {sheet.lingering && (
        <ClientSheet
          key={sheet.lingering}
          id={sheet.lingering}
          name={nameOf(data?.clients.find(({ id }) => id === sheet.lingering))}
          open={client !== null}
          status={status}
          surroundings={surroundings}
          onClose={close}
          afterClose={afterClose}
          onDeleted={() => {
            deleted.current = true;
            close();
            refetch();
          }}
          onGone={(name) => {
            setGone(name);
            close();
          }}
        />
      )}
      {dialog.lingering && surroundings && (
        <AddClientDialog open={adding} surroundings={surroundings} onClose={close} afterClose={dialog.forget} />
      )}
      {gone !== null && <GoneDialog name={gone} text={t('gone.client')} />}
      <TagsSheet open={tagsOpen} onClose={() => setTagsOpen(false)} />
    </>
  );
}

/** While the FHIR server is away there is nothing to set a client up for (`spec §2`). */
function AddButton({
  status,
  ready,
  onClick,
}: {
  status: ServerStatus | undefined;
  ready: boolean;
  onClick: () => void;
}) {
  const { t } = useTranslation();
  const away = status !== undefined && !status.isFirelyServerAvailable;
  return (
    <Tooltip title={away ? t('clients.addDisabled') : ''}>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} disabled={away || !ready} onClick={onClick}>
        {t('clients.add')}
      </Button>
    </Tooltip>
  );
}

function Clients({
  list,
  state,
  onChange,
  selected,
  onOpen,
}: {
  list: ClientList | undefined;
  state: ClientListState;
  onChange: (change: Partial<ClientListState>) => void;
  selected: string | null;
  onOpen: (client: ClientView) => void;
}) {
  const { t } = useTranslation();
  return (
    <ListTable
      label={t('clients.title')}
      rows={list?.clients}
      total={list?.totalCount}
      idOf={({ id }) => id}
      name={{ title: t('clients.client'), sort: 'clientName', of: nameOf }}
      columns={[
        {
          title: t('clients.fields.clientId'),
          width: '24%',
          sort: 'clientId',
          render: ({ clientId }) => <span className={styles.id}>{clientId}</span>,
          narrow: 'below',
        },
        {
          title: t('clients.type'),
          width: '16%',
          sort: 'clientType',
          render: ({ clientType }) => <ClientTypeText type={clientType} />,
        },
        {
          title: t('tags.title'),
          width: '22%',
          render: ({ clientTags }) => <TagChips tags={clientTags} />,
        },
        {
          title: t('clients.status'),
          width: '12%',
          sort: 'enabled',
          render: ({ enabled }) => <Status on={enabled}>{t(enabled ? 'clients.enabled' : 'clients.disabled')}</Status>,
          narrow: 'right',
        },
      ]}
      state={state}
      onChange={onChange}
      selected={selected}
      onOpen={onOpen}
    />
  );
}

function Empty({ narrowed, onClear }: { narrowed: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  if (!narrowed) {
    return (
      <ListEmpty icon={<ApiOutlined aria-hidden />} title={t('clients.emptyTitle')} text={t('clients.emptyText')} />
    );
  }
  return (
    <ListEmpty
      icon={<SearchOutlined aria-hidden />}
      title={t('clients.noneFoundTitle')}
      text={t('clients.noneFoundText')}
      action={<Button onClick={onClear}>{t('clients.clear')}</Button>}
    />
  );
}

function nameOf(client: Pick<ClientView, 'clientName' | 'clientId'> | undefined): string {
  return client?.clientName || client?.clientId || '';
}

function queryOf({ filters, ...state }: ClientListState): Partial<ClientListQuery> {
  return {
    ...state,
    isEnabled: filters.isEnabled as ClientListQuery['isEnabled'],
    grantTypes: filters.grantTypes as ClientListQuery['grantTypes'],
    tags: filters.tags,
  };
}
