import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request, Response } from 'express';
import { HttpBrowser } from '../../platform/http/http-browser.js';
import { type ExternalAuthentication, ExternalSignIns } from '../application/external/external-sign-ins.js';
import type { Proven } from '../application/external/provider-strategy.js';

export interface ExternalRequest extends Request {
  external?: ExternalAuthentication;
  /** The result of passport's authentication. */
  user?: Express.User & Proven;
}

/**
 * Passport with a strategy for this one request: it keeps the outcome on the strategy, and names are for all portals.
 */
class OneAuthentication extends AuthGuard() {
  constructor({ strategy }: ExternalAuthentication) {
    super({ defaultStrategy: strategy as never, session: false, property: 'user' });
  }

  override handleRequest<T>(error: unknown, user: T | false, info: { message?: string } | undefined): T {
    // The package wraps what a request to the provider failed by.
    if (error) throw (error as { oauthError?: unknown }).oauthError ?? error;
    if (!user) throw new Error(info?.message ?? 'refused');
    return user;
  }
}

/**
 * Hands a sign-in at another provider to passport. On the way there passport answers with the redirect, and nothing
 * else runs; on the way back the route gets the provider's verified result.
 */
@Injectable()
export class ExternalSignInGuard implements CanActivate {
  constructor(private readonly signIns: ExternalSignIns) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ExternalRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    response.set('Cache-Control', 'no-store');
    const browser = new HttpBrowser(request, response);
    const { scheme } = request.params;
    const authentication =
      typeof scheme === 'string'
        ? await this.signIns.resume(browser, scheme, request.query)
        : await this.signIns.begin(browser, request.query);
    request.external = authentication;
    try {
      return (await new OneAuthentication(authentication).canActivate(context)) as boolean;
    } catch (error) {
      throw await this.signIns.refuse(browser, authentication.attempt, error);
    }
  }
}
