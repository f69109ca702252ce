import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { errorDocument } from '../../platform/http/client-document.js';
import { answerProblem } from '../../platform/http/problem.filter.js';
import { SignInRefused } from '../application/sign-in-refused.js';

/** A browser stands at these addresses, not a call: what went wrong is a page with a way on. */
@Catch()
export class ExternalSignInFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (error instanceof SignInRefused) {
      response.set('Cache-Control', 'no-store').redirect(303, error.location);
      return;
    }
    const isBrowser = request.path.startsWith('/federation/') || request.headers.accept?.includes('text/html');
    const { kind, options } = (error ?? {}) as { kind?: unknown; options?: { retryAfterSeconds?: number } };
    if (isBrowser && (kind === 'invalid' || kind === 'throttled')) {
      const status = kind === 'invalid' ? 400 : 429;
      const { html, headers } = errorDocument(status);
      if (options?.retryAfterSeconds) response.set('Retry-After', String(options.retryAfterSeconds));
      response.status(status).set(headers).send(html);
      return;
    }
    answerProblem(error, response);
  }
}
