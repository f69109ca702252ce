import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EndedSession, logoutJobs } from '../../oidc-store/infrastructure/logout-queue.js';
import { Outbound } from '../../platform/http/outbound.js';
import { type JobFailure, oneByOne } from '../../platform/jobs/job-kind.js';
import { JobRunner } from '../../platform/jobs/job-runner.js';
import { Engine } from '../engine/shared/engine.js';
import { gatehouseClient } from '../engine/shared/engine-models.js';

/** Shorter than the lease of an attempt. */
const timeoutMs = 5_000;
const maxBytes = 16 * 1024;

/**
 * Notifies clients of the end of a session (OpenID Connect Back-Channel Logout 1.0). Each attempt gets a new token,
 * because it lives for two minutes and a client remembers its `jti`.
 */
@Injectable()
export class BackchannelLogout implements OnModuleInit {
  constructor(
    private readonly engine: Engine,
    private readonly outbound: Outbound,
    private readonly runner: JobRunner,
  ) {}

  onModuleInit(): void {
    this.runner.register(logoutJobs, { attempt: oneByOne(({ payload }) => this.notify(payload)) });
  }

  private async notify(ended: EndedSession): Promise<JobFailure | undefined> {
    const client = await this.engine.provider.Client.find(ended.clientId);
    const url = client ? gatehouseClient(client).settings.backChannelLogoutUri : '';
    if (!client || url === '') return undefined;
    const problem = await this.deliver(url, await this.tokenFor(client, ended));
    return problem === undefined ? undefined : { reason: `${ended.clientId}: ${problem}` };
  }

  private async tokenFor(client: object, { accountId, sid }: EndedSession): Promise<string> {
    const token = new this.engine.provider.IdToken({ sub: accountId }, { client, ctx: undefined } as never);
    Object.assign(token, { mask: { sub: null } });
    token.set('events', { 'http://schemas.openid.net/event/backchannel-logout': {} });
    token.set('jti', randomUUID());
    token.set('sid', sid);
    return token.issue({ use: 'logout' });
  }

  /** Sends the logout token; returns the reason of a failure. */
  private async deliver(url: string, token: string): Promise<string | undefined> {
    try {
      const { status } = await this.outbound.send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token: token }).toString(),
        timeoutMs,
        maxBytes,
      });
      return status === 200 || status === 204 ? undefined : `answered ${status}`;
    } catch (error) {
      return error instanceof Error ? error.message : 'unknown';
    }
  }
}
