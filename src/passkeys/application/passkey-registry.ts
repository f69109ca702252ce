import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { PasskeyKind } from '../../contract/users/passkeys.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { distinctName, mostPasskeys, type Passkey, Passkeys } from '../domain/passkey.js';
import { Ceremonies, type NewCredential, type Registration } from './ceremonies.js';
import { Challenges } from './challenges.js';
import { PasskeyEvents } from './passkey-events.js';

/** The answer of a browser that has made a passkey. */
export interface MadePasskey {
  answer: object;
  /** Given by the user or the page. */
  name: string | null | undefined;
}

/** A passkey that was made and checked, and is not stored yet. */
export interface NewPasskey extends Pick<Passkey, 'accountId' | 'kind' | 'name'> {
  credential: NewCredential;
}

/**
 * Makes, adds and removes passkeys, under the lock of their account: it never has more than the limit, and never none
 * while it has no password either.
 */
@Injectable()
export class PasskeyRegistry {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly ceremonies: Ceremonies,
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

  /** The question for a new passkey. Throws `conflict` where the account has the most passkeys already. */
  async registrationOptions(
    browser: Browser,
    ceremony: Registration,
    account: Pick<UserFacts, 'id' | 'email' | 'fullName'>,
  ) {
    this.assertAllowed();
    const known = await this.passkeys.ofAccount(account.id);
    if (known.length >= mostPasskeys) throw tooMany();
    return this.ceremonies.registrationOptions(browser, ceremony, account, known);
  }

  /**
   * The checked answer, for {@link add} to store. Throws `invalid` for one that does not belong to this browser's
   * question.
   */
  async checkRegistration(
    browser: Browser,
    ceremony: Registration,
    { answer, name }: MadePasskey,
  ): Promise<NewPasskey> {
    this.assertAllowed();
    const credential = await this.ceremonies.checkRegistration(browser, ceremony, answer);
    const kind = kindOf(credential, browser);
    return { accountId: ceremony.accountId, credential, kind, name: name?.trim() || kindNames[kind] };
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

  private assertAllowed(): void {
    if (!this.ceremonies.areAllowed) throw new Problem('forbidden', message('passkeys-off'));
  }
}

/** The names until users give others; the page sends a better one, in their language. */
const kindNames: Record<PasskeyKind, string> = {
  phone: 'Phone',
  laptop: 'Computer',
  'security-key': 'Security key',
  other: 'Passkey',
};

function kindOf({ attachment, transports }: NewCredential, { family }: Browser): PasskeyKind {
  if (attachment === 'platform') return family.system === 'iOS' || family.system === 'Android' ? 'phone' : 'laptop';
  if (transports.includes('hybrid')) return 'phone';
  return attachment === 'cross-platform' ? 'security-key' : 'other';
}

function tooMany(): Problem {
  return new Problem('conflict', message('passkeys-too-many', { limit: mostPasskeys }));
}

export function passkeyGone(): Problem {
  return new Problem('not-found', message('passkey-gone'));
}
