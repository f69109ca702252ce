import { asUnavailable } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { log } from '../../../platform/logging/log.js';
import { failureText } from '../../../platform/request/failure-text.js';
import { Refusal } from '../../domain/refusal.js';

/** Maps any failure to the refusal that the client gets. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const problem = error instanceof Problem ? error : asUnavailable(error);
  if (problem?.kind === 'unavailable') {
    log.warn({ err: problem.options.cause }, 'gateway authorization is temporarily unavailable');
    return new Refusal(503, 'transient', problem.message, { 'Retry-After': '2' });
  }
  log.error({ err: error }, 'gateway request failed');
  return new Refusal(500, 'exception', failureText());
}
