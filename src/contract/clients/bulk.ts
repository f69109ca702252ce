import { PickType } from '@nestjs/mapped-types';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, IsUUID, Min, ValidateNested } from 'class-validator';
import {
  type BulkFailure,
  type ClientBulkAction,
  clientBulkActions,
  mostChosen,
  type UserBulkAction,
  userBulkActions,
} from '../rules/bulk.js';
import { UserListQuery } from '../users/users.js';
import { ClientListQuery } from './clients.js';

/** The search and the filters of the list of clients. */
export class ClientFilter extends PickType(ClientListQuery, [
  'searchTerm',
  'isEnabled',
  'grantTypes',
  'clientTypes',
  'secretStates',
  'permissions',
  'subjects',
  'tags',
]) {}

/** The search and the filters of the list of users. */
export class UserFilter extends PickType(UserListQuery, ['searchTerm', 'usertype', 'isExternal', 'hasClaimValue']) {}

/** Rows of a list: those of these ids, or all that a filter finds, apart from some. */
abstract class Choice {
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(mostChosen)
  @IsUUID('all', { each: true })
  ids?: string[];

  /** With a filter: rows that it finds and that are left out. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(mostChosen)
  @IsUUID('all', { each: true })
  except?: string[];
}

export class ClientChoice extends Choice {
  @IsOptional()
  @ValidateNested()
  @Type(() => ClientFilter)
  filter?: ClientFilter;
}

export class UserChoice extends Choice {
  @IsOptional()
  @ValidateNested()
  @Type(() => UserFilter)
  filter?: UserFilter;
}

/** `PUT /api/admin/client/bulk/{id}`. */
export class ClientBulkRequest extends ClientChoice {
  @IsIn([...clientBulkActions])
  action: ClientBulkAction;

  /**
   * The number of rows that the administrator saw. The call is refused with 409 if the filter finds another number.
   */
  @IsOptional()
  @IsInt()
  @Min(1)
  expected?: number;

  /** Ids of tags that each client gets, for `tag`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @IsUUID('all', { each: true })
  addTags?: string[];

  /** Ids of tags that are taken off each client, for `tag`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @IsUUID('all', { each: true })
  removeTags?: string[];
}

/** `PUT /api/admin/user/bulk/{id}`. */
export class UserBulkRequest extends UserChoice {
  @IsIn([...userBulkActions])
  action: UserBulkAction;

  /** As for clients. */
  @IsOptional()
  @IsInt()
  @Min(1)
  expected?: number;
}

/** One of many that was not changed, or not restored by the undo. */
export class BulkRefusal {
  id: string;
  name: string | null;
  reason: BulkFailure;
}

/** The progress of a change of many; the call is repeated, with the same id, until `done` is `total`. */
export class BulkProgress {
  total: number;
  done: number;
  changed: number;
  /** They were already as asked for. */
  unchanged: number;
  failed: number;
  /**
   * The numbers of those changed that were undone, and that were left alone because they were changed again since, or
   * it was too late.
   */
  restored: number;
  kept: number;
  /** The number of those restored whose access had ended by then, and stays ended. */
  withoutAccess: number;
  /** The first hundred. */
  failures: BulkRefusal[];
  /**
   * Why the rest is not done: the caller canceled it, or may not change anything any more; null: it was not stopped.
   */
  stopped: 'canceled' | 'forbidden' | null;
}

export type BulkSubjectName = 'clients' | 'users';

/** `GET /api/admin/bulk`: a change of many of the caller that has not ended, or whose end the caller has not seen. */
export class PendingBulkChange {
  id: string;
  subject: BulkSubjectName;
  action: ClientBulkAction | UserBulkAction;
  /** True if it is being taken back, or was. */
  undone: boolean;
  progress: BulkProgress;
}
