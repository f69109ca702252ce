import { Injectable } from '@nestjs/common';
import { addressKey } from '../../../contract/rules/users/email.js';
import { resetLinkMinutes } from '../../../contract/rules/users/password.js';
import type { LinkFacts } from '../../../contract/users/account.js';
import { WaitingRequests } from '../../../oidc/application/waiting-requests.js';
import { equalInConstantTime, Secrets, sha256 } from '../../../platform/crypto/secrets.js';
import type { Browser } from '../../../platform/request/browser.js';
import { type Choice, type Link, PasswordLinks } from '../../../users/application/passwords/password-links.js';
import { SignInLimits } from '../sign-in-limits.js';
import { SignOut } from '../sign-out.js';
import { type RecoveryProof, RecoveryProofs } from './recovery-proofs.js';

export type { Choice, Link };

/** As long as the link, and the time that its mail may take. */
const askedSeconds = 2 * resetLinkMinutes * 60;

/**
 * Account access by mailed links. A link signs no user in; a user who follows one in a browser with a session, be it
 * their own, continues with the account of the link, so that session is signed out.
 */
@Injectable()
export class Recovery {
  constructor(
    private readonly links: PasswordLinks,
    private readonly proofs: RecoveryProofs,
    private readonly limits: SignInLimits,
    private readonly session: SignOut,
    private readonly waiting: WaitingRequests,
    private readonly secrets: Secrets,
  ) {}

  /** Sends a link for a new password, which remembers the app's request behind `returnUrl` if it is this browser's. */
  async requestReset(email: string, browser: Browser, returnUrl: string | null | undefined): Promise<void> {
    const origin = returnUrl ? await this.waiting.remembered({ returnUrl, browser }) : undefined;
    await this.links.request(email, browser.addressKey, origin);
    rememberAsking(this.secrets, browser, email);
  }

  /**
   * Returns the content of a link's page; the request that continues is this browser's, whatever the link remembers.
   */
  async check(purpose: Parameters<PasswordLinks['check']>[0], link: Link, browser: Browser): Promise<LinkFacts> {
    const { accountId, email, userType, origin } = await this.links.check(purpose, link);
    const proof = await this.proofs.neededBy(accountId);
    // Only in the browser that has asked for the link: a link that another person sends signs no user in.
    const mayContinue = purpose === 'password-reset' && userType !== 'Admin' && hasAsked(this.secrets, browser, email);
    const facts = {
      email,
      proof,
      endsTwoFactor: await this.proofs.endsTwoFactor(accountId),
      signsIn: mayContinue && !(await this.proofs.hasFactor(accountId)),
    };
    const continued = await this.waiting.continuedBy(accountId, browser, origin);
    if (continued) return { ...facts, ...continued, elsewhere: null };
    const elsewhere = origin && (await this.waiting.appInOtherBrowser(accountId, origin));
    return { ...facts, returnUrl: null, app: null, elsewhere: elsewhere ?? null };
  }

  async activate(browser: Browser, choice: Choice): Promise<void> {
    const chosen = await this.links.prepare('activation', choice);
    await this.proofs.prove(browser, choice.userId, {}, (entitle) => this.links.store(chosen, entitle));
    await this.session.signOut(browser);
  }

  /** Also ends a lock-out that the guesses of others caused (security F-03). */
  async reset(browser: Browser, choice: Choice, proof: RecoveryProof): Promise<void> {
    const chosen = await this.links.prepare('password-reset', choice);
    const store = (entitle: () => Promise<void>) => this.links.store(chosen, entitle);
    await this.limits.unlockAfterProof(await this.proofs.prove(browser, choice.userId, proof, store));
    browser.forget('link-asked');
    await this.session.signOut(browser);
  }

  /** Options for a passkey besides the link. */
  async passkeyOptions(browser: Browser, link: Link) {
    const { accountId } = await this.links.check('password-reset', link);
    return this.proofs.passkeyOptions(browser, accountId);
  }
}

/**
 * Marks the browser in which a link for a new password was requested, for this address, whether or not there is such an
 * account. The cookie gives no access: without the link and the chosen password it opens nothing.
 */
function rememberAsking(secrets: Secrets, browser: Browser, email: string): void {
  const until = String(Math.floor(Date.now() / 1000) + askedSeconds);
  browser.keep('link-asked', `${until}.${proofOf(secrets, until, email)}`, askedSeconds);
}

/** True if a link for a new password was requested for this address in this browser, as the last one there. */
function hasAsked(secrets: Secrets, browser: Browser, email: string): boolean {
  const [until = '', proof = ''] = browser.recall('link-asked')?.split('.') ?? [];
  return equalInConstantTime(proof, proofOf(secrets, until, email)) && Number(until) > Date.now() / 1000;
}

function proofOf(secrets: Secrets, until: string, email: string): string {
  return secrets.hmac('asking-browsers', `${until} ${sha256(addressKey(email))}`);
}
