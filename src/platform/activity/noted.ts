import type { CauseCode } from '../../contract/activity/catalogue.js';
import type { Detail } from '../../contract/activity/cause.js';

/**
 * `service`: token requests of a back-end service, and those that belong to no known launch, by client, cause and day; `trial`: a try of an
 * administrator.
 */
type LaunchKind = 'launch' | 'service' | 'trial';

export interface NotedEntry {
  code: CauseCode;
  /** Milliseconds since 1970. */
  at: number;
  detail: Detail;
}

/** Notes of the current request about its launch. The front door hands them to the log with the answer's head. */
export interface LaunchNotes {
  id?: string;
  kind?: LaunchKind;
  clientId?: string | undefined;
  accountId?: string | undefined;
  /** Hash of the code that was issued, by which its token request is found. */
  codeHash?: string;
  entries: NotedEntry[];
}
