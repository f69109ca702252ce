import { oauthErrors } from '../../contract/activity/oauth-errors.js';
import { requestContext } from '../request/scope.js';

/** Names what the current request does, by a word of a fixed list. */
export function nameOperation(operation: string): void {
  const measured = requestContext.getStore()?.measured;
  if (measured) measured.operation = operation;
}

/** Names the error code of the current request's answer, by a word of a fixed list. */
export function nameOutcome(outcome: string): void {
  const measured = requestContext.getStore()?.measured;
  if (measured) measured.outcome = outcome;
}

/** As {@link nameOutcome}, for the `error` of an OAuth answer. */
export function nameOAuthError(error: string): void {
  nameOutcome(Object.hasOwn(oauthErrors, error) ? error : 'other');
}

/** Adds the time in which the current request has waited for the FHIR server. */
export function addServerTime(ms: number): void {
  const measured = requestContext.getStore()?.measured;
  if (measured) measured.serverMs = (measured.serverMs ?? 0) + ms;
}
