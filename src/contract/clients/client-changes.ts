import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsUUID } from 'class-validator';
import { asList } from '../list-query.js';
import type { ClientForm, ClientView } from './clients.js';

/** A change of a client, as the audit record has it. */
export interface ClientChange {
  /** Number of the entry. */
  entry: string;
  /** ISO 8601. */
  at: string;
  isCreation: boolean;
  /**
   * The administrator; null for a service, a command or the configuration. The name is null if the account does not
   * exist any more.
   */
  who: { id: string; name: string | null } | null;
  /** Client id of the service that used the management API. */
  service: string | null;
  /** `isHidden`: the value is a secret or too long to be listed, so that only the entry has it. */
  fields: { field: keyof ClientForm; before: unknown; after: unknown; isHidden: boolean }[];
}

/** `GET /api/admin/client/{id}/history`: the last changes, the newest first. */
export interface ClientHistory {
  changes: ClientChange[];
}

/** `GET /api/admin/client/impact`. */
export class ClientImpactQuery {
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(500)
  @IsUUID(undefined, { each: true })
  id: string[];
}

/** The access that ends with clients that are disabled or deleted, and the recent use of the apps. */
export class ClientImpact {
  /** Users who lose their access. */
  people: number;
  /** Live access and refresh tokens that are stored. */
  tokens: number;
  /** True if there are self-contained access tokens, which are not counted. */
  hasMoreTokens: boolean;
  /** True if people and tokens were counted up to a limit only. */
  isAtLeast: boolean;
  /** Launches and sign-ins at these apps in the last 30 days, up to a limit. */
  launches: number;
  launchesAreAtLeast: boolean;
}

/** `PUT /api/admin/client/{id}/enabled`. */
export class ClientAvailability {
  @IsBoolean()
  enabled: boolean;
}

/** The answer to `PUT /api/admin/client/{id}/enabled`. */
export class ClientEnabling {
  client: ClientView;
  /** True if it was enabled before its access ended: all that was granted to it is valid again. */
  hasKeptAccess: boolean;
}
