import { describeEnd } from '../../../contract/activity/end-causes.js';
import type { AccessTokenFacts, AccessTokens, RefusedToken } from '../../../oidc/domain/access-tokens.js';
import { identifyLaunch, launchIdOfDay, note } from '../../../platform/activity/launch-notes.js';
import type { Secrets } from '../../../platform/crypto/secrets.js';
import { log } from '../../../platform/logging/log.js';
import { type FhirRequest, isBundle, tryClassify } from '../../domain/fhir-request.js';
import type { Challenge, Refusal } from '../../domain/refusal.js';
import type { GatewayRequest } from '../server/gateway-request.js';

/** The names of parameters are the app's: text that is no name could be a value. */
const quoted = /'([^']*)'/g;
const name = /^[_$]?[A-Za-z][\w-]{0,40}(?:[.:][\w-]{1,40})*$/;

/**
 * Notes refused requests in the launches of their tokens. Requests that pass cost nothing: the launch is looked up when
 * a request is refused.
 */
export class RefusedRequests {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly secrets: Secrets,
    private readonly fhirBase: string,
  ) {}

  /** A request, or a part of one, with a valid token. */
  async note(request: GatewayRequest, bearer: AccessTokenFacts, refusal: Refusal, fhir?: FhirRequest): Promise<void> {
    if (refusal.status >= 500) return;
    const { status, message, challenge } = refusal;
    await this.identify(bearer);
    const what = methodAndType(request, fhir);
    if (challenge?.scope !== undefined) note('gateway-scope-missing', { ...what, scope: challenge.scope });
    else if (challenge?.error === 'insufficient_user_authentication') {
      note('gateway-sign-in', { ...what, needed: signInNamedBy(challenge) });
    } else if (refusal.code === 'not-found') note('gateway-not-open', what);
    else note('gateway-refused', { ...what, status, sentence: withoutValues(message) });
  }

  /** A request whose token or proof was refused. A token that was not issued here belongs to no launch. */
  async noteToken(request: GatewayRequest, { status, message, challenge }: Refusal): Promise<void> {
    const [, token] = /^(?:Bearer|DPoP) +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const found = token === undefined || status >= 500 ? undefined : await this.refusedToken(token);
    if (!found) return;
    await this.identify(found);
    const what = methodAndType(request, tryClassify(request.method, request.target));
    const seconds = Math.round(Date.now() / 1000 - found.expiresAt);
    if (challenge?.error === 'use_dpop_nonce') note('gateway-nonce', what);
    else if (challenge?.error !== 'invalid_token') note('gateway-proof-refused', { ...what, sentence: message });
    else if (seconds >= 0) note('gateway-token-expired', { ...what, seconds });
    else if (found.audience !== this.fhirBase) {
      note('gateway-token-elsewhere', { ...what, sent: found.audience, expected: this.fhirBase });
    } else noteUnaccepted(found, request, what);
  }

  private refusedToken(token: string) {
    return this.tokens.describeRefused(token).catch((err: unknown) => {
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

/** A token for this base that has not expired, and was not accepted. */
function noteUnaccepted(found: RefusedToken, request: GatewayRequest, what: { method: string; type: string }): void {
  const isProven = /^DPoP /i.test(request.headers.authorization ?? '');
  if (found.end) note('gateway-access-had-ended', { ...what, ...describeEnd(found.end) });
  else if (found.isPaused) note('gateway-app-paused', what);
  else if (found.isClientGone) note('gateway-client-disabled', what);
  else if (found.isAccountGone) note('gateway-account', what);
  else if (found.isBound !== isProven) {
    const needed = found.isBound
      ? 'is bound to a key: it needs the scheme DPoP and a proof'
      : 'needs the scheme Bearer';
    note('gateway-proof-refused', { ...what, sentence: `The access token ${needed}.` });
  } else if (found.isBound) {
    const sentence = 'The DPoP proof is by another key than the access token is bound to, or was used before.';
    note('gateway-proof-refused', { ...what, sentence });
  } else note('gateway-token-ended', what);
}

/** Describes the sign-in that a challenge asks for. */
function signInNamedBy({ acr_values: acr, max_age: age }: Challenge): string {
  const kinds: Record<string, string> = { aal2: 'a sign-in with two factors', phr: 'a sign-in with a passkey' };
  return (kinds[acr ?? ''] ?? 'a sign-in') + (age === undefined ? '' : ` within the last ${age} s`);
}

/** Method and type: an id or a search value is personal data. */
function methodAndType(
  { method, target }: GatewayRequest,
  fhir: FhirRequest | undefined,
): { method: string; type: string } {
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
