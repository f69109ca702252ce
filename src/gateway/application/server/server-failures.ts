import { FhirServerFailure } from '../../../fhir-server/application/fhir-server.js';
import { log } from '../../../platform/logging/log.js';
import type { UnexpectedType } from '../../domain/answers/answer-types.js';
import { Refusal } from '../../domain/refusal.js';
import { tooLarge } from './held-memory.js';

const noUsableAnswer = 'The FHIR server gave no usable answer.';

/** The server's answer is none; what it was stays in the log. */
export function unusableAnswer(why: string): Refusal {
  log.warn({ why }, 'the FHIR server returned an answer that cannot be passed on');
  return new Refusal(502, 'exception', noUsableAnswer);
}

/** The refusal for a failure of the server; any other error is thrown. */
export function serverFailure(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof FhirServerFailure)) throw error;
  if (error.reason === 'not-configured') return new Refusal(503, 'transient', 'No FHIR server is connected.');
  if (error.reason !== 'aborted')
    log.warn({ reason: error.reason, err: error.options.cause }, 'request to the FHIR server failed');
  if (error.reason === 'timeout') return new Refusal(504, 'timeout', 'The FHIR server did not answer in time.');
  if (error.reason === 'too-large') return tooLarge();
  if (error.reason === 'garbage') return new Refusal(502, 'exception', noUsableAnswer);
  if (error.wasSent) return new Refusal(502, 'transient', 'The connection to the FHIR server broke.');
  return new Refusal(502, 'transient', 'The FHIR server cannot be reached. Please try again later.');
}

/** The refusal of a change whose outcome is not known: a client that repeats it may make it twice. */
export function ofUnknownOutcome({ status, message, headers }: Refusal): Refusal {
  const code = status === 504 ? 'timeout' : 'exception';
  return new Refusal(status, code, `${message} It is not known whether the change was made.`, headers);
}

/** The server's own body stays in the log. */
export function logUnexpected(err: UnexpectedType): void {
  log.warn({ err }, 'the FHIR server returned resources that were not requested');
}
