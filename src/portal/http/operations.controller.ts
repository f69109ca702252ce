import { Controller, Get, Header, NotFoundException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../contract/messages/message.js';
import { Public } from '../../platform/http/access.js';
import { ClientAddress } from '../../platform/http/client-address.js';
import { Health } from '../application/health.js';
import { Metrics } from '../application/metrics.js';

/** Endpoints for operators. */
@Public()
@Controller()
export class OperationsController {
  constructor(
    private readonly health: Health,
    private readonly metrics: Metrics,
    private readonly addresses: ClientAddress,
  ) {}

  /** Liveness: the process answers. The state of the database is irrelevant for the decision to restart it. */
  @Get('health/live')
  @Header('Cache-Control', 'no-store')
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  @Get('health/ready')
  async ready(@Res() response: Response): Promise<void> {
    const readiness = await this.health.readiness();
    response
      .status(readiness.status === 'ready' ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json(readiness);
  }

  /** Served to this machine only; to others it does not exist. */
  @Get('metrics')
  async scrape(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (!this.addresses.isThisMachine(request)) throw new NotFoundException(message('address-unknown'));
    response.set({ 'Cache-Control': 'no-store', 'Content-Type': this.metrics.contentType });
    response.send(await this.metrics.text());
  }
}
