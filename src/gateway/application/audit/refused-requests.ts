import type { CauseCode } from '../../../contract/activity/catalogue.js';
import type { Detail } from '../../../contract/activity/cause.js';
import type { AccessTokenFacts, AccessTokens } from '../../../oidc/domain/access-tokens.js';
import type { RefusedTokens } from '../../../oidc/domain/refused/refused-tokens.js';
import { identifyLaunch, isIdentified, note } from '../../../platform/activity/launch-notes.js';
import { log } from '../../../platform/logging/log.js';
import { type FhirRequest, isBundle, tryClassify } from '../../domain/fhir-request.js';
import { type Challenge, type Finding, Refusal } from '../../domain/refusal.js';
import { unknownTypeIn } from '../../domain/unknown-names.js';
import type { GatewayRequest } from '../server/gateway-request.js';

/** The names of parameters are the app's: text that is not a name could be a value. */
const quoted = /'([^']*)'/g;
const name = /^[_$]?[A-Za-z][\w-]{0,40}(?:[.:][\w-]{1,40})*$/;

/** In bytes. */
const longestForm = 16 * 1024;

/** Method and type of a request. */
interface Asked {
  method: string;
  type: string;
}

/**
 * Notes refused requests, and searches without a match, in the launches of their tokens. Other requests cost nothing:
 * the launch is looked up for these alone.
 */
export class RefusedRequests {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly refused: RefusedTokens,
    private readonly fhirBase: string,
    private readonly servedTypes: () => readonly string[] | undefined,
  ) {}

  /** A request, or a part of one, with a valid token. */
  async note(request: GatewayRequest, bearer: AccessTokenFacts, refusal: Refusal, fhir?: FhirRequest): Promise<void> {
    if (refusal.status >= 500) return;
    const { status, message, challenge } = refusal;
    await this.refused.identify(bearer);
    identifyLaunch({ isHidden: false });
    const what = methodAndType(request, fhir);
    if (challenge?.scope !== undefined) await this.noteMissingScope(challenge.scope, bearer, what);
    else if (refusal.finding) noteFinding(refusal.finding, what);
    else if (challenge?.error === 'insufficient_user_authentication') {
      note('gateway-sign-in', { ...what, needed: signInNamedBy(challenge) });
    } else if (refusal.code === 'not-found' && fhir?.id !== undefined && noValue.test(fhir.id)) {
      noteNoValue(fhir.id, what);
    } else if (refusal.code === 'not-found') {
      note(namesOtherPatient(fhir, bearer) ? 'gateway-other-patient' : 'gateway-not-open', what);
    } else {
      const sentence = withoutValues(message);
      note('gateway-refused', { ...what, status, sentence, remedy: remedyFor(refusal.code, sentence) });
    }
  }

  /**
   * A search without a match. Neither a reference nor the time of the answer tells the app whether the limits of the
   * token left it without one.
   */
  async noteSearch(bearer: AccessTokenFacts, isEmptied: boolean): Promise<void> {
    if (!isIdentified()) identifyLaunch({ isHidden: true });
    await this.refused.identify(bearer);
    if (isEmptied) note('gateway-search-emptied');
  }

  private async noteMissingScope(scope: string, bearer: AccessTokenFacts, what: Asked): Promise<void> {
    const { isDeclined, ...change } = await this.tokens.describeMissing(scope, bearer).catch((err: unknown) => {
      log.warn({ err }, 'lookup for a missing scope failed');
      return { remedy: `Have the app request ${scope}.`, field: '', configuration: '', isDeclined: false };
    });
    if (isDeclined) note('gateway-scope-declined', { ...what, scope });
    else note('gateway-scope-missing', { ...what, scope, ...change });
  }

  /** A request whose token or proof was refused; returns the refusal that its app gets. */
  async noteToken(request: GatewayRequest, refusal: Refusal): Promise<Refusal> {
    const { status, message: sentence, challenge } = refusal;
    if (status >= 500) return refusal;
    const { target, headers } = request;
    if (refusal.finding) {
      // The address decides, whatever token came with it.
      const [path = ''] = target.split('?', 1);
      await this.refused.fileApart(path, { authorization: headers.authorization, address: target });
      noteFinding(refusal.finding, methodAndType(request, undefined));
      return refusal;
    }
    const unfit = await this.refused.note({
      ...methodAndType(request, tryClassify(request.method, target)),
      ...{ target, authorization: headers.authorization, dpop: headers.dpop, posted: await postedToken(request) },
      ...{ otherHeader: headerWithToken(headers), error: challenge?.error, sentence, base: this.fhirBase },
      addressFault: unknownTypeIn(target, this.servedTypes()),
    });
    if (!unfit) return refusal;
    const told = { error: 'invalid_token', error_description: unfit.sentence, isBound: unfit.isBound } as const;
    return new Refusal(401, 'login', unfit.sentence, {}, told);
  }
}

/** The name of a header in which an app has put its token, by the scheme in it or by its name. */
function headerWithToken(headers: GatewayRequest['headers']): string | undefined {
  const others = Object.entries(headers).filter(([header]) => !['authorization', 'cookie', 'dpop'].includes(header));
  const isToken = ([header, value]: [string, unknown]) =>
    /^(?:bearer|dpop) \S/i.test(String(value)) || /^(?:x-)?(?:authorization|(?:auth|access)[-_]?token)$/.test(header);
  return others.find(isToken)?.[0].slice(0, 40);
}

/** A token in the form of a small request without an Authorization header. */
async function postedToken({ method, headers, body }: GatewayRequest): Promise<string | undefined> {
  const { authorization, 'content-type': type = '', 'content-length': length = '' } = headers;
  const isForm = method === 'POST' && type.startsWith('application/x-www-form-urlencoded');
  const isSmall = /^\d{1,5}$/.test(length) && Number(length) < longestForm;
  if (authorization !== undefined || !isForm || !isSmall) return undefined;
  const pieces: Buffer[] = [];
  try {
    for await (const piece of body) pieces.push(piece);
  } catch {
    return undefined;
  }
  return new URLSearchParams(Buffer.concat(pieces).toString('utf8')).get('access_token') ?? undefined;
}

function noteFinding(finding: Finding, what: Asked): void {
  const { code, detail } = finding;
  (note as (code: CauseCode, detail: Detail) => void)(code, { ...what, ...detail });
}

/** The text that a program makes of a value which it does not have, in the place of an id. */
const noValue = /^(?:undefined|null|nan|none|nil)$/i;

function noteNoValue(id: string, what: Asked): void {
  note('gateway-request-form', {
    ...what,
    fault: `its id is the word ${id}, which programs write for a value that they do not have`,
    remedy:
      'Have the app take the id from an answer, such as patient of the token answer, before it sends the request.',
  });
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

/** The advice to an app after a refusal that has no cause of its own. */
function remedyFor(code: string, sentence: string): string {
  if (['invalid', 'structure', 'too-long'].includes(code)) return `Have the app correct its request: ${sentence}`;
  if (code === 'not-supported') return `Have the app do without this request: ${sentence}`;
  if (code === 'conflict') return 'Have the app read the resource again, and make its change again.';
  return code === 'expired' ? 'Have the app search again.' : '';
}

function withoutValues(sentence: string): string {
  return sentence.replace(quoted, (whole, text: string) => (name.test(text) ? whole : "'…'"));
}
