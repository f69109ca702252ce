import { type Logger, pino } from 'pino';
import { referenceOf } from '../../contract/activity/reference.js';
import { requestContext } from '../request/scope.js';
import { LogOutput } from './log-output.js';
import { sourcePositionsIn } from './source-positions.js';

/**
 * The only list of values that must never reach a log (security N-01). Secrets are kept out at the source as well: no
 * code logs whole requests, bodies, headers or URLs with a query.
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
]
  .flatMap((key) => [key, `*.${key}`, `*.*.${key}`])
  // The `code` of an error is its cause; an authorization code is a request parameter.
  .concat('code', 'query.code', 'body.code', 'params.code');

/**
 * Members of an error that are logged. The others hold personal data: the values of a statement, the row that violates
 * a constraint, the claims of a token (security N-01, N-06).
 */
const loggedMembers = ['type', 'message', 'stack', 'code', 'query', 'table', 'constraint'];

/** In the build, all of our code is in the folder of this file. */
const withSourcePositions = sourcePositionsIn(new URL('.', import.meta.url).href);

function errorOf(error: Error): object {
  const described = Object.entries(pino.stdSerializers.err(error) ?? {}).filter(([name]) =>
    loggedMembers.includes(name),
  );
  return Object.fromEntries(
    described.map(([name, value]) => [name, name === 'stack' ? withSourcePositions(String(value)) : value]),
  );
}

export type Log = Logger;
type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

let output = new LogOutput(1);

/** The code of the error by which the log cannot be written at the moment, such as `ENOSPC`. */
export const logObstacle = (): string | undefined => output.obstacle;

/** For a process whose standard output is a result. */
export function logToStandardError(): void {
  output = new LogOutput(2);
}

/** Logs JSON lines to standard output. */
function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorOf },
      redact: { paths: redacted, censor: '[redacted]' },
      mixin: () => {
        const context = requestContext.getStore();
        if (!context) return {};
        const { correlationId, launch, span } = context;
        const traced = span?.isRecorded ? { correlationId, traceId: span.traceId } : { correlationId };
        return launch?.id === undefined ? traced : { ...traced, launch: referenceOf(launch.id) };
      },
    },
    { write: (line: string) => output.write(line) },
  );
}

/** The process's log; `main` and the tests set its level from the configuration. */
export const log: Log = createLog('info');
