import { PlusOutlined, TeamOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { UserListQuery } from '../../../../src/contract/users.js';
import { useUsersQuery } from '../../api/users.js';
import { ListPage } from '../../shared/list/list-page.js';
import { useListState } from '../../shared/list/list-state.js';
import { Name } from '../../shared/ui/text/name.js';
import { AddUserDialog } from './add-user-dialog.js';
import { Confirmation, UserTypeText } from './user-facts.js';
import { type UserListState, userList, useUserFilter } from './user-filter.js';
import { UserSheet } from './user-sheet.js';

/** Patients and practitioners: found, looked at, invited, changed and deleted. */
export function UsersPage() {
  const { t } = useTranslation();
  const list = useListState(userList);
  const answer = useUsersQuery(queryOf(list.state), { refetchOnMountOrArgChange: true });
  return (
    <ListPage
      title={t('users.title')}
      actions={(add) => (
        <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={add}>
          {t('users.add')}
        </Button>
      )}
      search={t('users.search')}
      filter={useUserFilter(list.state, (filters) => list.change({ filters }))}
      list={list}
      answer={answer}
      rowsOf={({ users }) => users}
      countedSoFar={['hasClaimValue']}
      name={{ title: t('users.name'), sort: 'fullName', of: ({ fullName }) => fullName }}
      columns={[
        {
          title: t('users.email'),
          width: 30,
          sort: 'email',
          render: ({ email }) => (email === null ? t('common.noValue') : <Name>{email}</Name>),
          narrow: 'below',
        },
        {
          title: t('users.userType'),
          width: 15,
          sort: 'userType',
          render: (user) => <UserTypeText {...user} />,
          narrow: 'right',
        },
        {
          title: t('users.signIn'),
          width: 15,
          sort: 'isExternal',
          render: ({ isExternal }) => t(isExternal ? 'users.external' : 'users.local'),
        },
        {
          title: t('users.confirmation'),
          width: 16,
          sort: 'emailConfirmed',
          render: (user) => <Confirmation {...user} />,
        },
      ]}
      empty={{ icon: <TeamOutlined aria-hidden />, title: t('users.emptyTitle'), text: t('users.emptyText') }}
      noneFound={{ title: t('users.noneFoundTitle'), text: t('users.noneFoundText'), clear: t('users.clear') }}
      opened={{ as: 'user', sheet: (place) => <UserSheet key={place.id} place={place} />, gone: t('gone.user') }}
      dialog={(place) => <AddUserDialog {...place} />}
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
