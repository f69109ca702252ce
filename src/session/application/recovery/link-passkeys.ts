import { Injectable } from '@nestjs/common';
import { type MadePasskey, PasskeyRegistry } from '../../../passkeys/application/passkey-registry.js';
import { sha256 } from '../../../platform/crypto/secrets.js';
import type { Browser } from '../../../platform/request/browser.js';
import { type Link, PasswordLinks } from '../../../users/application/passwords/password-links.js';
import { SignOut } from '../sign-out.js';
import { atField, type RecoveryProof, RecoveryProofs } from './recovery-proofs.js';

type Purpose = Parameters<PasswordLinks['check']>[0];

/**
 * A passkey in place of a password, by a mailed link. It needs what a password by the same link needs. The question is
 * bound to the link and to the browser; link, proof, passkey and the end of the password are one transaction.
 */
@Injectable()
export class LinkPasskeys {
  constructor(
    private readonly links: PasswordLinks,
    private readonly proofs: RecoveryProofs,
    private readonly registry: PasskeyRegistry,
    private readonly session: SignOut,
  ) {}

  async options(browser: Browser, purpose: Purpose, link: Link) {
    const { accountId, email, fullName } = await this.links.check(purpose, link);
    return this.registry.registrationOptions(browser, ceremonyOf(purpose, link), { id: accountId, email, fullName });
  }

  /** Leaves no session: the user signs in with the passkey. */
  async add(
    browser: Browser,
    purpose: Purpose,
    link: Link,
    { made, proof }: { made: MadePasskey; proof: RecoveryProof },
  ): Promise<void> {
    await this.links.check(purpose, link);
    const isRefused = (error: unknown): never => {
      throw atField('response', error);
    };
    const checked = await this.registry.checkRegistration(browser, ceremonyOf(purpose, link), made).catch(isRefused);
    const add = async () => void (await this.registry.add(checked).catch(isRefused));
    await this.proofs.prove(browser, link.userId, proof, (entitle) =>
      this.links.storePasskey(purpose, link, { entitle, add }),
    );
    await this.session.signOut(browser);
  }
}

function ceremonyOf(purpose: Purpose, { userId, token }: Link) {
  return { purpose: 'register-by-link', accountId: userId, linkHash: sha256(`${purpose} ${token}`) } as const;
}
