import type { ServerResponse } from 'node:http';
import { oauthError } from '../../contract/activity/oauth-errors.js';
import { asUnavailable } from '../database/database.js';
import { log } from '../logging/log.js';
import { nameOAuthError } from '../metrics/measured.js';
import { failureText } from '../request/failure-text.js';
import { requestContext } from '../request/scope.js';

/**
 * Address of the page that explains an OAuth error (`error_uri`, RFC 6749 §4.1.2.1, §5.2); without a page there is
 * none.
 */
export function errorUri(error: string): string | undefined {
  const { issuer } = requestContext.getStore() ?? {};
  return issuer === undefined || !oauthError(error) ? undefined : `${issuer.replace(/\/$/, '')}/help/errors/${error}`;
}

/** An OAuth error with the address of its page. */
export function withErrorUri<Body extends { error: string }>(body: Body): Body & { error_uri?: string } {
  const uri = errorUri(body.error);
  return uri === undefined ? body : { ...body, error_uri: uri };
}

/** Sends an error response (RFC 6749 §5.2). */
export function answerOAuthError(response: ServerResponse, status: number, error: string, description: string): void {
  nameOAuthError(error);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    Pragma: 'no-cache',
  };
  response.writeHead(status, headers).end(JSON.stringify(withErrorUri({ error, error_description: description })));
}

/** Answers a failure before the request reached the engine. */
export function answerOAuthFailure(error: unknown, response: ServerResponse): void {
  const isBusy = asUnavailable(error) !== undefined;
  const message = isBusy ? 'the engine is temporarily unavailable' : 'a request to the engine failed';
  log[isBusy ? 'warn' : 'error']({ err: error }, message);
  if (response.headersSent) {
    response.destroy();
  } else if (isBusy) {
    response.setHeader('Retry-After', '2');
    answerOAuthError(response, 503, 'temporarily_unavailable', 'Please try again in a few seconds.');
  } else {
    answerOAuthError(response, 500, 'server_error', failureText());
  }
}
