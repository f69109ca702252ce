import type { Secrets } from '../../platform/crypto/secrets.js';

const content = 'handed over';

/** The token of a link that the patient hands over where no mail server is configured; it is stored nowhere. */
export function handedToken(secrets: Secrets, id: string): string {
  return secrets.seal('invitations', content, id).toString('base64url');
}

export function isHandedToken(secrets: Secrets, id: string, token: string): boolean {
  try {
    return secrets.open('invitations', Buffer.from(token, 'base64url'), id) === content;
  } catch {
    // Not a link of this invitation.
    return false;
  }
}
