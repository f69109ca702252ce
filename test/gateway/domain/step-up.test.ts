import type { FhirRequest } from '../../../src/gateway/domain/fhir-request.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import type { RelatedType } from '../../../src/gateway/domain/related-types.js';
import { assertSignIn, type SignIn, type StepUpRule } from '../../../src/gateway/domain/step-up.js';
import { resultOrRefusal } from '../../support/fhir/refusals.js';

const now = 1_000;
const user = (signIn: Omit<SignIn, 'accountId'> = {}): SignIn => ({ accountId: 'ada', ...signIn });
const request = (request: Partial<FhirRequest> = {}): FhirRequest => ({
  interaction: 'read',
  type: 'Observation',
  parameters: [],
  ...request,
});
const reached = (type: string, action: RelatedType['action']): RelatedType => ({ type, action, shown: true });
const rule = (rule: Partial<StepUpRule> = {}): StepUpRule => ({
  actions: 'r',
  types: ['Observation'],
  acr: 'aal2',
  ...rule,
});
const refusal = (one: FhirRequest, signIn: SignIn, ...rules: StepUpRule[]) =>
  resultOrRefusal(() => assertSignIn(one, signIn, rules, now));
const isRefused = (...args: Parameters<typeof refusal>) => refusal(...args) instanceof Refusal;

describe('a rule about the sign-in', () => {
  it.each<[acr: string | undefined, needed: NonNullable<StepUpRule['acr']>, isRefused: boolean]>([
    ['aal1', 'aal1', false],
    ['aal1', 'aal2', true],
    ['aal2', 'aal2', false],
    ['phr', 'aal2', false],
    ['aal2', 'phr', true],
    ['unknown', 'aal1', true],
    [undefined, 'aal1', true],
  ])('finds that a sign-in of level %s where %s is needed is refused: %s', (acr, needed, expected) => {
    expect(isRefused(request(), user({ acr }), rule({ acr: needed }))).toBe(expected);
  });

  it.each<[authTime: number | undefined, maxAge: number, isRefused: boolean]>([
    [now - 60, 60, false],
    [now - 61, 60, true],
    // A token of before the claim was added is as old as can be.
    [undefined, now, false],
    [undefined, now - 1, true],
    [Number.NaN, 60, true],
  ])('finds that a sign-in at %s at most %s seconds ago is refused: %s', (authTime, maxAge, expected) => {
    expect(isRefused(request(), user({ authTime }), rule({ acr: undefined, maxAge }))).toBe(expected);
  });

  it('refuses if only one of level and age is met', () => {
    const both = rule({ acr: 'aal2', maxAge: 60 });
    expect(isRefused(request(), user({ acr: 'aal2', authTime: now }), both)).toBe(false);
    expect(isRefused(request(), user({ acr: 'aal2', authTime: now - 61 }), both)).toBe(true);
    expect(isRefused(request(), user({ acr: 'aal1', authTime: now }), both)).toBe(true);
  });

  it('does not refuse a service, which has no user', () => {
    expect(isRefused(request(), {}, rule())).toBe(false);
  });

  it('demands nothing if it has neither level nor age', () => {
    expect(isRefused(request(), user(), rule({ acr: undefined }))).toBe(false);
    expect(isRefused(request(), user())).toBe(false);
  });
});

describe('a rule about the sign-in applies', () => {
  it.each<[name: string, request: Partial<FhirRequest>, rule: Partial<StepUpRule>, applies: boolean]>([
    ['the type and action', {}, {}, true],
    ['another type', { type: 'Condition' }, {}, false],
    ['another action', { interaction: 'search' }, {}, false],
    ['an action of several', { interaction: 'update' }, { actions: 'cu' }, true],
    ['a type of several', {}, { types: ['Condition', 'Observation'] }, true],
    ['all types', { type: 'Condition' }, { types: ['*'] }, true],
    ['a request for the whole server', { interaction: 'search', type: '*' }, { actions: 's' }, true],
    ['an operation, for rules about reading', { interaction: 'operation', type: 'Patient' }, {}, true],
    ['an operation, for rules about searching', { interaction: 'operation', type: 'Patient' }, { actions: 's' }, true],
    ['an operation, for rules about changes', { interaction: 'operation' }, { actions: 'cud' }, false],
    [
      'a type that a search reaches beside its own',
      { interaction: 'search', type: 'Patient', relatedTypes: [reached('Observation', 'r')] },
      {},
      true,
    ],
    [
      'a search that reaches other types only',
      { interaction: 'search', type: 'Patient', relatedTypes: [reached('Condition', 'r')] },
      {},
      false,
    ],
    [
      'a search that reaches its type for another action',
      { interaction: 'search', type: 'Patient', relatedTypes: [reached('Observation', 's')] },
      {},
      false,
    ],
    [
      'a search that may reach any type by a reference',
      { interaction: 'search', type: 'Patient', relatedTypes: [reached('*', 'r')] },
      {},
      true,
    ],
    [
      'a search of its type that reaches another one',
      { interaction: 'search', relatedTypes: [reached('Condition', 'r')] },
      { actions: 's' },
      true,
    ],
  ])('to %s', (_, one, about, applies) => {
    expect(isRefused(request(one), user({ acr: 'aal1' }), rule(about))).toBe(applies);
  });
});

describe('the refusal of a sign-in', () => {
  const demands = (...rules: Partial<StepUpRule>[]) => {
    const found = refusal(request(), user({ acr: 'aal1', authTime: 0 }), ...rules.map(rule));
    if (!(found instanceof Refusal)) throw new Error('not refused');
    return found.challenge;
  };
  const text = 'This needs a stronger or a newer sign-in of the user.';

  it('answers 401 as RFC 9470 §3 has it', () => {
    expect(refusal(request(), user({ acr: 'aal1' }), rule({ maxAge: 60 }))).toMatchObject({
      status: 401,
      code: 'login',
      message: text,
      headers: {},
      challenge: {
        error: 'insufficient_user_authentication',
        error_description: text,
        acr_values: 'aal2',
        max_age: '60',
      },
    });
  });

  it('names neither a level nor an age that no rule demands', () => {
    expect(Object.keys(demands({ acr: 'aal2' }) ?? {})).toEqual(['error', 'error_description', 'acr_values']);
    expect(Object.keys(demands({ acr: undefined, maxAge: 60 }) ?? {})).toEqual([
      'error',
      'error_description',
      'max_age',
    ]);
  });

  it('names the strongest level and the shortest age of all rules for the request, so that one sign-in is enough', () => {
    expect(demands({ acr: 'aal2' }, { acr: 'phr' }, { acr: 'aal1' })).toMatchObject({ acr_values: 'phr' });
    expect(demands({ acr: 'phr' }, { acr: undefined })).toMatchObject({ acr_values: 'phr' });
    expect(demands({ maxAge: 600 }, { maxAge: 60 }, { maxAge: 300 })).toMatchObject({ max_age: '60' });
    expect(demands({ acr: 'aal2' }, { acr: 'phr', types: ['Condition'] })).toMatchObject({ acr_values: 'aal2' });
  });
});
