import { type Message, message } from '../messages/message.js';
import { invalidValue, tooLong } from './text.js';

export const unsecuredUrl = message('url-unsecured');
export const maxRedirectUri = 400;
export const maxInitiateLoginUri = 400;
export const maxUrl = 2000;

/** Ports of mail, PostgreSQL and Redis: an address that the portal will call must not reach them (`RFC 9700`, SSRF). */
const refusedPorts = new Set(['25', '5432', '6379']);

/** Unlike `URL`, refuses what it would repair: spaces, backslashes, a missing `//`, control characters. */
function parseHttp(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s\\/?#]/i.test(text) || /[\s\\\p{C}]/u.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}

/** The message for a link that users follow. */
export function linkProblem(text: string, max = maxUrl): Message | undefined {
  if (!parseHttp(text)) return invalidValue;
  return text.length > max ? tooLong(max) : undefined;
}

/**
 * The message for a redirect URI: http(s) by `spec §5`, with no fragment (`RFC 6749 §3.1.2`), no credentials and no
 * wildcard, because it is compared as text (`RFC 9700 §4.1.3`).
 */
export function redirectUriProblem(text: string): Message | undefined {
  if (!parseHttp(text) || /[#*]/.test(text)) return invalidValue;
  return text.length > maxRedirectUri ? tooLong(maxRedirectUri) : undefined;
}

/** The message for an address that the portal itself calls (a JWKS, a back-channel logout). */
export function calledUrlProblem(text: string): Message | undefined {
  const url = parseHttp(text);
  if (!url || text.includes('#') || refusedPorts.has(url.port)) return invalidValue;
  return text.length > maxUrl ? tooLong(maxUrl) : undefined;
}

export function isUnsecured(text: string): boolean {
  return /^http:\/\//i.test(text);
}
