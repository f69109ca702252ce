import { isNarrowed, type LogFilter } from './use-log-filter.js';

/**
 * Why the log is empty: `never`, no access was ever recorded; `app`, none of the one app that is shown; `match`, none
 * fits the filters at any time; `period`, none in the chosen period; `earlier`, none in the usual period.
 */
type EmptyLog = 'never' | 'app' | 'match' | 'period' | 'earlier';

/** `hasAny`: an access was ever recorded. The text says that there was never anything only when that is true. */
export function emptyLogOf(filter: LogFilter, hasAny: boolean): EmptyLog {
  if (!hasAny) return 'never';
  const { show, clientId, personId, kind, period } = filter;
  if (period === 'all') return clientId && !show && !personId && !kind ? 'app' : 'match';
  return isNarrowed(filter) || show ? 'period' : 'earlier';
}
