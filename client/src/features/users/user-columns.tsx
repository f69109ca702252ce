import { useTranslation } from 'react-i18next';
import type { ListedUser } from '../../../../src/contract/users/users.js';
import { useSessionQuery } from '../../api/session.js';
import { useColumns } from '../../shared/list/columns.js';
import { Marked } from '../../shared/ui/marks/managed.js';
import { Moment } from '../../shared/ui/text/moment.js';
import { Name } from '../../shared/ui/text/name.js';
import { Confirmation, UserTypeText } from './user-facts.js';
import type { UserListState } from './user-filter.js';

/** The columns that the user has chosen, and the call's parameter of the one that costs more. */
export function useUserColumns(sortColumn: UserListState['sortColumn']) {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const { columns, isChosen, menu } = useColumns<ListedUser, UserListState['sortColumn']>(
    'users',
    user?.id ?? '',
    [
      {
        title: t('users.email'),
        width: 30,
        sort: 'email',
        render: ({ email, managed }) => (
          <Marked managed={managed}>{email === null ? t('common.noValue') : <Name>{email}</Name>}</Marked>
        ),
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
      {
        title: t('users.lastSignIn'),
        width: 18,
        render: ({ lastSignIn }) => <Moment at={lastSignIn} />,
        extra: true,
      },
      {
        title: t('users.id'),
        width: 26,
        render: ({ id }) => id,
        extra: true,
      },
    ],
    sortColumn,
  );
  return { columns, menu, withLastSignIn: isChosen(t('users.lastSignIn')) ? ('true' as const) : ('false' as const) };
}
