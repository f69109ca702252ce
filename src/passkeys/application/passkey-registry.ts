import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { distinctName, mostPasskeys, type Passkey, Passkeys } from '../domain/passkey.js';
import type { NewCredential } from './ceremonies.js';
import { Challenges } from './challenges.js';
import { PasskeyEvents } from './passkey-events.js';

/** A passkey that was made and checked, and is not stored yet. */
export interface NewPasskey extends Pick<Passkey, 'accountId' | 'kind' | 'name'> {
  credential: NewCredential;
}

/**
 * Adds and removes passkeys under the lock of their account: it never has more than the limit, and never none while it
 * has no password either.
 */
@Injectable()
export class PasskeyRegistry {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly challenges: Challenges,
    private readonly accounts: UserDirectory,
    private readonly events: PasskeyEvents,
    private readonly database: Database,
  ) {}

  async hasPassword(accountId: string): Promise<boolean> {
    return (await this.accounts.lockSignInMethods(accountId))?.hasPassword ?? false;
  }

  /** The passkeys of an account without their keys. */
  async describe(accountId: string) {
    const passkeys = await this.passkeys.ofAccount(accountId);
    return passkeys.map(({ name, kind, createdAt, lastUsedAt, backedUp }) => ({
      ...{ name, kind },
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
      isSynced: backedUp,
    }));
  }

  /** Throws `conflict` for the eleventh, and for a credential that is known already. */
  add({ accountId, credential, kind, name }: NewPasskey): Promise<Passkey> {
    const { attachment: _, challenge, ...key } = credential;
    return this.database.transaction(async () => {
      if (!(await this.accounts.lockSignInMethods(accountId)))
        throw new Problem('unauthenticated', message('sign-in-needed'));
      await this.challenges.use(challenge);
      const known = await this.passkeys.ofAccount(accountId);
      if (known.length >= mostPasskeys) throw tooMany();
      const times = { createdAt: new Date(), lastUsedAt: null, clonedAt: null };
      const names = known.map((one) => one.name);
      const passkey = { id: randomUUID(), accountId, ...key, kind, name: distinctName(name, names), ...times };
      if (!(await this.passkeys.add(passkey))) throw new Problem('conflict', message('passkey-known'));
      await this.events.recordAddition(accountId, passkey.name);
      return passkey;
    });
  }

  /**
   * Removes those of a user who has lost them, in the caller's transaction; returns their number. The password, if any,
   * stays.
   */
  async removeAll(accountId: string): Promise<number> {
    await this.accounts.lockSignInMethods(accountId);
    return this.passkeys.removeAll(accountId);
  }

  /** Throws `conflict` for the last sign-in method of the account. `then` runs in the same transaction. */
  remove(accountId: string, id: string, then: () => Promise<void>): Promise<void> {
    return this.database.transaction(async () => {
      const ways = await this.accounts.lockSignInMethods(accountId);
      const name = await this.passkeys.remove(accountId, id);
      if (name === undefined) throw passkeyGone();
      if (!ways?.hasPassword && !(await this.passkeys.has(accountId))) {
        throw new Problem('conflict', message('passkey-last-way-in'));
      }
      await then();
      await this.events.recordRemoval(accountId, name);
    });
  }
}

export function tooMany(): Problem {
  return new Problem('conflict', message('passkeys-too-many', { limit: mostPasskeys }));
}

export function passkeyGone(): Problem {
  return new Problem('not-found', message('passkey-gone'));
}
