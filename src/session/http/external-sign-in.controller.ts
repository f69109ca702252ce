import { Controller, Get, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../platform/http/access.js';
import { ExternalSignIns } from '../application/external-sign-ins.js';
import { ExternalSignInFilter } from './external-sign-in.filter.js';
import { type ExternalRequest, ExternalSignInGuard } from './external-sign-in.guard.js';

/** Navigations of the browser to another provider and back (`spec §7`); `state` protects them, as they change something. */
@Controller()
@Public()
@UseGuards(ExternalSignInGuard)
@UseFilters(ExternalSignInFilter)
export class ExternalSignInController {
  constructor(private readonly signIns: ExternalSignIns) {}

  /** Query: `scheme`, and `returnUrl` if an app waits. The guard has sent the browser on before this is reached. */
  @Get('connect/authorize/external')
  begin(): void {}

  @Get('federation/:scheme/signin')
  async finish(@Req() request: ExternalRequest, @Res() response: Response): Promise<void> {
    const { external, user } = request;
    if (!external || !user) throw new Error('passport has let through what it has not seen');
    response.redirect(303, await this.signIns.finish(request, response, external, user));
  }
}
