import { asUnavailable } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { failureText } from '../../platform/failure-text.js';
import { log } from '../../platform/logging/log.js';
import { Refusal } from '../domain/refusal.js';

/** What an app is told about a failure, whatever it was. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const problem = error instanceof Problem ? error : asUnavailable(error);
  if (problem?.kind === 'unavailable') {
    log.warn({ err: problem.options.cause }, 'the gateway cannot decide at the moment');
    return new Refusal(503, 'transient', problem.message, { 'Retry-After': '2' });
  }
  log.error({ err: error }, 'a request to the gateway failed');
  return new Refusal(500, 'exception', failureText());
}
