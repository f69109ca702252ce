import { parse } from 'node:querystring';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { decidingEntry } from '../../../platform/activity/launch-notes.js';
import { clientsNamedIn } from '../../domain/refused/named-client.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { textOf } from '../shared/request-text.js';
import { carriedBy, presentedBy } from './presented-credentials.js';

const credentials = ['client_id', 'client_secret', 'client_assertion_type'];
const times = ['exp', 'iat', 'nbf'];

/**
 * Describes the fault of a refused request, so that the same text means the same fault of the same client: requests
 * that share a record are told with the same texts. Before a client has proven itself it is made from the request
 * alone. By its cause, a caller could learn from two references whether a client exists (decision 0119).
 */
export function faultOf(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): string {
  const { message, error_description: description = '' } = error;
  const asked = [ctx.method, ctx.path, presentedBy(ctx).clientId ?? namedBy(ctx), message];
  if (message === 'invalid_client') return JSON.stringify([...asked, ...shapeOf(ctx)]);
  const deciding = decidingEntry();
  return JSON.stringify([...asked, ...(deciding ? [deciding.code, ...wordsOf(deciding.detail)] : [description])]);
}

/** The name of the client where the engine has read none, whether there is such a client or not. */
function namedBy(ctx: KoaContextWithOIDC): string {
  const { id = '', others } = clientsNamedIn(carriedBy(ctx));
  return [id, ...others].join(' ');
}

/** The values of a cause without times and counts, which differ at each request. */
function wordsOf(detail: Readonly<Record<string, string | number>>): string[] {
  return Object.values(detail).flatMap((value) =>
    typeof value === 'number' || /^\d+$/.test(value) ? [] : [value.replace(/\d{6,}/g, '#')],
  );
}

/** The credentials as they were sent. */
function shapeOf({ headers, req }: KoaContextWithOIDC): unknown[] {
  const { client_assertion: assertion, ...form } = parse(textOf(req) ?? '');
  const sent = credentials.map((name) => form[name]);
  return [headers.authorization, ...sent, typeof assertion === 'string' ? jwtShape(assertion) : assertion];
}

/** The checked parts of an assertion, without those that are new in each: the instant, the id and the signature. */
function jwtShape(text: string): unknown[] {
  try {
    const { jti, ...claims } = decodeJwt(text);
    const stable = Object.entries(claims).map(([name, value]) => [
      name,
      times.includes(name) ? timeClass(value) : value,
    ]);
    const signature = text.slice(text.lastIndexOf('.') + 1);
    return [decodeProtectedHeader(text), stable, typeof jti, signature.length];
  } catch {
    return [text];
  }
}

/** How a time lies to now, in the steps at which checks decide: with a tolerance, and five minutes ahead. */
function timeClass(value: unknown): string {
  if (typeof value !== 'number') return typeof value;
  if (value > 100_000_000_000) return 'milliseconds';
  const ahead = value - nowSeconds();
  if (ahead < -30) return 'past';
  return ahead <= 30 ? 'now' : ahead <= 310 ? 'soon' : 'late';
}
