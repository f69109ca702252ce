import { Controller, Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignOut } from '../application/sign-out.js';

/** The page on which a user signs out in order to answer with another account. */
const invitation = '/invitation';

/** A navigation, not a call (`spec §7`): the one GET that ends something, so a foreign page may not cause it. */
@Controller('logout')
@Public()
export class LogoutController {
  constructor(private readonly session: SignOut) {}

  @Get()
  async logout(
    @Query('continue') page: unknown,
    @CallingBrowser() browser: HttpBrowser,
    @Res() response: Response,
  ): Promise<void> {
    response.set('Cache-Control', 'no-store');
    const site = browser.request.headers['sec-fetch-site'];
    if (site !== 'same-origin' && site !== 'none') {
      // The engine's page asks the user, also where the browser does not name the client (security D-05).
      response.redirect(303, '/connect/endsession');
      return;
    }
    response.redirect(303, await this.session.signOut(browser, page === invitation ? invitation : undefined));
  }
}
