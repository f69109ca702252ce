import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { RegisteredCredentials } from '../../../clients/application/registered-clients.js';
import { profileAlgorithms } from '../../../contract/rules/clients/security-profile.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { textDifference } from '../../domain/address-difference.js';
import { clientAlgorithms, longestAssertionSeconds, type ReplayState } from '../clients/client-authentication.js';
import { followsProfile, furthestAheadSeconds } from '../clients/security-profile.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { clockToleranceSeconds, nowSeconds } from '../shared/lifetimes.js';
import { timeFault } from '../shared/time-faults.js';
import { isUnambiguous } from '../shared/unambiguous-jwt.js';
import { jwtFault } from './presented-credentials.js';
import type { VerificationKeys } from './verification-keys.js';

interface Assertion {
  text: string;
  claims: Record<string, unknown>;
  header: Record<string, unknown>;
}

/** The client of an assertion, and the rules that hold for it. */
interface Expected {
  clientId: string;
  isOfProfile: boolean;
  /** The first is the one to name. */
  audiences: readonly string[];
}

/** One check, in the order in which the engine and our own code make them; true if it noted its fault. */
type Check = (assertion: Assertion, expected: Expected) => boolean;

/**
 * Notes why a client assertion was refused: each check is made again on the values of the assertion. `keys` knows which
 * keys were read. False if none of them explains it.
 */
export async function noteAssertion(
  ctx: KoaContextWithOIDC,
  text: string,
  registered: RegisteredCredentials,
  keys: VerificationKeys,
): Promise<boolean> {
  const assertion = decoded(text);
  if (!assertion) {
    note('assertion-unreadable', { reason: jwtFault(text) });
    return true;
  }
  const isOfProfile = ctx.oidc.client !== undefined && followsProfile(gatehouseClient(ctx.oidc.client).settings);
  const audiences = isOfProfile
    ? [ctx.oidc.issuer]
    : [ctx.oidc.urlFor('token'), ctx.oidc.issuer, ctx.oidc.issuer + ctx.path];
  const expected = { clientId: ctx.oidc.client?.clientId ?? '', isOfProfile, audiences };
  const isNoted = (checks: readonly Check[]) => checks.some((check) => check(assertion, expected));
  if (isNoted(beforeKey)) return true;
  const { credentials } = registered;
  if (await keys.note('assertion', assertion, { clientId: expected.clientId, credentials })) return true;
  if (isNoted(afterKey)) return true;
  const { replayed } = ctx.state as ReplayState;
  const isReused = replayed !== undefined && replayed === assertion.claims.jti;
  if (isReused) note('assertion-reused');
  return isReused;
}

/** The header of a text that was to be an assertion; undefined if it cannot be read. */
export function assertionHeader(text: string): Record<string, unknown> | undefined {
  return decoded(text)?.header;
}

/** The `iss` of an assertion that is not its `sub`. */
export function otherIssuer(text: string | undefined): string | undefined {
  const { iss, sub } = (text !== undefined && decoded(text)?.claims) || {};
  return typeof iss === 'string' && iss !== sub ? iss : undefined;
}

const beforeKey: readonly Check[] = [noteAlgorithm, noteMissing, noteTimeUnit, noteIssuer, noteAudience];
const afterKey: readonly Check[] = [noteTimes, noteHeader];

function noteAlgorithm({ header }: Assertion, { isOfProfile }: Expected): boolean {
  const supported: readonly string[] = isOfProfile ? profileAlgorithms : clientAlgorithms;
  const used = String(header.alg);
  if (supported.includes(used)) return false;
  note('assertion-algorithm', { used, supported: supported.join(', ') });
  return true;
}

function noteMissing({ header, claims }: Assertion): boolean {
  const claim = ['exp', 'jti', 'iss', 'sub', 'aud'].find((name) => !claims[name]);
  if (claim !== undefined) {
    const found = header[claim] === undefined ? '' : `It is in the header, and belongs among the claims.`;
    note('assertion-claim-missing', { claim, found });
  } else if (typeof claims.jti !== 'string') {
    note('assertion-jti-form', { sent: JSON.stringify(claims.jti).slice(0, 40) });
  } else if (typeof header.kid !== 'string') {
    const found = claims.kid === undefined ? '' : 'It is among the claims, and belongs into the header.';
    note('assertion-key-missing', { found });
  } else return false;
  return true;
}

/** Only of claims that are refused for it: an `iat`, and an `nbf` of the past, are not. */
function noteTimeUnit({ claims }: Assertion, { isOfProfile }: Expected): boolean {
  const { nbf, iat } = claims;
  const isFuture = (time: unknown) => typeof time !== 'number' || time > nowSeconds() + clockToleranceSeconds;
  const fault = timeFault(claims, [
    'exp',
    ...(isFuture(nbf) ? ['nbf'] : []),
    ...(typeof iat !== 'number' || (isOfProfile && isFuture(iat)) ? ['iat'] : []),
  ]);
  if (fault) note('assertion-time', { ...fault });
  return fault !== undefined;
}

function noteIssuer({ claims: { iss, sub } }: Assertion, { clientId }: Expected): boolean {
  if (iss === clientId && sub === clientId) return false;
  note('assertion-issuer', { iss: printedClaim(iss), sub: printedClaim(sub), clientId });
  return true;
}

function noteAudience({ claims: { aud } }: Assertion, { audiences, isOfProfile }: Expected): boolean {
  const sent: unknown[] = Array.isArray(aud) ? aud : [aud];
  const isRight = isOfProfile ? aud === audiences[0] : sent.some((one) => audiences.includes(String(one)));
  if (isRight) return false;
  const [expected = ''] = audiences;
  const difference = sent.length > 1 ? 'it is a list' : textDifference(String(sent[0]), expected);
  note('assertion-audience', { sent: printedClaim(aud), expected, difference });
  return true;
}

function noteTimes({ claims }: Assertion, { isOfProfile }: Expected): boolean {
  const now = nowSeconds();
  const [exp, nbf, iat] = [claims.exp, claims.nbf, claims.iat].map((time) => Number(time ?? Number.NaN));
  const ahead = Math.max(
    ...[nbf, iat].filter((time) => time !== undefined && time > now).map((time) => Number(time) - now),
  );
  const tolerance = isOfProfile ? furthestAheadSeconds : clockToleranceSeconds;
  if (Number(exp) <= now - clockToleranceSeconds) note('assertion-expired', { seconds: now - Number(exp) });
  else if (Number(nbf) > now + clockToleranceSeconds || (isOfProfile && ahead > tolerance)) {
    note('assertion-from-future', { seconds: ahead });
  } else if (Number(exp) > now + longestAssertionSeconds + clockToleranceSeconds) {
    // A clock that is ahead shows in `iat`, or in an `exp` that is too far away.
    if (ahead > 0) note('assertion-from-future', { seconds: ahead });
    else note('assertion-lifetime', { seconds: Number(exp) - now, allowed: longestAssertionSeconds });
  } else return false;
  return true;
}

function noteHeader({ text, header }: Assertion): boolean {
  if (header.jku !== undefined) note('assertion-header', { member: 'jku', reason: 'it is not a registered address' });
  else if (header.crit !== undefined)
    note('assertion-header', { member: 'crit', reason: 'no extension is known here' });
  else if (!isUnambiguous(text)) note('assertion-unreadable', { reason: 'a member is there twice' });
  else return false;
  return true;
}

function decoded(text: string): Assertion | undefined {
  try {
    return { text, claims: decodeJwt(text), header: { ...decodeProtectedHeader(text) } };
  } catch {
    return undefined;
  }
}

function printedClaim(claim: unknown): string {
  if (claim === undefined) return 'missing';
  return typeof claim === 'string' ? claim : JSON.stringify(claim);
}
