import type { CauseCode } from '../../../contract/activity/catalogue.js';
import type { Detail } from '../../../contract/activity/cause.js';
import { describeEnd } from '../../../contract/activity/end-causes.js';
import type { AccessTokenFacts, AccessTokens, RefusedToken, UnknownToken } from '../../../oidc/domain/access-tokens.js';
import { identifyLaunch, launchIdOfDay, note } from '../../../platform/activity/launch-notes.js';
import type { StrayRecords } from '../../../platform/activity/stray-records.js';
import { type Secrets, sha256 } from '../../../platform/crypto/secrets.js';
import { log } from '../../../platform/logging/log.js';
import { callerKey } from '../../../platform/request/caller-key.js';
import { type FhirRequest, isBundle, tryClassify } from '../../domain/fhir-request.js';
import { type Challenge, type Finding, Refusal } from '../../domain/refusal.js';
import { bearerCredentials } from '../../domain/request-headers.js';
import type { GatewayRequest } from '../server/gateway-request.js';

/** The names of parameters are the app's: text that is no name could be a value. */
const quoted = /'([^']*)'/g;
const name = /^[_$]?[A-Za-z][\w-]{0,40}(?:[.:][\w-]{1,40})*$/;

/** Method and type of a request. */
interface Asked {
  method: string;
  type: string;
}

/**
 * Notes refused requests in the launches of their tokens. Requests that pass cost nothing: the launch is looked up when
 * a request is refused.
 */
export class RefusedRequests {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly secrets: Secrets,
    private readonly stray: StrayRecords,
    private readonly fhirBase: string,
  ) {}

  /** A request, or a part of one, with a valid token. */
  async note(request: GatewayRequest, bearer: AccessTokenFacts, refusal: Refusal, fhir?: FhirRequest): Promise<void> {
    if (refusal.status >= 500) return;
    const { status, message, challenge } = refusal;
    await this.identify(bearer);
    const what = methodAndType(request, fhir);
    if (challenge?.scope !== undefined) await this.noteMissingScope(challenge.scope, bearer, what);
    else if (refusal.finding) noteFinding(refusal.finding, what);
    else if (challenge?.error === 'insufficient_user_authentication') {
      note('gateway-sign-in', { ...what, needed: signInNamedBy(challenge) });
    } else if (refusal.code === 'not-found') {
      note(namesOtherPatient(fhir, bearer) ? 'gateway-other-patient' : 'gateway-not-open', what);
    } else note('gateway-refused', { ...what, status, sentence: withoutValues(message) });
  }

  private async noteMissingScope(scope: string, bearer: AccessTokenFacts, what: Asked): Promise<void> {
    const { isDeclined, ...change } = await this.tokens.describeMissing(scope, bearer).catch((err: unknown) => {
      log.warn({ err }, 'lookup for a missing scope failed');
      return { remedy: `Have the app request ${scope}.`, field: '', configuration: '', isDeclined: false };
    });
    if (isDeclined) note('gateway-scope-declined', { ...what, scope });
    else note('gateway-scope-missing', { ...what, scope, ...change });
  }

  /**
   * A request whose token or proof was refused; returns the refusal that its app gets. Without a token that was issued
   * here it is a record of its own, of which an address has some a day.
   */
  async noteToken(request: GatewayRequest, refusal: Refusal): Promise<Refusal> {
    const { status, message, challenge } = refusal;
    if (status >= 500) return refusal;
    const what = methodAndType(request, tryClassify(request.method, request.target));
    const token = sentToken(request.headers.authorization);
    const found = token === undefined ? undefined : await this.refusedToken(token, request.headers.dpop);
    if (!found) {
      await this.noteStray(request, what, token);
      return refusal;
    }
    await this.identify(found);
    const { authorization = '' } = request.headers;
    const seconds = Math.round(Date.now() / 1000 - found.expiresAt);
    if (!bearerCredentials.test(authorization)) {
      note('gateway-token-unreadable', { ...what, reason: headerFault(authorization) });
    } else if (challenge?.error === 'use_dpop_nonce') note('gateway-nonce', what);
    else if (challenge?.error === 'invalid_request') noteScheme(found, request, what);
    else if (challenge?.error !== 'invalid_token') note('gateway-proof-refused', { ...what, sentence: message });
    else if (seconds >= 0) note('gateway-token-expired', { ...what, seconds });
    else if (found.audience !== this.fhirBase) {
      note('gateway-token-elsewhere', { ...what, sent: found.audience, expected: this.fhirBase });
    } else return noteUnaccepted(found, request, what) ?? refusal;
    return refusal;
  }

  /** A request without a token that was issued here. The same request again is the same record. */
  private async noteStray({ headers, target }: GatewayRequest, what: Asked, token: string | undefined): Promise<void> {
    const { authorization } = headers;
    const unknown = token === undefined ? undefined : await this.unknownToken(token);
    if (unknown?.launchId !== undefined) identifyLaunch({ id: unknown.launchId, clientId: unknown.clientId });
    else {
      const sent = authorization ?? (hasTokenInAddress(target) ? 'in the address' : what.type);
      const own = launchIdOfDay(this.secrets, 'gateway', callerKey(), sha256(sent));
      const id = this.stray.idFor('gateway', own);
      identifyLaunch({ id, kind: 'unknown', clientId: unknown?.clientId });
    }
    if (unknown) noteUnknown(unknown, what);
    else if (authorization !== undefined) {
      note('gateway-token-unreadable', { ...what, reason: headerFault(authorization) });
    } else if (hasTokenInAddress(target)) note('gateway-token-in-address', what);
    else note('gateway-token-missing', what);
  }

  private async unknownToken(token: string): Promise<UnknownToken> {
    // Anyone can send texts, and each is compared with all that its damages would undo.
    if (!this.stray.mayLookUp()) return { kind: 'unknown' };
    return this.tokens.describeUnknown(token).catch((err: unknown) => {
      log.warn({ err }, 'lookup for an unknown token failed');
      return { kind: 'unknown' };
    });
  }

  private refusedToken(token: string, proof: string | undefined) {
    return this.tokens.describeRefused(token, proof).catch((err: unknown) => {
      log.warn({ err }, 'launch lookup for a refused token failed');
      return undefined;
    });
  }

  private async identify({
    clientId,
    accountId,
    grantId,
  }: Pick<AccessTokenFacts, 'clientId' | 'accountId' | 'grantId'>) {
    const ofLaunch = grantId === undefined ? undefined : await this.launchOf(grantId);
    const group = grantId === undefined ? 'service' : 'refused';
    const id = ofLaunch ?? launchIdOfDay(this.secrets, group, clientId);
    identifyLaunch({ id, clientId, accountId, ...(ofLaunch === undefined && { kind: 'service' }) });
  }

  private launchOf(grantId: string): Promise<string | undefined> {
    return this.tokens.launchOf(grantId).catch((err: unknown) => {
      log.warn({ err }, 'launch lookup for a refused request failed');
      return undefined;
    });
  }
}

/**
 * Notes a token for this base that has not expired, and was not accepted. Returns the refusal for an app that can mend
 * the request itself.
 */
function noteUnaccepted(found: RefusedToken, request: GatewayRequest, what: Asked): Refusal | undefined {
  if (found.end) note('gateway-access-had-ended', { ...what, ...describeEnd(found.end) });
  else if (found.isPaused) note('gateway-app-paused', what);
  else if (found.isBound !== isProven(request)) {
    noteScheme(found, request, what);
    const needed = found.isBound
      ? 'is bound to a key: it needs the scheme DPoP and a proof'
      : 'needs the scheme Bearer';
    const sentence = `The access token ${needed}.`;
    const challenge = { error: 'invalid_token', error_description: sentence, isBound: found.isBound } as const;
    return new Refusal(401, 'login', sentence, {}, challenge);
  } else noteInvalid(found, what);
  return undefined;
}

function noteInvalid({ client, account, lacksBinding, proofFault }: RefusedToken, what: Asked): void {
  if (client === 'disabled') note('gateway-client-disabled', what);
  else if (client === 'gone') note('gateway-client-gone', what);
  else if (lacksBinding) note('gateway-token-of-profile', what);
  else if (proofFault !== undefined) {
    note('gateway-proof-refused', { ...what, sentence: `The DPoP proof is not valid: ${proofFault}.` });
  } else if (account === 'gone') note('gateway-account-gone', what);
  else if (account === 'other-tenant') note('gateway-account-elsewhere', what);
  else note('gateway-token-ended', what);
}

/** Notes a token with another scheme than it needs, or with a proof too many or too few. */
function noteScheme({ isBound }: RefusedToken, request: GatewayRequest, what: Asked): void {
  const hasProof = request.headers.dpop !== undefined && request.headers.dpop !== '';
  const proof = hasProof ? 'a DPoP proof' : 'no DPoP proof';
  if (!isBound) note('gateway-token-unbound', { ...what, sent: isProven(request) ? 'the scheme DPoP' : proof });
  else if (isProven(request)) note('gateway-proof-missing', what);
  else note('gateway-token-bound', { ...what, proof });
}

function isProven({ headers: { authorization = '' } }: GatewayRequest): boolean {
  return /^DPoP /i.test(authorization);
}

function noteFinding(finding: Finding, what: Asked): void {
  const { code, detail } = finding;
  (note as (code: CauseCode, detail: Detail) => void)(code, { ...what, ...detail });
}

/** Notes a text that was sent as access token, and is not recorded here as one. */
function noteUnknown({ kind, fault = '', issuer = '' }: UnknownToken, what: Asked): void {
  if (kind === 'damaged') note('gateway-token-damaged', { ...what, damage: fault });
  else if (kind === 'changed') note('gateway-token-changed', { ...what, fault });
  else if (kind === 'foreign') note('gateway-token-foreign', { ...what, issuer });
  else if (kind === 'unknown') note('gateway-token-unknown', what);
  else note('gateway-token-other-kind', { ...what, sent: kind });
}

/** The text in the place of the token, also after a scheme that is written wrongly; undefined if there is none. */
function sentToken(authorization: string | undefined): string | undefined {
  return /^\s*(?:Bearer|DPoP)[\s:=]*(\S.*?)\s*$/is.exec(authorization ?? '')?.[1];
}

/** Why no token can be read from a header, in a clause. */
function headerFault(authorization: string): string {
  const [, scheme = ''] = /^\s*([!#$%&'*+.^_`|~\w-]*)/.exec(authorization) ?? [];
  if (/^(?:Bearer|DPoP)$/i.test(scheme)) {
    const rest = authorization.trim().slice(scheme.length);
    if (rest.trim() === '') return `there is no token after ${scheme}`;
    return /^ /.test(rest) ? `it has more than ${scheme}, a space and the token` : `no space follows ${scheme}`;
  }
  if (/^(?:Bearer|DPoP)/i.test(scheme)) return `no space follows ${scheme.slice(0, /^b/i.test(scheme) ? 6 : 4)}`;
  return /^\s*(?:Basic|Digest|Negotiate|NTLM|Token|JWT|OAuth)\s/i.test(authorization)
    ? `its scheme is ${scheme}`
    : 'it does not begin with a scheme';
}

/** RFC 6750 §2.3, which is not supported: addresses are kept in logs. */
function hasTokenInAddress(target: string): boolean {
  return /[?&](?:access_token|token|bearer|authorization)=/i.test(target);
}

/** True if a token for one patient alone was used for the record of another one. */
function namesOtherPatient(fhir: FhirRequest | undefined, { patient, scopes }: AccessTokenFacts): boolean {
  const isOfOne = patient !== undefined && !scopes.some((scope) => /^(?:user|system)\//.test(scope));
  return isOfOne && fhir?.type === 'Patient' && fhir.id !== undefined && fhir.id !== patient;
}

/** Describes the sign-in that a challenge asks for. */
function signInNamedBy({ acr_values: acr, max_age: age }: Challenge): string {
  const kinds: Record<string, string> = { aal2: 'a sign-in with two factors', phr: 'a sign-in with a passkey' };
  return (kinds[acr ?? ''] ?? 'a sign-in') + (age === undefined ? '' : ` within the last ${age} s`);
}

/** Method and type: an id or a search value is personal data. */
function methodAndType({ method, target }: GatewayRequest, fhir: FhirRequest | undefined): Asked {
  const type = isBundle(method, target) ? 'Bundle' : (fhir?.type ?? typeIn(target));
  return { method, type: type === '*' ? 'everything' : type };
}

/** The type of an address that is not understood otherwise. */
function typeIn(target: string): string {
  return /^\/([A-Z][A-Za-z]{1,40})(?![\w-])/.exec(target)?.[1] ?? 'an unknown type';
}

function withoutValues(sentence: string): string {
  return sentence.replace(quoted, (whole, text: string) => (name.test(text) ? whole : "'…'"));
}
