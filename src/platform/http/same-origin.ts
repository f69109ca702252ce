import type { NextFunction, Request, Response } from 'express';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../errors.js';
import { answerProblem } from './problem.filter.js';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Prevents cross-site request forgery: a call that changes something must carry JSON, or the type of its path, which a
 * foreign page cannot send without a preflight, and must not come from another origin. Without both headers the caller
 * is not a browser and holds no cookie that it was not given (security E-03).
 */
export function sameOrigin(issuer: string, typeFor: (path: string) => string = () => 'application/json') {
  const own = new URL(issuer).origin;
  return (request: Request, response: Response, next: NextFunction): void => {
    const refusal = reading.has(request.method) ? undefined : refusalOf(request, own, typeFor(request.path));
    if (refusal) answerProblem(refusal, response);
    else next();
  };
}

function refusalOf(request: Request, own: string, contentType: string): Problem | undefined {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if ((origin !== undefined && origin !== own) || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
    return new Problem('forbidden', message('portal-only'));
  }
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && !request.is(contentType)) {
    return new Problem('unsupported-media-type', message('body-type', { type: contentType }));
  }
  return undefined;
}
