import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { cookieNames, readCookie } from './cookies.js';

/** The value that tells this browser from others, for calls about an app's pending request. */
export const BrowserBinding = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const request = context.switchToHttp().getRequest<Request>();
  // The name depends on the issuer's scheme; a browser holds only the one that this portal set.
  return readCookie(request, cookieNames('https://').browser) ?? readCookie(request, cookieNames('http://').browser);
});
