import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsISO8601, IsOptional } from 'class-validator';
import { catalogue } from './activity/catalogue.js';
import type { Change, Severity, Stage } from './activity/cause.js';
import { asList, ExactText, ListQuery, longestFilter, OptionalOrEmpty } from './list-query.js';
import { message } from './messages/message.js';
import type { UserType } from './session.js';

/**
 * `open`: not ended; `left`: the user did not continue, or the app did not redeem its code, and the request has
 * expired.
 */
export const launchOutcomes = ['completed', 'refused', 'failed', 'declined', 'left', 'open'] as const;
export type LaunchOutcome = (typeof launchOutcomes)[number];

/**
 * How a launch stands by its last event: its outcome; `ended`: its access was taken back since; `request-refused`: it
 * gave access, and the last request with it was refused.
 */
export type LaunchState = LaunchOutcome | 'ended' | 'request-refused';

/** The launches of a list are counted up to this number, and those of each outcome up to the second. */
export const countedLaunches = 10_000;
export const countedPerOutcome = 1_000;

/** `GET /api/admin/activity`; `searchTerm` is a reference, or words of the app's or the user's name. */
export class LaunchesQuery extends ListQuery {
  /** The newest first. */
  override sortDirection: ListQuery['sortDirection'] = 1;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(launchOutcomes.length)
  @IsIn([...launchOutcomes], { each: true })
  outcome: LaunchOutcome[] = [];

  /** Client id; or the name or the record's id of a client that is registered. */
  @ExactText()
  clientId?: string;

  /** The id, email address or FHIR record (`Patient/1`) of a user. */
  @ExactText(longestFilter)
  accountId?: string;

  /** Code of the catalogue that decided. */
  @OptionalOrEmpty()
  @IsIn(Object.keys(catalogue))
  cause?: string;

  @OptionalOrEmpty()
  @IsISO8601({ strict: true }, { context: message('launch-time-invalid') })
  from?: string;

  @OptionalOrEmpty()
  @IsISO8601({ strict: true }, { context: message('launch-time-invalid') })
  to?: string;
}

/** The client or the account of a launch; without a name if it is not registered or was deleted. */
interface Named {
  id: string;
  name: string | null;
}

export interface LaunchRow {
  reference: string;
  /**
   * `service`: requests of a back-end service, of one day; `unknown`: requests of one day that belong to no known
   * launch; `trial`: a trial of an administrator.
   */
  kind: 'launch' | 'service' | 'unknown' | 'trial';
  /** ISO 8601. */
  startedAt: string;
  /** Milliseconds from the first to the last entry that is not a later refresh. */
  tookMs: number;
  /** Null: no client is known. `name` is null for one that is not registered. */
  client: Named | null;
  /** Null before the sign-in. */
  person: (Named & { userType: UserType | null }) | null;
  outcome: LaunchOutcome;
  state: LaunchState;
  /** The reason of the state in one clause. */
  decidedBy: string | null;
  /** Step at which it was left or is now; `app`: the app has its code. */
  page: string | null;
  /** False if no browser is recorded that showed the page. */
  isPageShown: boolean;
}

export interface LaunchList {
  launches: LaunchRow[];
  /** At most 10,000. */
  totalCount: number;
  /** Number of launches of each outcome under the other filters; 1,000 for that many or more. */
  counts: Partial<Record<LaunchOutcome, number>>;
}

export interface LaunchEntryView {
  code: string;
  stage: Stage;
  severity: Severity;
  /** Milliseconds since the start of the launch. */
  afterMs: number;
  /** Number of such entries; the last one is `lastAfterMs` after the start. */
  count: number;
  lastAfterMs: number;
  title: string;
  text?: string;
  /** The fix, with the place where it is made. */
  change?: Change;
  decidedBy?: string;
}

/** `GET /api/admin/activity/:reference`. */
export interface LaunchView extends LaunchRow {
  entries: LaunchEntryView[];
  /** The entry that decided about the state; undefined if none did. */
  decision: LaunchEntryView | undefined;
  /** Plain text without personal data. */
  forDeveloper: string;
  /** Launches with the same cause and client within the last 7 days, this one included. */
  sameCause: number;
  /** Id of the client's record, for links into its form; null if it is not registered. */
  clientRecordId: string | null;
}

/** `GET /api/admin/activity/days`: the last 14 days (UTC), the oldest first. */
export interface LaunchDay {
  /** `2026-11-22`. */
  day: string;
  completed: number;
  /** Refused or failed. */
  refused: number;
}

/** `GET /api/admin/client/:id/activity`. */
export interface ClientActivity {
  /** The last five. */
  launches: LaunchRow[];
  /** ISO 8601. */
  lastSuccessAt: string | null;
  /** Refusals of the last 7 days, the most frequent first. */
  refusals: { cause: string; decidedBy: string; count: number; lastReference: string }[];
  /**
   * Searches of the last 7 days that the limits of their tokens left without a match, counted in at most 1,000 launches
   * of each outcome.
   */
  emptiedSearches: number;
  /** Secrets and keys that expire within 30 days, have expired, or were not used for 90 days. */
  credentials: {
    description: string | null;
    type: string;
    expires: string | null;
    lastUsed: string | null;
    state: 'expired' | 'expiring' | 'unused';
  }[];
  /** The published key sets, with whether each can be read now. */
  keySets: { url: string; readable: boolean; reason: string | null }[];
}
