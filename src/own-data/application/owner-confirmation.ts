import { Injectable } from '@nestjs/common';
import type { AuditType } from '../../contract/audit/audit-types.js';
import { type Message, message } from '../../contract/messages/message.js';
import type { ExternalProvider } from '../../contract/session.js';
import { BrowserSessions, type SessionFacts } from '../../oidc/application/browser-sessions.js';
import { PasskeyProofs } from '../../passkeys/application/passkey-proofs.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { OwnDetails } from '../../users/application/own-details.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';

/** A proof this young need not be repeated (security G-08). */
const recentSeconds = 300;

/** The proof that the user is there. */
export type PresenceProof = 'password' | 'passkey' | 'provider';

/** The signed-in user, and their session. */
export interface Owner {
  account: UserFacts;
  session: SessionFacts;
}

/**
 * Proof that the user is there, and not only their browser: the password, or a passkey. A user of another provider has
 * neither here and signs in there again, where the provider has to ask them who they are: decision 0063.
 */
@Injectable()
export class OwnerConfirmation {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly accounts: UserDirectory,
    private readonly details: OwnDetails,
    private readonly passkeys: PasskeyProofs,
    private readonly config: Config,
  ) {}

  async ownerOf(browser: Browser): Promise<Owner> {
    const session = await this.sessions.describe(browser);
    const account = session && (await this.accounts.findById(session.accountId));
    if (!session || !account) throw new Problem('unauthenticated', message('sign-in-needed'));
    return { account, session };
  }

  /**
   * The provider at which the user confirms; null for an account with a password, and if it is no longer configured.
   */
  providerOf({ account, session }: Owner): ExternalProvider | null {
    if (!account.isExternal) return null;
    const provider = this.config.identityProviders.find(({ scheme }) => scheme === session.identityProvider);
    return provider ? { authenticationScheme: provider.scheme, displayName: provider.displayName } : null;
  }

  /** True if the user has proven a passkey, or has signed in at the other provider again, within the last minutes. */
  isConfirmed({ session }: Owner): boolean {
    return isRecent(session.confirmedAt);
  }

  /** A passkey if the account has one, which is two factors by itself. */
  async strongestProof({ account: { id, isExternal } }: Owner): Promise<PresenceProof> {
    if (await this.passkeys.has(id)) return 'passkey';
    return isExternal ? 'provider' : 'password';
  }

  /** For the end of the account: as {@link assertPresent}, and no password where the account has a passkey. */
  async assertStrongest(
    owner: Owner,
    password: string | null | undefined,
    type: AuditType,
  ): Promise<{ by: PresenceProof; stamp: string }> {
    const by = await this.strongestProof(owner);
    if (by === 'passkey' && !this.isConfirmed(owner)) throw passkeyNeeded();
    return { by, stamp: await this.assertPresent(owner, password, type) };
  }

  /** For reading what is kept: a recent sign-in is proof enough. */
  async assertRecent(owner: Owner, password: string | null | undefined, type: AuditType): Promise<void> {
    if (!isRecent(owner.session.authenticatedAt) && !this.isConfirmed(owner))
      await this.assertPresent(owner, password, type);
  }

  /** For what cannot be undone. Returns the security stamp under which the proof was given. */
  async assertPresent(owner: Owner, password: string | null | undefined, type: AuditType): Promise<string> {
    const { id, isExternal, hasPassword, securityStamp } = owner.account;
    if (this.isConfirmed(owner)) return securityStamp;
    if (isExternal) throw refusedField('signIn', message('confirm-at-provider'));
    if (!hasPassword) throw passkeyNeeded();
    if (!password) throw refusedField('currentPassword', message('current-password-needed'));
    return this.details.confirm(id, password, type);
  }
}

function isRecent(seconds: number | undefined): boolean {
  return seconds !== undefined && Date.now() / 1000 - seconds <= recentSeconds;
}

function passkeyNeeded(): Problem {
  return refusedField('currentPassword', message('confirm-by-passkey'));
}

/** Refuses at the field and not as `unauthenticated`: the user stays signed in. */
function refusedField(field: string, reason: Message): Problem {
  return Problem.invalid([{ field, messages: [reason] }]);
}
