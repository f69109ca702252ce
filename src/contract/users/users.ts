import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { asList, EmailAddress, ListQuery, Printable } from '../list-query.js';
import { notBlank, RuleLimits } from '../rule-limits.js';
import { listedUserTypes, userSortColumns } from '../rules/lists.js';
import { fieldRequired } from '../rules/text.js';
import { fhirUserMandatory, maxClaimValue } from '../rules/users/claims.js';
import { createdUserTypes, maxFullName, userTypeInvalid } from '../rules/users/user-form.js';
import { Claim, type UserType } from '../session.js';

/** `POST /api/admin/adminmanagement/create-initial`; the capitals are on the wire (`spec §7`). */
export class CreateInitialAdminRequest {
  @EmailAddress()
  Email: string;

  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  Password: string;

  /** Needed only while `setupTokenRequired` (design: first admin of a portal that does not listen on loopback). */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  SetupToken?: string;
}

/** The values that administrators set for a user; the rules and their texts are in `rules/user-form.ts`. */
class UserFields {
  @RuleLimits({ maxLength: maxFullName, pattern: notBlank })
  @MaxLength(1000)
  @IsString({ context: fieldRequired })
  fullName: string;

  /** In a change, another one than before only while the user is Incomplete. */
  @RuleLimits({ enum: createdUserTypes })
  @IsString({ context: userTypeInvalid })
  userType: string;

  @Type(() => Claim)
  @ValidateNested({ each: true })
  @ArrayMaxSize(100)
  @IsArray({ context: fhirUserMandatory })
  claims: Claim[];
}

/** `POST /api/admin/user`. */
export class CreateUserRequest extends UserFields {
  @EmailAddress()
  email: string;
}

/** `PUT /api/admin/user/{id}`. */
export class ChangeUserRequest extends UserFields {
  /** The `version` that was read: when it is no longer the current one, the change is refused with 409. */
  @IsOptional()
  @IsInt()
  @Min(1)
  version?: number;
}

/** `spec §3` User (admin view). */
export class UserView {
  id: string;
  fullName: string;
  email: string | null;
  emailConfirmed: boolean;
  /**
   * Present if the account was activated by a link that an administrator handed over, and no mail has proven the
   * address since.
   */
  emailUnproven?: true;
  isExternal: boolean;
  userType: UserType;
  claims: Claim[];
  /** Counts changes: a PUT that carries an older one is refused with 409. */
  version: number;
  /**
   * Present if a file manages the type and the claims (`gatehouse apply`): other changes of them are refused with 409.
   */
  managed?: true;
}

/** `POST /api/admin/user/{id}/invitation-link`: the only answer with the link. */
export class CopiedInvitation {
  /** The address at which the user chooses a password or a passkey; it works once. */
  link: string;
  /** ISO 8601, UTC. */
  expires: string;
}

/** A user in a list. */
export class ListedUser extends UserView {
  /** ISO 8601, UTC; null where the audit record has none. Present if `withLastSignIn` asks for it. */
  lastSignIn?: string | null;
}

/** An app that the user lets in, or that has an agreement of theirs. */
export class UserApp {
  clientId: string;
  clientName: string;
  /** ISO 8601, UTC; null where it never got anything. */
  lastUsed: string | null;
  /** Since when the user has paused it; null while it can use its access. */
  pausedAt: string | null;
}

/** `GET /api/admin/user/{id}/activity`. */
export class UserActivity {
  /** ISO 8601, UTC; null where there was none. */
  lastSignIn: string | null;
  apps: UserApp[];
}

/** `GET /api/admin/user`; all users but administrators. */
export class UserList {
  users: ListedUser[];
  /** For a search that very many users match, 1000 means that there are at least so many. */
  totalCount: number;
}

/** The query of `GET /api/admin/user`; lists are repeated keys. */
export class UserListQuery extends ListQuery {
  override pageSize: number = 5;

  @IsOptional()
  @IsIn([...userSortColumns])
  sortColumn: (typeof userSortColumns)[number] = 'fullName';

  /** `true` leaves the claims out of the answer. */
  @IsOptional()
  @IsIn(['true', 'false'])
  notIncludeClaims: 'true' | 'false' = 'false';

  /** `true`: with the last sign-in, which costs a look at the audit record for each row. */
  @IsOptional()
  @IsIn(['true', 'false'])
  withLastSignIn: 'true' | 'false' = 'false';

  /** Only users with a claim of exactly this value. */
  @IsOptional()
  @IsString()
  @MaxLength(maxClaimValue)
  @Printable()
  hasClaimValue: string = '';

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(listedUserTypes.length)
  @IsIn([...listedUserTypes], { each: true })
  usertype: (typeof listedUserTypes)[number][] = [];

  /** `true` and `false` together, like neither, mean all users. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(2)
  @IsIn(['true', 'false'], { each: true })
  isExternal: ('true' | 'false')[] = [];
}
