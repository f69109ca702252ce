import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../../platform/http/access.js';
import { Sessions } from '../application/sessions.js';

/** A navigation, not a call (`spec §7`): the one GET that ends something, so a foreign page may not cause it. */
@Controller('logout')
@Public()
export class LogoutController {
  constructor(private readonly sessions: Sessions) {}

  @Get()
  async logout(@Req() request: Request, @Res() response: Response): Promise<void> {
    response.set('Cache-Control', 'no-store');
    const site = request.headers['sec-fetch-site'];
    if (site !== 'same-origin' && site !== 'none') {
      // The engine's page asks the user, also where the browser does not name the client (security D-05).
      response.redirect(303, '/connect/endsession');
      return;
    }
    response.redirect(303, await this.sessions.signOut(request, response));
  }
}
