import './words/en.js';
import { ApiOutlined, PlusOutlined, TagsOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientFilter } from '../../../../src/contract/clients/bulk.js';
import type { ClientListQuery, ClientView } from '../../../../src/contract/clients/clients.js';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { useClientsQuery } from '../../api/clients/clients.js';
import { useServerStatus } from '../../api/dashboard.js';
import { ListPage } from '../../shared/list/list-page.js';
import { useListState } from '../../shared/list/list-state.js';
import { ClientBulkBar } from './client-bulk-bar.js';
import { useClientColumns } from './client-columns.js';
import { useClientContext } from './client-context.js';
import { type ClientListState, clientList, useClientFilter } from './client-filter.js';
import { ClientSheet } from './client-sheet.js';
import { AddClientDialog } from './form/add-client-dialog.js';
import { ServerBanner } from './server-banner.js';
import { keptTag } from './tags/tag-form.js';
import { TagsSheet } from './tags/tags-sheet.js';
import './tags/words/en.js';

/** Apps and services that may ask for tokens, and the tags they are sorted by. */
export function ClientsPage() {
  const { t } = useTranslation();
  const list = useListState(clientList);
  const status = useServerStatus();
  const context = useClientContext(status);
  // In the order of `spec §2`: first how the FHIR server is, then what depends on it.
  const waiting = !status;
  const { columns, withLastUsed, menu } = useClientColumns(list.state.sortColumn);
  const answer = useClientsQuery(
    { ...queryOf(list.state), withLastUsed },
    { skip: waiting, refetchOnMountOrArgChange: true },
  );
  const [tagsOpen, setTagsOpen] = useState(() => keptTag() !== null);
  return (
    <>
      <ListPage
        title={t('clients.title')}
        banner={<ServerBanner status={status} />}
        actions={(add) => (
          <>
            <Button icon={<TagsOutlined aria-hidden />} onClick={() => setTagsOpen(true)}>
              {t('tags.title')}
            </Button>
            <AddButton status={status} ready={context !== undefined} onClick={add} />
          </>
        )}
        search={t('clients.search')}
        filter={useClientFilter(list.state, (filters) => list.change({ filters }), waiting)}
        list={list}
        answer={answer}
        waiting={waiting}
        rowsOf={({ clients }) => clients}
        countedSoFar={['tags', 'clientTypes', 'secretStates', 'permissions', 'subjects']}
        name={{ title: t('clients.client'), sort: 'clientName', of: nameOf }}
        columns={columns}
        tools={menu}
        bulk={(place) => (
          <ClientBulkBar
            place={place}
            filter={filterOf(list.state)}
            available={status?.isFirelyServerAvailable ?? false}
          />
        )}
        empty={{ icon: <ApiOutlined aria-hidden />, title: t('clients.emptyTitle'), text: t('clients.emptyText') }}
        noneFound={{
          title: t('clients.noneFoundTitle'),
          text: t('clients.noneFoundText'),
          clear: t('clients.clear'),
        }}
        opened={{
          as: 'client',
          sheet: (place) => <ClientSheet key={place.id} place={place} status={status} context={context} />,
          gone: t('gone.client'),
        }}
        sidePanel
        canAdd={context !== undefined && (status?.isFirelyServerAvailable ?? false)}
        dialog={(place) => context && <AddClientDialog {...place} context={context} />}
      />
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

function nameOf({ clientName, clientId }: ClientView): string {
  return clientName || clientId;
}

function queryOf({ filters, ...state }: ClientListState): Partial<ClientListQuery> {
  return { ...state, ...filterOf({ filters, ...state }) };
}

function filterOf({ searchTerm, filters }: ClientListState): ClientFilter {
  return {
    searchTerm,
    isEnabled: filters.isEnabled as ClientListQuery['isEnabled'],
    grantTypes: filters.grantTypes as ClientListQuery['grantTypes'],
    clientTypes: filters.clientTypes as ClientListQuery['clientTypes'],
    secretStates: filters.secretStates as ClientListQuery['secretStates'],
    permissions: filters.permissions as ClientListQuery['permissions'],
    subjects: filters.subjects as ClientListQuery['subjects'],
    tags: filters.tags,
  };
}
