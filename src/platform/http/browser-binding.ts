import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { requestContext } from '../scope.js';
import { cookieNames, readCookie } from './cookies.js';

/** The cookie value that identifies this browser, for calls about a client's pending request. */
export const BrowserBinding = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const request = context.switchToHttp().getRequest<Request>();
  // Another portal on this host may have set one, too: only this portal's own cookie name counts.
  return readCookie(request, cookieNames(requestContext.getStore()?.issuer ?? '').browser);
});
