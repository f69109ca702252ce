import { addressKey } from '../../../contract/rules/users/email.js';
import { resetLinkMinutes } from '../../../contract/rules/users/password.js';
import { equalInConstantTime, type Secrets, sha256 } from '../../../platform/crypto/secrets.js';
import type { Browser } from '../../../platform/request/browser.js';

/** As long as the link, and the time that its mail may take. */
const askedSeconds = 2 * resetLinkMinutes * 60;

/**
 * Marks the browser in which a link for a new password was requested, for this address, whether or not there is such an
 * account. The cookie gives no access: without the link and the chosen password it opens nothing.
 */
export function rememberAsking(secrets: Secrets, browser: Browser, email: string): void {
  const until = String(Math.floor(Date.now() / 1000) + askedSeconds);
  browser.keep('link-asked', `${until}.${proofOf(secrets, until, email)}`, askedSeconds);
}

/** True if a link for a new password was requested for this address in this browser, as the last one there. */
export function hasAsked(secrets: Secrets, browser: Browser, email: string): boolean {
  const [until = '', proof = ''] = browser.recall('link-asked')?.split('.') ?? [];
  return equalInConstantTime(proof, proofOf(secrets, until, email)) && Number(until) > Date.now() / 1000;
}

function proofOf(secrets: Secrets, until: string, email: string): string {
  return secrets.hmac('asking-browsers', `${until} ${sha256(addressKey(email))}`);
}
