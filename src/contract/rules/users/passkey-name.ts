import { message } from '../../messages/message.js';

export const passkeyNameLength = 60;
export const passkeyNameEmpty = message('passkey-name-empty');
export const passkeyNameTooLong = message('passkey-name-too-long');
