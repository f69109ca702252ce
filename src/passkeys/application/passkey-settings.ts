import { Injectable } from '@nestjs/common';
import { passkeyNameEmpty } from '../../contract/rules/users/passkey-name.js';
import type { OwnPasskey, OwnPasskeys, PasskeyKind } from '../../contract/users/passkeys.js';
import type { Browser } from '../../platform/browser.js';
import { Problem } from '../../platform/errors.js';
import { StepUp } from '../../two-factor/application/step-up.js';
import { TwoFactorChangeGuard, type TwoFactorOwner } from '../../two-factor/application/two-factor-change-guard.js';
import { mostPasskeys, type Passkey, Passkeys } from '../domain/passkey.js';
import { Ceremonies, type NewCredential } from './ceremonies.js';
import { gone, PasskeyRegistry, tooMany } from './passkey-registry.js';

/**
 * The passkeys of the signed-in user. Adding one needs a recent sign-in or the password once more; removing one ends the account's
 * other sessions, since the device may be in other hands.
 */
@Injectable()
export class PasskeySettings {
  constructor(
    private readonly guard: TwoFactorChangeGuard,
    private readonly passkeys: Passkeys,
    private readonly registry: PasskeyRegistry,
    private readonly ceremonies: Ceremonies,
    private readonly stepUp: StepUp,
  ) {}

  async list(browser: Browser): Promise<OwnPasskeys> {
    const owner = await this.guard.find(browser, undefined);
    const passkeys = await this.passkeys.ofAccount(owner.account.id);
    return {
      passkeys: passkeys.map((passkey) => shown(passkey, owner)),
      limit: mostPasskeys,
      hasPassword: await this.registry.hasPassword(owner.account.id),
      currentPasswordRequired: !this.guard.isRecent(owner),
    };
  }

  async begin(browser: Browser, currentPassword: string | null | undefined) {
    const owner = await this.guard.find(browser, undefined);
    await this.guard.assertRecent(owner, currentPassword);
    const known = await this.passkeys.ofAccount(owner.account.id);
    if (known.length >= mostPasskeys) throw tooMany();
    return this.ceremonies.registrationOptions(browser, owner.account, known);
  }

  async add(browser: Browser, answer: object, name: string | null | undefined): Promise<OwnPasskey> {
    const owner = await this.guard.find(browser, undefined);
    const accountId = owner.account.id;
    const credential = await this.ceremonies.checkRegistration(browser, accountId, answer);
    const kind = kindOf(credential, browser);
    const passkey = await this.registry.add(accountId, credential, { kind, name: name?.trim() || kindNames[kind] });
    return shown(passkey, owner);
  }

  async rename(browser: Browser, id: string, name: string): Promise<void> {
    if (name.trim() === '') throw Problem.invalid([{ field: 'name', messages: [passkeyNameEmpty] }]);
    const { account } = await this.guard.find(browser, undefined);
    if (!(await this.passkeys.rename(account.id, id, name.trim()))) throw gone();
  }

  async remove(browser: Browser, id: string): Promise<void> {
    const { account, session } = await this.guard.find(browser, undefined);
    await this.registry.remove(account.id, id, () => this.stepUp.endOthers(session));
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

function shown({ createdAt, lastUsedAt, ...passkey }: Passkey, { session }: TwoFactorOwner): OwnPasskey {
  const { id, name, kind, backedUp, clonedAt } = passkey;
  return {
    ...{ id, name, kind },
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    isThisSignIn: session.passkeyId === id,
    isSynced: backedUp,
    maybeCloned: clonedAt !== null,
  };
}
