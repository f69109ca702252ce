import { useTranslation } from 'react-i18next';
import type { ListedClient } from '../../../../src/contract/clients/clients.js';
import { actsOf } from '../../../../src/contract/rules/clients/client-permissions.js';
import { useSessionQuery } from '../../api/session.js';
import { useColumns } from '../../shared/list/columns.js';
import { Marked } from '../../shared/ui/marks/managed.js';
import { Status } from '../../shared/ui/marks/status.js';
import { Moment } from '../../shared/ui/text/moment.js';
import { Name } from '../../shared/ui/text/name.js';
import type { ClientListState } from './client-filter.js';
import { ClientTypeText, TagChips } from './client-marks.js';
import styles from './clients-page.module.css';
import { WorstSecretMark } from './secret-marks.js';
import './tags/words/en.js';

/** The columns that the user has chosen, and the call's parameter of the one that costs more. */
export function useClientColumns(sortColumn: ClientListState['sortColumn']) {
  const { t } = useTranslation();
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
        width: 22,
        render: ({ clientTags }) => <TagChips tags={clientTags} />,
      },
      {
        title: t('clients.status'),
        width: 15,
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
        title: t('clients.permissions'),
        width: 18,
        render: (client) =>
          actsOf(client)
            .map((act) => t(`clients.acts.${act}`))
            .join(', '),
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
    sortColumn,
  );
  return { columns, menu, withLastUsed: isChosen(t('clients.lastUsed')) ? ('true' as const) : ('false' as const) };
}
