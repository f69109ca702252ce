import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { profileAlgorithms } from '../../../contract/rules/clients/security-profile.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { shownAddress, textDifference } from '../../domain/address-difference.js';
import { clientAlgorithms } from '../clients/client-authentication.js';
import { sentParameters } from '../clients/request-objects.js';
import { nowSeconds } from '../shared/lifetimes.js';

type Refused = errors.OIDCProviderError;

/** Notes why a request object was refused; false if the error is about something else. */
export function noteObjectRefusal(ctx: KoaContextWithOIDC, error: Refused, issuer: string): boolean {
  const { error_description: description = '', message } = error;
  if (description === 'Request Object must be used by this client') note('object-required');
  else if (message === 'request_not_supported') note('object-unexpected');
  else if (message === 'invalid_request_object')
    noteInvalid(description, partsOf(ctx), { detail: error.error_detail ?? '', issuer });
  else return false;
  return true;
}

interface Parts {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

function noteInvalid(
  description: string,
  { header, claims }: Parts,
  { detail, issuer }: { detail: string; issuer: string },
): void {
  const named = (value: unknown) => (typeof value === 'string' ? value.slice(0, 60) : '(none)');
  const algorithm = named(header.alg);
  if (/cannot be read|could not parse/.test(description)) note('object-unreadable', { reason: 'it does not decode' });
  else if (/must have the typ/.test(description)) note('object-type', { sent: named(header.typ) });
  else if (/^unsupported signed request alg/.test(description)) {
    note('object-algorithm', { sent: algorithm, accepted: clientAlgorithms.join(', ') });
  } else if (/of the profile: its algorithm/.test(description)) {
    note('object-algorithm', { sent: algorithm, accepted: profileAlgorithms.join(', ') });
  } else if (/^could not validate/.test(description)) note('object-signature', { kid: named(header.kid), algorithm });
  else if (/client_id|must name the client|jwt issuer/.test(`${description} ${detail}`)) note('object-client');
  else if (/jwt audience/.test(detail)) {
    const { aud } = claims;
    const sent = aud === undefined ? 'missing' : typeof aud === 'string' ? aud : JSON.stringify(aud);
    const difference = aud === undefined ? 'it has no aud' : textDifference(sent, issuer);
    note('object-audience', { sent: shownAddress(sent), issuer, difference });
  } else if (/jwt expired/.test(detail)) note('object-expired', { seconds: nowSeconds() - Number(claims.exp) });
  else if (/jwt not active/.test(detail)) note('object-early', { seconds: Number(claims.nbf) - nowSeconds() });
  else if (/must expire|an nbf|nbf of|lives longer/.test(description)) note('object-lifetime', { reason: description });
  else if (/used before/.test(description)) note('object-used');
  else note('object-content', { reason: description });
}

function partsOf(ctx: KoaContextWithOIDC): Parts {
  const text = sentParameters(ctx).request;
  try {
    return { header: { ...decodeProtectedHeader(String(text)) }, claims: decodeJwt(String(text)) };
  } catch {
    return { header: {}, claims: {} };
  }
}
