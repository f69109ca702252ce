import type { UserList, UserListQuery, UserView } from '../../contract/users.js';

/** Accounts as lists and forms show them; administrators are not among them (`spec §3`). */
export abstract class UserViews {
  abstract list(query: UserListQuery): Promise<UserList>;
  abstract find(id: string): Promise<UserView | undefined>;
}
