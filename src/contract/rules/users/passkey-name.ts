import { message } from '../../messages/message.js';

export const passkeyNameLength = 60;
/** A text of one line without what cannot be stored or seen, such as NUL. */
export const passkeyNameForm = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]*$/u;
export const passkeyNameEmpty = message('passkey-name-empty');
export const passkeyNameTooLong = message('passkey-name-too-long');
