import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { equalInConstantTime, Secrets } from '../../platform/crypto/secrets.js';

/** The request that a link can end, with the page that its link leads to. */
const pages = { 'account-deletion': '/account/keep', 'account-recovery': '/account/recovery' } as const;

type Purpose = keyof typeof pages;

/** A link that a user presents. */
export interface RequestLink {
  userId: string;
  token: string;
  /** Key of the rate limit. */
  caller: string;
}

/**
 * Links with which a user ends a request about their account that waits, such as its deletion. A link belongs to one
 * request and works as long as that one waits, so nothing is stored for it: its token is the time of the request with a
 * keyed hash.
 */
@Injectable()
export class RequestLinks {
  constructor(
    private readonly secrets: Secrets,
    private readonly config: Config,
  ) {}

  /** Its host is the issuer's, whatever a request contained (security H-09). */
  addressFor(purpose: Purpose, accountId: string, requestedAt: Date): string {
    return this.config.server.issuer + this.pathFor(purpose, accountId, requestedAt);
  }

  pathFor(purpose: Purpose, accountId: string, requestedAt: Date): string {
    return `${pages[purpose]}?u=${accountId}&t=${this.tokenFor(purpose, accountId, requestedAt)}`;
  }

  /** The time of the request that the link belongs to; undefined for a link that this portal has not made for this. */
  requestTimeIn(purpose: Purpose, { userId, token }: RequestLink): Date | undefined {
    const requestedAt = new Date(Number.parseInt(token, 36));
    if (Number.isNaN(requestedAt.getTime())) return undefined;
    return equalInConstantTime(token, this.tokenFor(purpose, userId, requestedAt)) ? requestedAt : undefined;
  }

  private tokenFor(purpose: Purpose, accountId: string, requestedAt: Date): string {
    const time = requestedAt.getTime().toString(36);
    return `${time}.${this.secrets.hmac(purpose, `${accountId} ${time}`)}`;
  }
}
