import '../../shared/i18n/client-texts.js';
import { ApiOutlined, PlusOutlined, TagsOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientFilter } from '../../../../src/contract/clients/bulk.js';
import type { ClientListQuery, ClientView, ListedClient } from '../../../../src/contract/clients/clients.js';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { useClientsQuery } from '../../api/clients/clients.js';
import { useServerStatus } from '../../api/dashboard.js';
import { useSessionQuery } from '../../api/session.js';
import { useColumns } from '../../shared/list/columns.js';
import { ListPage } from '../../shared/list/list-page.js';
import { useListState } from '../../shared/list/list-state.js';
import { Marked } from '../../shared/ui/marks/managed.js';
import { Status } from '../../shared/ui/marks/status.js';
import { Moment } from '../../shared/ui/text/moment.js';
import { Name } from '../../shared/ui/text/name.js';
import { ClientBulkBar } from './client-bulk-bar.js';
import { useClientContext } from './client-context.js';
import { type ClientListState, clientList, useClientFilter } from './client-filter.js';
import { ClientTypeText, TagChips } from './client-marks.js';
import { ClientSheet } from './client-sheet.js';
import styles from './clients-page.module.css';
import { AddClientDialog } from './form/add-client-dialog.js';
import { WorstSecretMark } from './secret-marks.js';
import { ServerBanner } from './server-banner.js';
import { keptTag } from './tags/tag-form.js';
import { TagsSheet } from './tags/tags-sheet.js';

/** Apps and services that may ask for tokens, and the tags they are sorted by. */
export function ClientsPage() {
  const { t } = useTranslation();
  const list = useListState(clientList);
  const status = useServerStatus();
  const context = useClientContext(status);
  // In the order of `spec §2`: first how the FHIR server is, then what depends on it.
  const waiting = !status;
  const { data: user } = useSessionQuery();
  const { columns, isChosen, menu } = useColumns<ListedClient, ClientListState['sortColumn']>(
    'clients',
    user?.id ?? '',
    [
      {
        title: t('clients.fields.clientId'),
        width: 24,
        sort: 'clientId',
        render: ({ clientId, clientSecrets, managed }) => (
          <Marked managed={managed}>
            <span className={styles.id}>
              <Name>{clientId}</Name>
            </span>
            <WorstSecretMark secrets={clientSecrets} />
          </Marked>
        ),
        narrow: 'below',
      },
      {
        title: t('clients.type'),
        width: 16,
        sort: 'clientType',
        render: ({ clientType }) => <ClientTypeText type={clientType} />,
      },
      {
        title: t('tags.title'),
        width: 25,
        render: ({ clientTags }) => <TagChips tags={clientTags} />,
      },
      {
        title: t('clients.status'),
        width: 12,
        sort: 'enabled',
        render: ({ enabled }) => <Status on={enabled}>{t(enabled ? 'clients.enabled' : 'clients.disabled')}</Status>,
        narrow: 'right',
      },
      {
        title: t('clients.fields.legalCompanyName'),
        width: 16,
        render: ({ legalCompanyName }) => <Name>{legalCompanyName}</Name>,
        extra: true,
      },
      {
        title: t('clients.fields.allowedGrantTypes'),
        width: 18,
        render: ({ allowedGrantTypes }) => allowedGrantTypes.join(', '),
        extra: true,
      },
      {
        title: t('clients.fields.redirectUris'),
        width: 26,
        render: ({ redirectUris }) => <span className={styles.id}>{redirectUris.join(', ')}</span>,
        extra: true,
      },
      {
        title: t('clients.lastUsed'),
        width: 18,
        render: ({ lastUsed }) => <Moment at={lastUsed} />,
        extra: true,
      },
    ],
    list.state.sortColumn,
  );
  const further = { withLastUsed: isChosen(t('clients.lastUsed')) ? ('true' as const) : ('false' as const) };
  const answer = useClientsQuery(
    { ...queryOf(list.state), ...further },
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
        countedSoFar={['tags', 'clientTypes', 'secretStates']}
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
        beside
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
    tags: filters.tags,
  };
}
