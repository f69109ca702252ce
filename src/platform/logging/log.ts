import { AsyncLocalStorage } from 'node:async_hooks';
import { type Logger, pino } from 'pino';

/** What every line of one request has in common. */
export const requestContext = new AsyncLocalStorage<{ correlationId: string }>();

/**
 * The one list of what must never reach a log (security N-01). Secrets are kept out at the source as well: nothing logs whole
 * requests, bodies, headers or URLs with a query.
 */
const redacted = [
  'password',
  'Password',
  'currentPassword',
  'newPassword',
  'secret',
  'clientSecret',
  'client_secret',
  'client_assertion',
  'code',
  'code_verifier',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'authorization',
  'Authorization',
  'cookie',
  'Cookie',
  'set-cookie',
  'email',
].flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

export type Log = Logger;
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** JSON lines on standard output. Synchronous, so that the last words before a crash are not lost. */
export function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redacted, censor: '[redacted]' },
      mixin: () => requestContext.getStore() ?? {},
    },
    pino.destination({ dest: 1, sync: true }),
  );
}

/** The process's log; `main` and the tests set its level from the configuration. */
export const log: Log = createLog('info');
