import { type Message, message } from '../messages/message.js';
import type { ApplicationType } from './client-values.js';
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

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost'];
/** A scheme that belongs to an app: the reverse of a domain name (RFC 8252 §7.1), so that it has a dot. */
const privateUse = /^([a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+):[!-~]+$/i;
const otherScheme = /^[a-z][a-z0-9+.-]*:/i;

/**
 * The message for a redirect URI of a client of this type. A native app has https, http on the device itself, or a
 * scheme of its own (RFC 8252 §7); every other client http(s) alone (`spec §5`).
 */
export function redirectUriProblemOf(applicationType: ApplicationType): (text: string) => Message | undefined {
  return applicationType === 'native' ? nativeUriProblem : webUriProblem;
}

function webUriProblem(text: string): Message | undefined {
  return isPrivateUse(text) ? message('redirect-uri-native-only') : redirectUriProblem(text);
}

function nativeUriProblem(text: string): Message | undefined {
  if (isPrivateUse(text)) return text.length > maxRedirectUri ? tooLong(maxRedirectUri) : undefined;
  const url = parseHttp(text);
  if (!url && otherScheme.test(text) && !/^https?:/i.test(text)) return message('redirect-uri-scheme');
  const isOnDevice = url !== undefined && loopbackHosts.includes(url.hostname);
  if (url && isOnDevice !== (url.protocol === 'http:')) return message('redirect-uri-loopback');
  return redirectUriProblem(text);
}

/** True for an address with a scheme that belongs to an app, such as `com.example.app:/callback`. */
export function isPrivateUse(text: string): boolean {
  return privateUse.test(text) && !/[\\#*]/.test(text) && URL.canParse(text);
}

/**
 * The address without its port if it is one on the device itself, whose ports apps choose at each start (RFC 8252
 * §7.3).
 */
export function withoutLoopbackPort(text: string): string {
  const [, start, host, rest = ''] =
    /^(http:\/\/)(127\.0\.0\.1|\[::1\]|localhost)(?::\d*)?(?=$|[/?])(.*)$/i.exec(text) ?? [];
  return start === undefined ? text : `${start}${host}${rest}`;
}

/**
 * True if a client of this type may be answered at the address: it is registered, for a native app with any port of the
 * device.
 */
export function isRegisteredAt(
  uri: string,
  { applicationType, redirectUris }: { applicationType: ApplicationType; redirectUris: readonly string[] },
): boolean {
  if (redirectUris.includes(uri)) return true;
  const bare = withoutLoopbackPort(uri);
  return applicationType === 'native' && redirectUris.some((one) => withoutLoopbackPort(one) === bare);
}

/**
 * The place that users know a redirect URI by: its host, or the scheme of an app. A native app on the device has no
 * port: it chooses another one each time.
 */
export function returnPlace(uri: string, applicationType: ApplicationType): string {
  const { host, protocol } = new URL(applicationType === 'native' ? withoutLoopbackPort(uri) : uri);
  return host || protocol;
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
