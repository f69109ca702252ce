import { message } from '../../messages/message.js';

/**
 * True if a relying party of passkeys can be at this host: it needs a name, and an IP address is none (WebAuthn Level 3
 * §5.1.3).
 */
export const hasPasskeys = (hostname: string): boolean => !/^[\d.]+$|:/.test(hostname);

/** The offer of a passkey after a sign-in: how often at most, and the days between two. */
export const passkeyOffers = { most: 3, pauseDays: 30 } as const;

export const passkeyNameLength = 60;
export const passkeyNameEmpty = message('passkey-name-empty');
export const passkeyNameTooLong = message('passkey-name-too-long');
