import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { BrowserFamily } from '../../contract/users/account.js';
import { Browser, browserFamilyOf, type KeptValue } from '../request/browser.js';
import { callerKey } from '../request/caller-key.js';
import { requestContext } from '../request/scope.js';
import { clearCookie, cookieNames, readCookie, setCookie } from './cookies.js';

/** The browser of an HTTP request: it keeps values in cookies. */
export class HttpBrowser extends Browser {
  /** Another portal on this host may have set cookies, too: only this portal's own names count. */
  readonly cookies = cookieNames(requestContext.getStore()?.issuer ?? '');

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    super();
  }

  get addressKey(): string {
    return callerKey();
  }

  get family(): BrowserFamily {
    return browserFamilyOf(this.request.headers['user-agent']);
  }

  /** True if the request carries a session, valid or not. */
  get hasSession(): boolean {
    return readCookie(this.request, this.cookies.session) !== undefined;
  }

  recall(name: KeptValue): string | undefined {
    return readCookie(this.request, this.nameOf(name));
  }

  keep(name: KeptValue, value: string, maxAgeSeconds?: number): void {
    const { secure, path } = this.cookies;
    setCookie(this.response, this.nameOf(name), value, {
      secure,
      path,
      ...(maxAgeSeconds === undefined ? {} : { maxAgeSeconds }),
    });
  }

  forget(name: KeptValue): void {
    clearCookie(this.response, this.nameOf(name), this.cookies);
  }

  private nameOf(name: KeptValue): string {
    const { browser, secondStep, known, linkAsked, invited } = this.cookies;
    return { binding: browser, 'second-step': secondStep, known, 'link-asked': linkAsked, invited }[name];
  }
}

export function browserOf(context: ExecutionContext): HttpBrowser {
  const http = context.switchToHttp();
  return new HttpBrowser(http.getRequest<Request>(), http.getResponse<Response>());
}

/** The browser that calls a route. */
export const CallingBrowser = createParamDecorator((_: unknown, context: ExecutionContext) => browserOf(context));
