import type { KoaContextWithOIDC } from 'oidc-provider';
import { grantTypes, tokenGrantTypes, tokenGrantTypesOf } from '../../../contract/rules/client-values.js';
import { mostLike } from '../../../contract/rules/nearest.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { shownScope } from '../../domain/scope-explanation.js';
import { noteProofMissing } from '../grants/bound-grants.js';
import { scopeSyntax } from '../grants/client-credentials.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { grantOf, type RefusedGrant } from '../shared/token-grants.js';
import { PausedByUser } from '../tokens/paused-apps.js';
import { scopeFault } from './request-parameters.js';

/**
 * Notes why a token request was refused: by its grant, and by what all grants have in common. False if the cause is
 * not one that is distinguished.
 */
export function noteGrantRefusal(refused: RefusedGrant): boolean {
  const { error, ctx } = refused;
  const scope = ctx.oidc.body?.scope;
  if (error.message === 'invalid_scope' && typeof scope === 'string' && !scopeSyntax.test(scope)) {
    note('scopes-malformed', { fault: scopeFault(scope) });
  } else if (error.message === 'unsupported_grant_type' || isForbiddenGrant(ctx)) {
    noteGrantType(ctx);
  } else if (error instanceof PausedByUser) {
    note('token-app-paused');
  } else if (grantOf(ctx)?.noteRefusal?.(refused)) {
    return true;
  } else if (error.message === 'invalid_scope') {
    noteScope(refused);
  } else {
    return error.message === 'invalid_grant' ? noteProofMissing(refused) : noteRepeatedResource(refused);
  }
  return true;
}

/** Some grants take it more than once, so it is looked at last. */
function noteRepeatedResource({ ctx, error }: RefusedGrant): boolean {
  const isRepeated = error.message === 'invalid_request' && Array.isArray(ctx.oidc.body?.resource);
  if (isRepeated) note('token-parameter-repeated', { parameters: 'resource' });
  return isRepeated;
}

function isForbiddenGrant({ oidc: { client, params } }: KoaContextWithOIDC): boolean {
  return client !== undefined && !client.grantTypeAllowed(String(params?.grant_type) as never);
}

/** Grants of other standards, by what names them. None is offered here. */
const otherGrants: readonly [names: RegExp, hint: string][] = [
  [
    /device_?code$/i,
    'It is the device flow (RFC 8628), which is not offered: users sign in on a page in a browser, with authorization_code.',
  ],
  [
    /jwt-bearer$/,
    'It is the grant of RFC 7523 §2.1, which is not offered: a service sends its JWT as client_assertion, with client_credentials.',
  ],
  [/saml2-bearer$/, 'It is the grant of RFC 7522, which is not offered: assertions of SAML are not read.'],
  [/token-exchange$/, 'It is the exchange of tokens (RFC 8693), which is not offered.'],
  [/grant-type:ciba$/, 'It is the sign-in on another device (CIBA), which is not offered.'],
  [/uma-ticket$/, 'It is User-Managed Access, which is not offered.'],
  [/^password$/i, 'It is the grant of passwords, which is not offered: users sign in on pages of this portal.'],
  [/^(?:auth[-_]?)?code$/i, 'The grant type of a code is authorization_code.'],
  [/^implicit$/i, 'The implicit grant is not offered: it has been replaced by authorization_code with PKCE.'],
];

/** True if the grant is one that this portal does not have: that is so for each client. */
export function noteOtherGrant(ctx: KoaContextWithOIDC): boolean {
  const used = String(ctx.oidc.params?.grant_type);
  const isOther = ctx.oidc.client === undefined && otherGrants.some(([names]) => names.test(used));
  if (isOther) noteGrantType(ctx);
  return isOther;
}

function noteGrantType({ oidc }: KoaContextWithOIDC): void {
  const { client, params } = oidc;
  const registered = client ? gatehouseClient(client).settings.allowedGrantTypes : grantTypes;
  const used = String(params?.grant_type);
  const isKnown = (tokenGrantTypes as readonly string[]).includes(used);
  const detail = { used: used.slice(0, 60), registered: tokenGrantTypesOf(registered).join(', ') };
  const similar = mostLike(used, tokenGrantTypes);
  if (isKnown) note('token-grant-type', detail);
  else {
    const [, other] = otherGrants.find(([names]) => names.test(used)) ?? [];
    const hint =
      other ?? (similar === undefined ? 'No grant type of this portal is like it.' : `It is like ${similar}.`);
    note('token-grant-type-unknown', { ...detail, hint });
  }
}

function noteScope({ ctx, error }: RefusedGrant): void {
  const { scope: missing, error_description: description = '' } = error as {
    scope?: string;
    error_description?: string;
  };
  note('token-scope', { description, scope: shownScope(missing || String(ctx.oidc.params?.scope ?? 'no scope')) });
}
