import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { profileAlgorithms } from '../../../contract/rules/clients/security-profile.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { isNestedTooDeeply } from '../../../platform/values/json.js';
import { shownAddress, textDifference } from '../../domain/address-difference.js';
import { clientAlgorithms } from '../clients/client-authentication.js';
import { longestObjectSeconds, mayBeRequest, sentParameters, unstorable } from '../clients/request-objects.js';
import { followsProfile, furthestAheadSeconds } from '../clients/security-profile.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { clockToleranceSeconds, nowSeconds } from '../shared/lifetimes.js';
import { timeFault } from '../shared/time-faults.js';
import { isUnambiguous } from '../shared/unambiguous-jwt.js';
import { jwtFault } from './presented-credentials.js';
import type { VerificationKeys } from './verification-keys.js';

/** The registered clients and their keys. */
interface Known {
  clients: RegisteredClients;
  keys: VerificationKeys;
  issuer: string;
}

/** The request object, and the parameters that came with it. */
interface SignedRequest {
  text: string;
  claims: Record<string, unknown>;
  header: Record<string, unknown>;
  parameters: Record<string, unknown>;
}

interface Expected {
  clientId: string;
  issuer: string;
  isOfProfile: boolean;
}

/** One check, in the order in which the engine and our own code make them; true if it noted its fault. */
type Check = (signed: SignedRequest, expected: Expected) => boolean;

/** Notes why a request object was refused: each check is made again on its values. False if none explains it. */
export async function noteObjectRefusal(ctx: KoaContextWithOIDC, known: Known): Promise<boolean> {
  const { client, entities } = ctx.oidc;
  const parameters = sentParameters(ctx);
  if (!client || entities.PushedAuthorizationRequest || typeof parameters.request !== 'string') return false;
  const text = parameters.request;
  const parts = decoded(text);
  if (!parts) note('object-unreadable', { reason: jwtFault(text) });
  else {
    const { clientId } = client;
    const signed = { text, parameters, ...parts };
    const isOfProfile = followsProfile(gatehouseClient(client).settings);
    if (checks.some((check) => check(signed, { clientId, isOfProfile, issuer: known.issuer }))) return true;
    const { credentials = [] } = (await known.clients.credentialsOf(clientId)) ?? {};
    return known.keys.note('object', signed, { clientId, credentials });
  }
  return true;
}

const checks: readonly Check[] = [
  noteForm,
  noteParameters,
  noteAlgorithm,
  noteTimeUnit,
  noteTimes,
  noteAudience,
  noteClient,
  noteType,
  noteProfile,
  noteLifetime,
  noteContent,
  noteKey,
];

function noteForm({ claims }: SignedRequest): boolean {
  if (!isNestedTooDeeply(claims)) return false;
  note('object-unreadable', { reason: 'it is nested too deeply' });
  return true;
}

/** Members that may not be in the object, or differ from the parameters that came with it. */
function noteParameters({ claims, parameters }: SignedRequest, { clientId }: Expected): boolean {
  const inner = ['request', 'request_uri'].find((name) => claims[name] !== undefined);
  const { response_type: sent, client_id: named } = parameters;
  const { response_type: signed, client_id: own } = claims;
  if (inner !== undefined) note('object-content', { reason: `it contains ${inner}` });
  else if (sent !== undefined && signed !== undefined && sent !== signed) {
    const reason = `its response_type is ${shown(signed)}, and that of the request ${shown(sent)}`;
    note('object-content', { reason });
  } else if (own !== undefined && own !== (named ?? clientId)) {
    note('object-client', { claim: 'client_id', sent: shown(own), clientId });
  } else return false;
  return true;
}

function noteAlgorithm({ header }: SignedRequest, { isOfProfile }: Expected): boolean {
  const accepted: readonly string[] = isOfProfile ? profileAlgorithms : clientAlgorithms;
  const sent = shown(header.alg);
  if (accepted.includes(sent)) return false;
  note('object-algorithm', { sent, accepted: accepted.join(', ') });
  return true;
}

/** Only of claims that are refused for it: without a profile an `iat` in milliseconds is not. */
function noteTimeUnit({ claims }: SignedRequest, { isOfProfile }: Expected): boolean {
  const isRead = isOfProfile || typeof claims.iat !== 'number';
  const fault = timeFault(claims, ['nbf', 'exp', ...(isRead ? ['iat'] : [])]);
  if (fault) note('object-time', { ...fault });
  return fault !== undefined;
}

function noteTimes({ claims: { nbf, exp } }: SignedRequest): boolean {
  const now = nowSeconds();
  if (Number(nbf) > now + clockToleranceSeconds) note('object-early', { seconds: Number(nbf) - now });
  else if (Number(exp) <= now - clockToleranceSeconds) note('object-expired', { seconds: now - Number(exp) });
  else return false;
  return true;
}

function noteAudience({ claims: { aud } }: SignedRequest, { issuer }: Expected): boolean {
  if ([aud].flat().includes(issuer)) return false;
  const sent = aud === undefined ? 'missing' : typeof aud === 'string' ? aud : JSON.stringify(aud);
  const difference = aud === undefined ? 'it has no aud' : textDifference(sent, issuer);
  note('object-audience', { sent: shownAddress(sent), issuer, difference });
  return true;
}

function noteClient({ claims }: SignedRequest, { clientId }: Expected): boolean {
  const claim = ['iss', 'client_id'].find((name) => claims[name] !== clientId);
  if (claim === undefined) return false;
  note('object-client', { claim, sent: shown(claims[claim]), clientId });
  return true;
}

function noteType({ header: { typ }, claims }: SignedRequest): boolean {
  if (!mayBeRequest(typ)) note('object-type', { sent: shown(typ) });
  else if (claims.sub !== undefined) note('object-content', { reason: 'it has a sub, as client assertions have' });
  else return false;
  return true;
}

function noteProfile({ claims }: SignedRequest, { isOfProfile }: Expected): boolean {
  const ahead = Math.max(...[claims.iat, claims.nbf].map((time) => Number(time ?? 0) - nowSeconds()));
  if (!isOfProfile || ahead <= furthestAheadSeconds) return false;
  note('object-early', { seconds: ahead });
  return true;
}

function noteLifetime({ claims: { nbf, exp } }: SignedRequest): boolean {
  const reason = lifetimeFault(nbf, exp);
  if (reason !== undefined) note('object-lifetime', { reason });
  return reason !== undefined;
}

function lifetimeFault(nbf: unknown, exp: unknown): string | undefined {
  const age = nowSeconds() - Number(nbf);
  const lifetime = Number(exp) - Number(nbf);
  const permitted = `${longestObjectSeconds} s are permitted`;
  if (exp === undefined) return 'it has no exp';
  if (nbf === undefined) return 'it has no nbf';
  if (age > longestObjectSeconds + clockToleranceSeconds) return `its nbf is ${age} s ago, and ${permitted}`;
  return lifetime > longestObjectSeconds ? `it lives for ${lifetime} s, and ${permitted}` : undefined;
}

function noteContent({ text, claims }: SignedRequest): boolean {
  if (unstorable.test(JSON.stringify(claims))) {
    note('object-content', { reason: 'it has characters that cannot be stored (NUL, lone surrogates)' });
  } else if (!isUnambiguous(text)) note('object-content', { reason: 'a member is there twice' });
  else return false;
  return true;
}

function noteKey({ header, claims }: SignedRequest): boolean {
  if (typeof header.kid === 'string') return false;
  const found = claims.kid === undefined ? '' : 'It is among the claims, and belongs into the header.';
  note('object-key-missing', { found });
  return true;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 60) : '(none)';
}

function decoded(text: string): Pick<SignedRequest, 'claims' | 'header'> | undefined {
  try {
    return { claims: decodeJwt(text), header: { ...decodeProtectedHeader(text) } };
  } catch {
    return undefined;
  }
}
