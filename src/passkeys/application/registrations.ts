import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { PasskeyKind } from '../../contract/users/passkeys.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import type { UserFacts } from '../../users/application/user-directory.js';
import { mostPasskeys, Passkeys } from '../domain/passkey.js';
import { Ceremonies, type NewCredential, type Registration } from './ceremonies.js';
import { type NewPasskey, tooMany } from './passkey-registry.js';

/** The answer of a browser that has made a passkey. */
export interface MadePasskey {
  answer: object;
  /** Given by the user or the page. */
  name: string | null | undefined;
}

/** Making a passkey: the question, and the check of the answer. {@link PasskeyRegistry} stores it. */
@Injectable()
export class Registrations {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly ceremonies: Ceremonies,
  ) {}

  /** Throws `conflict` where the account has the most passkeys already. */
  async options(browser: Browser, ceremony: Registration, account: Pick<UserFacts, 'id' | 'email' | 'fullName'>) {
    this.assertAllowed();
    const known = await this.passkeys.ofAccount(account.id);
    if (known.length >= mostPasskeys) throw tooMany();
    return this.ceremonies.registrationOptions(browser, ceremony, account, known);
  }

  /** Throws `invalid` for an answer that is not one to this browser's question. */
  async check(browser: Browser, ceremony: Registration, { answer, name }: MadePasskey): Promise<NewPasskey> {
    this.assertAllowed();
    const credential = await this.ceremonies.checkRegistration(browser, ceremony, answer);
    const kind = kindOf(credential, browser);
    return { accountId: ceremony.accountId, credential, kind, name: name?.trim() || kindNames[kind] };
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
