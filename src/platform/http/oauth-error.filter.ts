import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { currentReference } from '../activity/launch-notes.js';
import { Problem, type ProblemKind } from '../errors.js';
import { nameOAuthError } from '../metrics/measured.js';
import { withErrorUri } from './oauth-errors.js';
import { answerProblem } from './problem.filter.js';

const codes: Partial<Record<ProblemKind, string>> = {
  invalid: 'invalid_request',
  'method-not-allowed': 'invalid_request',
  unauthenticated: 'invalid_client',
  throttled: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
};

/** Error responses of protocol endpoints outside of the engine, as in RFC 6749 §5.2. */
@Catch()
export class OAuthErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const code = error instanceof Problem ? codes[error.kind] : undefined;
    if (!(error instanceof Problem) || code === undefined) {
      answerProblem(error, response);
      return;
    }
    nameOAuthError(code);
    if (error.kind === 'unauthenticated') response.set('WWW-Authenticate', 'Basic realm="gatehouse", charset="UTF-8"');
    const { retryAfterSeconds } = error.options;
    if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
    response.set('Cache-Control', 'no-store').set('Pragma', 'no-cache');
    response.status(error.status).json(withErrorUri({ error: code, error_description: withReference(error.message) }));
  }
}

/** The sentence, with the reference of the record that has the cause. */
function withReference(sentence: string): string {
  const reference = currentReference();
  return reference === undefined ? sentence : `${sentence.replace(/\.?$/, '.')} Reference: ${reference}`;
}
