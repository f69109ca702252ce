import { PlusOutlined, SearchOutlined, TeamOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { countedMatches } from '../../../../src/contract/rules/paging.js';
import type { UserList, UserListQuery, UserView } from '../../../../src/contract/users.js';
import { useUsersQuery } from '../../api/users.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { ListHead } from '../../shared/list/list-head.js';
import { useListState } from '../../shared/list/list-state.js';
import { ListTable } from '../../shared/list/list-table.js';
import { ListTools } from '../../shared/list/list-tools.js';
import { GoneDialog } from '../../shared/ui/gone.js';
import { LoadFailed } from '../../shared/ui/load-failed.js';
import { focusPageTitle } from '../../shared/ui/page-title.js';
import { useLingering } from '../../shared/use-lingering.js';
import { useOpened } from '../../shared/use-opened.js';
import { useSlow } from '../../shared/use-slow.js';
import { AddUserDialog } from './add-user-dialog.js';
import { Confirmation, UserTypeText } from './user-facts.js';
import { type UserListState, userList, useUserFilter } from './user-filter.js';
import { UserSheet } from './user-sheet.js';

/** Patients and practitioners: found, looked at, invited, changed and deleted. */
export function UsersPage() {
  const { t } = useTranslation();
  const { state, change } = useListState(userList);
  const { opened, show, close } = useOpened('user', 'add');
  const user = opened('user');
  const adding = user === null && opened('add') !== null;
  const { data, currentData, isError, isFetching, refetch } = useUsersQuery(queryOf(state), {
    refetchOnMountOrArgChange: true,
  });
  const slow = useSlow(isFetching && !currentData);
  // Until the next page is there the one before stays, unless that takes long.
  const list = currentData ?? (slow ? undefined : data);
  const { fields, chips, clear } = useUserFilter(state, (filters) => change({ filters }));
  const [gone, setGone] = useState<string | null>(null);
  const sheet = useLingering(user);
  const dialog = useLingering(adding ? 'add' : null);

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

  const narrowed = state.searchTerm !== '' || chips.length > 0;
  return (
    <>
      <ListHead
        title={t('users.title')}
        total={data?.totalCount}
        actions={
          <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => show('add', 'true')}>
            {t('users.add')}
          </Button>
        }
      />
      <ListTools
        search={state.searchTerm}
        onSearch={(searchTerm) => change({ searchTerm })}
        placeholder={t('users.search')}
        filters={fields}
        chips={chips}
        onClear={clear}
      />
      {isError && !isFetching && !currentData ? (
        <LoadFailed onRetry={refetch} />
      ) : list?.totalCount === 0 ? (
        <Empty
          narrowed={narrowed}
          onClear={() => change({ searchTerm: '', filters: { usertype: [], isExternal: [], hasClaimValue: [] } })}
        />
      ) : (
        (list || slow) && (
          <Users list={list} state={state} onChange={change} selected={user} onOpen={({ id }) => show('user', id)} />
        )
      )}
      {sheet.lingering && (
        <UserSheet
          key={sheet.lingering}
          id={sheet.lingering}
          name={data?.users.find(({ id }) => id === sheet.lingering)?.fullName ?? ''}
          open={user !== null}
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
      {dialog.lingering && <AddUserDialog open={adding} onClose={close} afterClose={dialog.forget} />}
      {gone !== null && <GoneDialog name={gone} text={t('gone.user')} />}
    </>
  );
}

function Users({
  list,
  state,
  onChange,
  selected,
  onOpen,
}: {
  list: UserList | undefined;
  state: UserListState;
  onChange: (change: Partial<UserListState>) => void;
  selected: string | null;
  onOpen: (user: UserView) => void;
}) {
  const { t } = useTranslation();
  const searched = state.searchTerm !== '' || state.filters.hasClaimValue.length > 0;
  return (
    <ListTable
      label={t('users.title')}
      rows={list?.users}
      total={list?.totalCount}
      more={searched && list?.totalCount === countedMatches}
      idOf={({ id }) => id}
      name={{ title: t('users.name'), sort: 'fullName', of: ({ fullName }) => fullName }}
      columns={[
        {
          title: t('users.email'),
          width: '30%',
          sort: 'email',
          render: ({ email }) => email ?? t('common.noValue'),
          narrow: 'below',
        },
        {
          title: t('users.userType'),
          width: '15%',
          sort: 'userType',
          render: (user) => <UserTypeText {...user} />,
          narrow: 'right',
        },
        {
          title: t('users.signIn'),
          width: '15%',
          sort: 'isExternal',
          render: ({ isExternal }) => t(isExternal ? 'users.external' : 'users.local'),
        },
        {
          title: t('users.confirmation'),
          width: '16%',
          sort: 'emailConfirmed',
          render: (user) => <Confirmation {...user} />,
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
    return <ListEmpty icon={<TeamOutlined aria-hidden />} title={t('users.emptyTitle')} text={t('users.emptyText')} />;
  }
  return (
    <ListEmpty
      icon={<SearchOutlined aria-hidden />}
      title={t('users.noneFoundTitle')}
      text={t('users.noneFoundText')}
      action={<Button onClick={onClear}>{t('users.clear')}</Button>}
    />
  );
}

function queryOf({ filters, ...state }: UserListState): Partial<UserListQuery> {
  return {
    ...state,
    notIncludeClaims: 'true',
    usertype: filters.usertype as UserListQuery['usertype'],
    isExternal: filters.isExternal as UserListQuery['isExternal'],
    hasClaimValue: filters.hasClaimValue[0] ?? '',
  };
}
