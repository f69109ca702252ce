import type { UserFilter } from '../../contract/clients/bulk.js';
import type { FoundRecord, FoundUser } from '../../contract/palette.js';
import type { UserList, UserListQuery, UserView } from '../../contract/users/users.js';

/** The best matches of a search by name or address, and by FHIR reference. */
export interface UserMatches {
  users: FoundUser[];
  records: FoundRecord[];
}

/** Accounts as lists and forms show them; administrators are not among them (`spec §3`). */
export abstract class UserViews {
  abstract list(query: UserListQuery): Promise<UserList>;
  abstract findById(id: string): Promise<UserView | undefined>;
  /** The ids of those that a filter finds, by name, but no more than `most`. */
  abstract ids(filter: UserFilter, most: number): Promise<string[]>;
  /** At most `most` of each kind. */
  abstract search(term: string, most: number): Promise<UserMatches>;
  /** The ids of the accounts, administrators among them, with this address or FHIR record (`Patient/1`). */
  abstract idsNamed(name: { email: string } | { fhirUser: string }): Promise<string[]>;
  /** The users of these ids that exist, in the same order. */
  abstract ofIds(ids: readonly string[]): Promise<UserView[]>;
}
