import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { describedCharacter, mended } from '../../../contract/rules/damage.js';
import type { CarriedRequest } from '../../domain/refused/named-client.js';
import { textOf } from '../shared/request-text.js';

/** The credentials of a request as far as they can be read; none of them was verified. */
export interface Presented {
  /** The client that the request names, in whichever way. */
  clientId: string | undefined;
  /** The parameter `client_id`, and the id in the Authorization header or the assertion. */
  named: string | undefined;
  proving: string | undefined;
  secret: string | undefined;
  assertion: string | undefined;
  /** The authentication methods by their registered names (RFC 7591 §2). */
  used: string;
  hasCredentials: boolean;
  /** True if the request has credentials of several methods. */
  isTwice: boolean;
}

export function presentedBy({ headers, oidc }: KoaContextWithOIDC): Presented {
  const presented = presentedWith(headers.authorization, oidc?.params);
  return { ...presented, clientId: oidc?.client?.clientId ?? presented.clientId };
}

/** All that a request carries, of which the engine may have read nothing. */
export function carriedBy({ headers, req, url }: KoaContextWithOIDC): CarriedRequest {
  return { authorization: headers.authorization, address: url, body: textOf(req) };
}

/** The same of an Authorization header and the parameters of a request that the engine has not read. */
export function presentedWith(authorization: string | undefined, params: object | undefined): Presented {
  const { client_id: named, client_secret: posted, client_assertion: assertion } = texts(params);
  const basic = basicOf(authorization);
  const ways = [
    ...(authorization === undefined ? [] : ['client_secret_basic']),
    ...(posted === undefined ? [] : ['client_secret_post']),
    ...(assertion === undefined ? [] : ['private_key_jwt']),
  ];
  return {
    clientId: named ?? basic?.clientId ?? subjectOf(assertion),
    named,
    proving: basic?.clientId ?? subjectOf(assertion),
    secret: posted ?? basic?.secret,
    assertion,
    used: ways.join(' and ') || 'none',
    hasCredentials: ways.length > 0,
    isTwice: ways.length > 1,
  };
}

/** Parameters that were sent once. */
function texts(params: object = {}): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => typeof value === 'string'));
}

/** RFC 6749 §2.3.1. */
function basicOf(header: string | undefined): { clientId: string; secret: string } | undefined {
  const [, credentials] = /^basic (.+)$/i.exec(header ?? '') ?? [];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(credentials ?? '', 'base64').toString('utf8')) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    const [clientId = '', decoded = ''] = [id, secret].map((part) => decodeURIComponent(part.replace(/\+/g, ' ')));
    return { clientId, secret: decoded };
  } catch {
    return undefined;
  }
}

export function subjectOf(assertion: string | undefined): string | undefined {
  try {
    const { sub } = decodeJwt(assertion ?? '');
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** The type and the claims of a JWT that was not verified; undefined for any other text. */
export function jwtParts(text: string): { typ: string | undefined; claims: Record<string, unknown> } | undefined {
  try {
    return { typ: decodeProtectedHeader(text).typ, claims: decodeJwt(text) };
  } catch {
    return undefined;
  }
}

/** Why a text cannot be read as a signed JWT, in a clause. */
export function jwtFault(text: string): string {
  const damage = mended(text).find((one) => jwtParts(one.text) !== undefined)?.damage;
  if (damage !== undefined) return `it would be a signed JWT but for a damage: ${damage}`;
  const [strange] = /[^\w.+/=-]/u.exec(text) ?? [];
  if (strange !== undefined) return `it has ${describedCharacter(strange)} in it, which no JWT has`;
  const parts = text.split('.');
  if (parts.length === 5) return 'it is encrypted (five parts), and must be signed only';
  if (parts.length === 1) return 'it has no dots, and a signed JWT has three parts between dots';
  if (parts.length !== 3) return `it has ${parts.length} parts between dots, and a signed JWT has three`;
  if (/[+/=]/.test(text)) return 'it is in base64, and a JWT is in base64url without padding';
  try {
    decodeProtectedHeader(text);
  } catch {
    return 'its first part is not a JSON object in base64url';
  }
  try {
    return decodeJwt(text).sub === undefined ? 'it has no sub' : 'its sub is not a text';
  } catch {
    return 'its second part is not a JSON object in base64url';
  }
}

/** The day, as ISO 8601, on which a credential expired. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
