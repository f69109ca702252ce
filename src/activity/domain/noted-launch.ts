import { type CauseCode, catalogue, refusesData } from '../../contract/activity/catalogue.js';
import type { Cause, Detail, Severity } from '../../contract/activity/cause.js';
import { gatewayPrefix } from '../../contract/activity/gateway/gateway-causes.js';
import type { NotedLaunch } from './launch.js';

/**
 * Entries of one launch between two statements that a cause has for each of its values; more come from a client that
 * repeats a request without end.
 */
const mostEntries = 100;
/** Outcomes that the entries of a launch decide; a launch without one is under way, or was left. */
const outcomes: Partial<Record<Severity, string>> = { refused: 'refused', failed: 'failed', declined: 'declined' };

/** An entry as a request notes it; `at` in milliseconds since 1970. */
interface Noted {
  code: CauseCode;
  at: number;
  detail: Detail;
}

/** Adds an entry to a launch, which it may decide. */
export function addEntry(launch: NotedLaunch, { code, at, detail }: Noted): void {
  const cause: Cause = catalogue[code];
  const key = [code, ...(cause.apart ?? []).map((name) => String(detail[name] ?? ''))].join('\n');
  const before = launch.entries[key];
  if (!before && cause.apart && Object.keys(launch.entries).length >= mostEntries) return;
  launch.entries[key] = { at: before?.at ?? at, last: at, count: (before?.count ?? 0) + 1, detail };
  launch.lastAt = Math.max(launch.lastAt, at);
  // A refresh comes alone when the row of its launch has been removed by age.
  if (code === 'tokens-issued' || code === 'tokens-refreshed')
    Object.assign(launch, { outcome: 'completed', cause: undefined });
  const outcome = outcomes[cause.severity];
  if (outcome !== undefined) decide(launch, outcome, key);
  // It changes no outcome that there is. Of a launch without one nothing else is known: it is not one that a user is
  // about to complete.
  else if (refusesData(code) && launch.outcome === 'open') decide(launch, 'refused', key);
}

/** The page on which the user declined says more than the answer to the app that follows. */
function decide(launch: NotedLaunch, outcome: string, cause: string): void {
  if (outcome === 'declined' && launch.outcome === 'declined') return;
  Object.assign(launch, { outcome, cause });
}

/** Two parts of one launch as one. */
export function joined(earlier: NotedLaunch, later: NotedLaunch): NotedLaunch {
  const isWeak =
    (later.outcome === 'declined' && earlier.outcome === 'declined') ||
    (later.cause?.startsWith(gatewayPrefix) === true && earlier.outcome !== 'open');
  const isDecided = later.outcome !== 'open' && !isWeak;
  const entries = { ...earlier.entries };
  for (const [key, entry] of Object.entries(later.entries)) {
    const before = entries[key];
    entries[key] = before ? { ...entry, at: before.at, count: before.count + entry.count } : entry;
  }
  const { outcome, cause } = isDecided ? later : earlier;
  return {
    kind: earlier.kind,
    clientId: later.clientId ?? earlier.clientId,
    accountId: later.accountId ?? earlier.accountId,
    codeHash: later.codeHash ?? earlier.codeHash,
    startedAt: earlier.startedAt,
    lastAt: Math.max(earlier.lastAt, later.lastAt),
    outcome,
    cause,
    entries,
  };
}
