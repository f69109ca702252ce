import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { passkeyNameEmpty } from '../../contract/rules/users/passkeys.js';
import type { OwnPasskey, OwnPasskeys } from '../../contract/users/passkeys.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { StepUp } from '../../two-factor/application/step-up.js';
import { TwoFactorChangeGuard, type TwoFactorOwner } from '../../two-factor/application/two-factor-change-guard.js';
import { mostPasskeys, type Passkey, Passkeys } from '../domain/passkey.js';
import { PasskeyRegistry, passkeyGone } from './passkey-registry.js';

/**
 * The passkeys of the signed-in user. Adding and removing one needs a recent sign-in, or the password or a passkey once
 * more (security G-08); removing one ends the account's other sessions, since the device may be in other hands.
 *
 * After a sign-in with a password the user is offered one: at most three times, 30 days apart. Where passkeys are
 * required, the offer is made at each such sign-in until the account has one.
 */
@Injectable()
export class PasskeySettings {
  constructor(
    private readonly guard: TwoFactorChangeGuard,
    private readonly passkeys: Passkeys,
    private readonly registry: PasskeyRegistry,
    private readonly stepUp: StepUp,
    private readonly sessions: BrowserSessions,
    private readonly config: Config,
  ) {}

  async list(browser: Browser): Promise<OwnPasskeys> {
    const owner = await this.guard.ownerOf(browser, undefined);
    const passkeys = await this.passkeys.ofAccount(owner.account.id);
    return {
      passkeys: passkeys.map((passkey) => ownPasskey(passkey, owner)),
      limit: mostPasskeys,
      hasPassword: await this.registry.hasPassword(owner.account.id),
      currentPasswordRequired: !this.guard.isRecent(owner),
    };
  }

  async begin(browser: Browser, currentPassword: string | null | undefined) {
    const owner = await this.guard.ownerOf(browser, undefined);
    await this.guard.assertRecent(owner, currentPassword);
    return this.registry.registrationOptions(
      browser,
      { purpose: 'register', accountId: owner.account.id },
      owner.account,
    );
  }

  async add(browser: Browser, answer: object, name: string | null | undefined): Promise<OwnPasskey> {
    const owner = await this.guard.ownerOf(browser, undefined);
    const ceremony = { purpose: 'register', accountId: owner.account.id } as const;
    const checked = await this.registry.checkRegistration(browser, ceremony, { answer, name });
    const passkey = await this.registry.add(checked);
    return ownPasskey(passkey, owner);
  }

  async rename(browser: Browser, id: string, name: string): Promise<void> {
    if (name.trim() === '') throw Problem.invalid([{ field: 'name', messages: [passkeyNameEmpty] }]);
    const { account } = await this.guard.ownerOf(browser, undefined);
    if (!(await this.passkeys.rename(account.id, id, name.trim()))) throw passkeyGone();
  }

  async remove(browser: Browser, id: string, currentPassword: string | null | undefined): Promise<void> {
    const owner = await this.guard.ownerOf(browser, undefined);
    await this.guard.assertRecent(owner, currentPassword);
    await this.registry.remove(owner.account.id, id, () => this.stepUp.endOthers(owner.session));
  }

  async isOfferDue(browser: Browser): Promise<boolean> {
    const { accountId, amr } = await this.sessionOf(browser);
    if (!amr.includes('pwd')) return false;
    return this.areRequired ? !(await this.passkeys.has(accountId)) : this.passkeys.mayOffer(accountId);
  }

  async putOffOffer(browser: Browser): Promise<void> {
    const { accountId } = await this.sessionOf(browser);
    // It is asked for at the next sign-in, and not counted.
    if (!this.areRequired) await this.passkeys.putOffOffer(accountId);
  }

  private get areRequired(): boolean {
    return this.config.account.passkeys === 'required';
  }

  private async sessionOf(browser: Browser) {
    const session = await this.sessions.describe(browser);
    if (!session) throw new Problem('unauthenticated', message('sign-in-needed'));
    return session;
  }
}

function ownPasskey({ createdAt, lastUsedAt, ...passkey }: Passkey, { session }: TwoFactorOwner): OwnPasskey {
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
