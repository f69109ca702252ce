import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type DueLogout, LogoutQueue, logoutsDue } from '../../oidc-store/application/logout-queue.js';
import { Notifications } from '../../platform/database/notifications.js';
import { Outbound } from '../../platform/http/outbound.js';
import { log } from '../../platform/logging/log.js';
import { Engine } from '../engine/engine.js';
import { gatehouseClient } from '../engine/shared/engine-models.js';

const atOnce = 20;
const lookEveryMs = 15_000;
const timeoutMs = 5_000;
const maxBytes = 16 * 1024;

/**
 * Notifies clients of the end of a session (OpenID Connect Back-Channel Logout 1.0). Each attempt gets a new token,
 * because it lives for two minutes and a client remembers its `jti`.
 */
@Injectable()
export class BackchannelLogout implements OnModuleInit, OnModuleDestroy {
  private working: Promise<void> | undefined;
  private moreCame = false;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly queue: LogoutQueue,
    private readonly outbound: Outbound,
    private readonly notifications: Notifications,
  ) {}

  onModuleInit(): void {
    this.notifications.on(logoutsDue, () => this.work());
    this.notifications.onReconnect(() => this.work());
    this.timer = setInterval(() => this.work(), lookEveryMs).unref();
  }

  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.working;
  }

  private work(): void {
    this.moreCame = true;
    this.working ??= this.tellAll()
      .catch((error: unknown) => log.warn({ err: error }, 'back-channel logout deferred'))
      .finally(() => {
        this.working = undefined;
        if (this.moreCame && !this.closed) this.work();
      });
  }

  private async tellAll(): Promise<void> {
    while (this.moreCame && !this.closed) {
      this.moreCame = false;
      const due = await this.queue.take(atOnce);
      if (due.length === atOnce) this.moreCame = true;
      await Promise.all(due.map((logout) => this.tell(logout)));
    }
  }

  private async tell(logout: DueLogout): Promise<void> {
    const { clientId, attempts } = logout;
    const client = await this.engine.provider.Client.find(clientId);
    const url = client ? gatehouseClient(client).settings.backChannelLogoutUri : '';
    if (!client || url === '') return this.queue.done(logout);
    const problem = await this.deliver(url, await this.tokenFor(client, logout));
    if (problem === undefined) return this.queue.done(logout);
    const again = await this.queue.failed(logout);
    log.warn({ clientId, attempts, problem, again }, 'back-channel logout failed');
  }

  private async tokenFor(client: object, { accountId, sid }: DueLogout): Promise<string> {
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
