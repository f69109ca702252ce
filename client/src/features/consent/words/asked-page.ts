import './en.js';
import type { ApiScope, ConsentRequest } from '../../../../../src/contract/consent.js';
import { accessRows } from '../../../../../src/contract/rules/scopes/access-rows.js';
import { dividedScopes, fineGrainedScopes } from '../../../../../src/contract/rules/scopes/scope-description.js';
import { parseScope, printScope } from '../../../../../src/contract/rules/scopes/smart-scope.js';
import { ConsentWords, distinctTitles } from './consent-words.js';

export const served = ['Condition', 'Goal', 'Observation', 'Patient', 'Practitioner'];
export const patient = { id: 'Patient/1', name: 'Noah Reed', birthDate: null, recordNumber: null, canChange: true };
/** A scope with what is below it on the page. */
export function offered(value: string, fine: boolean): ApiScope {
  const scope = parseScope(value);
  const below = () => {
    if (scope?.kind !== 'resource') return [];
    if (scope.type === '*') return served.map((type) => printScope({ ...scope, type }));
    return fine ? ([fineGrainedScopes(scope), dividedScopes(scope)].find((finer) => finer.length > 0) ?? []) : [];
  };
  const children = below().map((text) => offered(text, fine));
  return { value, displayName: '', description: '', required: false, fineGrainedScopes: children };
}

/** A request of an app, and its user. */
export interface Variant {
  scopes: string;
  /** A practitioner, with this patient or none; a patient by default. */
  practitionerOf?: typeof patient | null;
  fine?: boolean;
  lasting?: ConsentRequest['lasting'];
}

/** The request as the consent page reads it, with its rows and words. */
export function pageOf(
  { scopes, practitionerOf, fine = false, lasting }: Variant,
  further: Partial<ConsentRequest> = {},
) {
  const isIdentity = (text: string) => ['identity', 'launch'].includes(parseScope(text)?.kind ?? '');
  const texts = scopes.split(' ');
  const request: ConsentRequest = {
    clientName: 'App',
    identityScopes: texts
      .filter(isIdentity)
      .map((value) => ({ value, displayName: '', description: '', required: value === 'openid' })),
    apiScopes: texts.filter((text) => !isIdentity(text)).map((text) => offered(text, fine)),
    redirectHost: 'app.example',
    firstTime: true,
    decidedAt: null,
    leftOutBefore: [],
    newScopes: [],
    ownRecord: practitionerOf === undefined,
    sensitive: { whole: [], partly: [] },
    lasting: lasting ?? { seconds: null, until: null, offlineSeconds: null },
    patient: practitionerOf ?? null,
    contextVersion: '',
    legalCompanyName: null,
    contactUsUrl: null,
    privacyPolicyUrl: null,
    termsOfServiceUrl: null,
    isTrial: false,
    ...further,
  };
  const rows = accessRows(request.apiScopes, request.ownRecord);
  const words = new ConsentWords(request);
  const titles = distinctTitles(words, [...rows.data, ...rows.other, ...rows.lasting]);
  return { request, rows, words, titles };
}
