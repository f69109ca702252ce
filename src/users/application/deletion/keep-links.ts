import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import { Config } from '../../../platform/config/config.js';
import { equalInConstantTime, Secrets } from '../../../platform/crypto/secrets.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { type AccountDeletion, AccountDeletions } from '../../domain/account-deletion.js';
import { Users } from '../../domain/user.js';

const guesses: Limit = { name: 'keep-link', points: 50, seconds: 3600 };
const page = '/account/keep';

export interface KeepLink {
  userId: string;
  token: string;
  /** Key of the rate limit. */
  caller: string;
}

/**
 * Links with which a user keeps an account whose deletion they have requested. A link belongs to one request and works as long as that
 * one waits, so nothing is stored for it: its token is a keyed hash. Keeping is all that it permits.
 */
@Injectable()
export class KeepLinks {
  constructor(
    private readonly deletions: AccountDeletions,
    private readonly users: Users,
    private readonly secrets: Secrets,
    private readonly limits: Limits,
    private readonly config: Config,
  ) {}

  /** Its host is the issuer's, whatever a request contained (H-09). */
  addressFor(accountId: string, deletion: AccountDeletion): string {
    return this.config.server.issuer + this.pathFor(accountId, deletion);
  }

  /** The page of the portal on which a user who has proven who they are keeps the account; undefined if it stays anyway. */
  async pageFor(accountId: string): Promise<string | undefined> {
    const deletion = await this.deletions.find(accountId);
    return deletion && this.pathFor(accountId, deletion);
  }

  /** The request that the link belongs to; undefined if the account is kept already. Throws for any other link. */
  async deletionOf({ userId, token, caller }: KeepLink): Promise<AccountDeletion | undefined> {
    await this.limits.check(guesses, caller);
    const requestedAt = this.requestTimeIn(userId, token);
    const deletion = requestedAt && (await this.deletions.find(userId));
    const isOfEarlierRequest = deletion && deletion.requestedAt.getTime() !== requestedAt?.getTime();
    if (!requestedAt || isOfEarlierRequest || !(await this.users.find(userId))) {
      await this.limits.count(guesses, caller);
      throw keepLinkEnded();
    }
    return deletion;
  }

  private pathFor(accountId: string, { requestedAt }: AccountDeletion): string {
    return `${page}?u=${accountId}&t=${this.tokenFor(accountId, requestedAt)}`;
  }

  private tokenFor(accountId: string, requestedAt: Date): string {
    const time = requestedAt.getTime().toString(36);
    return `${time}.${this.secrets.hmac('account-deletion', `${accountId} ${time}`)}`;
  }

  private requestTimeIn(accountId: string, token: string): Date | undefined {
    const requestedAt = new Date(Number.parseInt(token, 36));
    if (Number.isNaN(requestedAt.getTime())) return undefined;
    return equalInConstantTime(token, this.tokenFor(accountId, requestedAt)) ? requestedAt : undefined;
  }
}

function keepLinkEnded(): Problem {
  return new Problem('invalid', message('keep-link-ended'));
}
