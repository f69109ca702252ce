import type { Detail } from '../../contract/activity/cause.js';
import type { LaunchDay, LaunchOutcome, LaunchRow } from '../../contract/activity.js';
import type { ClientForm } from '../../contract/clients/clients.js';
import type { UserType } from '../../contract/session.js';

/**
 * An entry as it is stored: the first and the last time in milliseconds since 1970, how often, and the values of the
 * last time.
 */
export interface StoredEntry {
  at: number;
  last: number;
  count: number;
  detail: Detail;
}

/**
 * A launch that has not ended counts as left when its last entry, or in any case its begin, is so long ago; and when
 * its code has ended (`codeSeconds`).
 */
export const leftAfterMinutes = 15;
export const leftInAnyCaseAfterMinutes = 120;

/** A launch with the present names of its client and its person. */
export interface Launch {
  id: string;
  kind: LaunchRow['kind'];
  startedAt: Date;
  outcome: LaunchOutcome;
  /** Key of the entry that decided. */
  cause: string | null;
  entries: Record<string, StoredEntry>;
  /** The cause and time of the end of its access; null while it lasts, or without a record of it. */
  endedBy: string | null;
  endedAt: Date | null;
  clientId: string | null;
  /** Null for a client that is not registered. */
  clientName: string | null;
  clientRecordId: string | null;
  /** The settings that decide which fields its form has; null for a client that is not registered. */
  clientForm: Pick<ClientForm, 'clientType' | 'requireClientSecret'> | null;
  accountId: string | null;
  /** Null for an account that does not exist any more. */
  personName: string | null;
  userType: UserType | null;
}

/** The part of a launch that a node has noted and not stored. Times are in milliseconds since 1970. */
export interface NotedLaunch {
  kind: string;
  clientId?: string | undefined;
  accountId?: string | undefined;
  codeHash?: string | undefined;
  startedAt: number;
  lastAt: number;
  outcome: string;
  cause?: string | undefined;
  entries: Record<string, StoredEntry>;
}

/** The filters of a list; undefined members limit nothing. */
export interface LaunchFilter {
  clientId?: string | undefined;
  accountId?: string | undefined;
  /** Code of the cause that decided. */
  cause?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Beginning of the id. */
  idPrefix?: string | undefined;
  /** Launches of any of these. */
  anyOf?: { clientIds: readonly string[]; accountIds: readonly string[] } | undefined;
}

export interface LaunchPage {
  /** Empty for all. */
  outcomes: readonly LaunchOutcome[];
  newestFirst: boolean;
  offset: number;
  length: number;
  /** The last launch of the page before, for a reader of all of them. */
  after?: Pick<Launch, 'id' | 'startedAt'> | undefined;
}

export interface RefusalsOfCause {
  cause: string;
  count: number;
  lastId: string;
}

/** The record of launches, which `ActivityLog` writes. */
export abstract class Launches {
  /**
   * Adds to the rows of these launches, outside of the caller's transaction. Returns the error if the database refuses
   * the content of one of them: another attempt would fail again.
   */
  abstract store(launches: readonly (NotedLaunch & { id: string })[]): Promise<Error | undefined>;
  abstract list(filter: LaunchFilter, page: LaunchPage): Promise<Launch[]>;
  /** The number for each outcome, counted up to `most`. */
  abstract count(filter: LaunchFilter, most: number): Promise<Record<LaunchOutcome, number>>;
  /** The number for these outcomes together, counted up to `most`. */
  abstract total(filter: LaunchFilter, outcomes: readonly LaunchOutcome[], most: number): Promise<number>;
  /** The latest launch whose id begins so. */
  abstract findByPrefix(idPrefix: string): Promise<Launch | undefined>;
  abstract days(count: number): Promise<LaunchDay[]>;
  /** Refusals of launches since then, which do not include those of the days of services. */
  abstract refusals(clientId: string, since: Date): Promise<RefusalsOfCause[]>;
  /** Refused and failed requests that belong to no known launch, a row per sender, fault and day. */
  abstract refusedServices(clientId: string, since: Date): Promise<Launch[]>;
  /**
   * Searches that the limits of a token left without a match, in this client's launches since then; at most `most` of
   * each outcome are read.
   */
  abstract emptiedSearches(clientId: string, since: Date, most: number): Promise<number>;
  abstract countOfCause(launch: Pick<Launch, 'clientId' | 'cause'>, since: Date): Promise<number>;
  /** Removes launches that began before; returns their number, at most `most`. */
  abstract removeBefore(time: Date, most: number): Promise<number>;
}
