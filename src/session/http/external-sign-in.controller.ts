import { Controller, Get, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { ExternalSignInCompletion } from '../application/external/external-sign-in-completion.js';
import { ExternalSignInFilter } from './external-sign-in.filter.js';
import { type ExternalRequest, ExternalSignInGuard } from './external-sign-in.guard.js';

/**
 * Navigations of the browser to another provider and back (`spec §7`); `state` protects them, as they change something.
 */
@Controller()
@Public()
@UseGuards(ExternalSignInGuard)
@UseFilters(ExternalSignInFilter)
export class ExternalSignInController {
  constructor(private readonly completion: ExternalSignInCompletion) {}

  /** Query: `scheme`, and `returnUrl` if an app waits. The guard has sent the browser on before this is reached. */
  @Get('connect/authorize/external')
  begin(): void {}

  @Get('federation/:scheme/signin')
  async finish(
    @Req() { external, user }: ExternalRequest,
    @CallingBrowser() browser: HttpBrowser,
    @Res() response: Response,
  ): Promise<void> {
    if (!external || !user) throw new Error('passport let a request through without an authenticated user');
    response.redirect(303, await this.completion.finish(browser, external, user));
  }
}
