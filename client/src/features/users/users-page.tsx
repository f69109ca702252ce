import './words/en.js';
import { ImportOutlined, PlusOutlined, TeamOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { UserFilter } from '../../../../src/contract/clients/bulk.js';
import type { UserListQuery } from '../../../../src/contract/users/users.js';
import { useSettings } from '../../api/settings.js';
import { useUsersQuery } from '../../api/users/users.js';
import { useOpened } from '../../shared/addresses/use-opened.js';
import { ListPage } from '../../shared/list/list-page.js';
import { useListState } from '../../shared/list/list-state.js';
import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import { useDelayedClose } from '../../shared/ui/overlays/use-delayed-close.js';
import { AddUserDialog } from './add-user-dialog.js';
import type { ImportDialogProps } from './import/import-dialog.js';
import { UserBulkBar } from './user-bulk-bar.js';
import { useUserColumns } from './user-columns.js';
import { type UserListState, userList, useUserFilter } from './user-filter.js';
import { UserSheet } from './user-sheet.js';

const ImportDialog = lazyOverlay<ImportDialogProps>(
  async () => (await import('./import/import-dialog.js')).ImportDialog,
  { seldom: true },
);

/** Patients and practitioners: found, looked at, invited, changed and deleted. */
export function UsersPage() {
  const { t } = useTranslation();
  const list = useListState(userList);
  // `true`, or the id of an import that has begun.
  const { opened, show, close } = useOpened('import');
  const { mailWaits } = useSettings();
  const sheet = useOpened('user', 'add');
  const importing = opened('import');
  const dialog = useDelayedClose(importing);
  const { columns, withLastSignIn, menu } = useUserColumns(list.state.sortColumn);
  const emptyText = mailWaits ? 'users.emptyTextByHand' : 'users.emptyText';
  const answer = useUsersQuery({ ...queryOf(list.state), withLastSignIn }, { refetchOnMountOrArgChange: true });
  return (
    <>
      <ListPage
        title={t('users.title')}
        actions={(add) => (
          <>
            <Button icon={<ImportOutlined aria-hidden />} onClick={() => show('import', 'true')}>
              {t('users.import')}
            </Button>
            <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={add}>
              {t('users.add')}
            </Button>
          </>
        )}
        search={t('users.search')}
        filter={useUserFilter(list.state, (filters) => list.change({ filters }))}
        list={list}
        answer={answer}
        rowsOf={({ users }) => users}
        countedSoFar={['hasClaimValue']}
        name={{ title: t('users.name'), sort: 'fullName', of: ({ fullName }) => fullName }}
        columns={columns}
        tools={menu}
        bulk={(place) => <UserBulkBar place={place} filter={filterOf(list.state)} />}
        empty={{ icon: <TeamOutlined aria-hidden />, title: t('users.emptyTitle'), text: t(emptyText) }}
        noneFound={{ title: t('users.noneFoundTitle'), text: t('users.noneFoundText'), clear: t('users.clear') }}
        opened={{ as: 'user', sheet: (place) => <UserSheet key={place.id} place={place} />, gone: t('gone.user') }}
        dialog={(place) => <AddUserDialog {...place} onUninvited={(id) => sheet.show('user', id)} />}
      />
      {dialog.lingering && (
        <ImportDialog
          open={importing !== null}
          running={importing === 'true' || importing === null ? null : importing}
          onBegun={(id) => show('import', id)}
          onClose={() => {
            close();
            answer.refetch();
          }}
          afterClose={dialog.forget}
        />
      )}
    </>
  );
}

function queryOf({ filters, ...state }: UserListState): Partial<UserListQuery> {
  return { ...state, notIncludeClaims: 'true', ...filterOf({ filters, ...state }) };
}

function filterOf({ searchTerm, filters }: UserListState): UserFilter {
  return {
    searchTerm,
    usertype: filters.usertype as UserListQuery['usertype'],
    isExternal: filters.isExternal as UserListQuery['isExternal'],
    hasClaimValue: filters.hasClaimValue[0] ?? '',
  };
}
