import type { ServerResponse } from 'node:http';
import { asUnavailable } from '../database/database.js';
import { log } from '../logging/log.js';
import { nameOAuthError } from '../metrics/measured.js';
import { failureText } from '../request/failure-text.js';
import { withErrorUri } from './error-uri.js';

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
