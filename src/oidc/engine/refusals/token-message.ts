import type { KoaContextWithOIDC } from 'oidc-provider';
import { tokenGrantTypes } from '../../../contract/rules/client-values.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { enginePaths } from '../../domain/engine-paths.js';
import { plainName, similarName } from '../../domain/parameter-names.js';
import { bodyType } from '../shared/request-text.js';
import { grantOf, grantParameters } from '../shared/token-grants.js';

/** RFC 6749 §2.3.1, RFC 7521 §4.2. */
const ofClients = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'];

/**
 * Notes a request that lacks a part of its grant, by the message alone: in the order in which the engine reads it.
 * Returns false for a message that is whole.
 */
export function noteTokenMessage(ctx: KoaContextWithOIDC, issuer: string): boolean {
  const body = (ctx.oidc.body ?? {}) as Record<string, unknown>;
  const type = bodyType(ctx.req);
  const known = ['grant_type', ...grantParameters(ctx), ...ofClients];
  const inAddress = known.filter((name) => ctx.query[name] !== undefined && body[name] === undefined);
  if (type !== undefined) note('token-body-type', { type });
  else if (inAddress.length > 0) note('token-in-address', { parameters: inAddress.join(', ') });
  else return noteParameters(ctx, body, { known, issuer });
  return true;
}

interface Surroundings {
  /** The names of all parameters of token requests. */
  known: readonly string[];
  issuer: string;
}

function noteParameters(
  ctx: KoaContextWithOIDC,
  body: Record<string, unknown>,
  { known, issuer }: Surroundings,
): boolean {
  const repeated = Object.keys(body).filter((name) => Array.isArray(body[name]) && name !== 'resource');
  const isOfAuthorization = body.grant_type === undefined && body.response_type !== undefined;
  if (isOfAuthorization) {
    note('token-request-of-authorization', {
      parameters: namesOf(body, ['response_type', 'redirect_uri', 'scope', 'state']),
      endpoint: issuer + enginePaths.authorization,
    });
  } else if (repeated.length > 0) {
    note('token-parameter-repeated', { parameters: repeated.filter((name) => plainName.test(name)).join(', ') });
  } else {
    const { needed = [] } = grantOf(ctx)?.parameters ?? {};
    const missing = [...needed, 'grant_type'].find((name) => !isSent(body[name]));
    if (missing === undefined) return false;
    noteMissing(missing, body, known);
  }
  return true;
}

function noteMissing(parameter: string, body: Record<string, unknown>, known: readonly string[]): void {
  const others = Object.keys(body).filter((name) => !known.includes(name));
  const similar = similarName(parameter, others);
  const isEmpty = body[parameter] !== undefined;
  note('token-parameter-missing', {
    parameter,
    sent: namesOf(body) || 'no parameter',
    found: isEmpty
      ? `${parameter} was sent without a value.`
      : similar === undefined
        ? 'No parameter was sent that is named like it.'
        : `${similar} was sent, which is not the name of a parameter.`,
    advice: adviceOn(parameter, similar),
  });
}

function adviceOn(parameter: string, similar: string | undefined): string {
  const instead = similar === undefined ? '' : ` in place of ${similar}`;
  if (parameter === 'grant_type') return `grant_type${instead}: one of ${tokenGrantTypes.join(', ')}`;
  if (parameter === 'redirect_uri') return `redirect_uri${instead}: the same as in its authorization request`;
  return `${parameter}${instead}, as it received it`;
}

function namesOf(body: Record<string, unknown>, among?: readonly string[]): string {
  return Object.keys(body)
    .filter((name) => plainName.test(name) && isSent(body[name]) && (!among || among.includes(name)))
    .slice(0, 12)
    .join(', ');
}

function isSent(value: unknown): boolean {
  return value !== undefined && value !== '';
}
