import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CookieSerializeOptions, parse, serialize } from 'cookie';
import { basePathOf } from './base-path.js';

/**
 * Names of the portal's cookies, and their path; with https they carry the prefixes that keep other hosts and paths
 * from setting them. `__Host-` is only for cookies of the whole host (decision 0040).
 */
export function cookieNames(issuer: string) {
  const secure = issuer.startsWith('https:');
  const path = basePathOf(issuer) || '/';
  const prefix = secure ? (path === '/' ? '__Host-' : '__Secure-') : '';
  // A browser also sends the cookies of a portal above this path; the engine would remove those that it did not sign.
  const name = path === '/' ? 'gatehouse' : `gatehouse${path.replace(/\W+/g, '_')}`;
  return {
    secure,
    path,
    session: `${prefix}${name}_session`,
    /** One random value per browser; an interaction answers only to the browser that started it. */
    browser: `${prefix}${name}_browser`,
    /** A sign-in that awaits its second factor. */
    secondStep: `${prefix}${name}_second_step`,
    /**
     * Marks a browser in which a user has signed in before; wrong passwords from other addresses do not lock it out.
     */
    known: `${prefix}${name}_known`,
    linkAsked: `${prefix}${name}_link_asked`,
    /** The link of an invitation was opened. */
    invited: `${prefix}${name}_invited`,
    // The engine scopes it to a path, which __Host- forbids.
    interaction: `${secure ? '__Secure-' : ''}${name}_interaction`,
    resume: `${secure ? '__Secure-' : ''}${name}_resume`,
  };
}

/** The values are random identifiers and JSON Web Tokens, whose characters need no encoding. */
const asItIs = (value: string) => value;

/** The value of a cookie of the request. */
export function readCookie(request: IncomingMessage, name: string): string | undefined {
  return parse(request.headers.cookie ?? '', { decode: asItIs })[name];
}

/** Sets a cookie for the whole portal that scripts cannot read; without an age it is a session cookie. */
export function setCookie(
  response: ServerResponse,
  name: string,
  value: string,
  { secure, path, maxAgeSeconds }: { secure: boolean; path: string; maxAgeSeconds?: number },
): void {
  append(response, name, value, { secure, path, ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }) });
}

/** The prefix `__Host-` requires the same attributes as when it was set. */
export function clearCookie(
  response: ServerResponse,
  name: string,
  { secure, path }: { secure: boolean; path: string },
): void {
  append(response, name, '', { secure, path, expires: new Date(0) });
}

function append(response: ServerResponse, name: string, value: string, attributes: CookieSerializeOptions): void {
  const cookie = serialize(name, value, { ...attributes, httpOnly: true, sameSite: 'lax', encode: asItIs });
  response.appendHeader('Set-Cookie', cookie);
}
