import type { ApiScope, ConsentRequest } from '../../../../src/contract/consent.js';
import { badgesOf, choiceOf, firstSelection, grouped, ticked } from './selection.js';

const scope = (value: string, children: string[] = [], required = false): ApiScope => ({
  value,
  displayName: value,
  description: '',
  required,
  fineGrainedScopes: children.map((child) => scope(child, [], required)),
});

const laboratory = 'patient/Observation.rs?category=laboratory';
const survey = 'patient/Observation.rs?category=survey';
const observation = scope('patient/Observation.rs', [laboratory, survey]);
const medication = scope('patient/MedicationRequest.rs');
const patient = scope('patient/Patient.rs', [], true);

const request: ConsentRequest = {
  clientName: 'App',
  identityScopes: [
    { value: 'openid', displayName: '', description: '', required: true },
    { value: 'profile', displayName: '', description: '', required: false },
  ],
  apiScopes: [observation, medication, patient],
  redirectHost: 'app.example',
  legalCompanyName: null,
  contactUsUrl: null,
  privacyPolicyUrl: null,
  termsOfServiceUrl: null,
  firstTime: true,
  leftOutBefore: [],
  lasting: { until: null, offlineSeconds: null },
};

const choice = choiceOf(request);
const start = firstSelection(choice, request);

describe('the selection on the consent page', () => {
  it('grants initially all scopes of the request, as they were requested', () => {
    expect(choice.granted(start)).toEqual([
      'openid',
      'profile',
      'patient/Observation.rs',
      'patient/MedicationRequest.rs',
      'patient/Patient.rs',
    ]);
  });

  it('has earlier declined scopes unticked initially, with the scopes that would permit them', () => {
    const again = firstSelection(choice, { ...request, leftOutBefore: ['profile', survey] });
    expect(choice.granted(again)).toEqual(['openid', laboratory, 'patient/MedicationRequest.rs', 'patient/Patient.rs']);
  });

  it('grants the narrower scopes instead of their parent when some are unticked', () => {
    const selection = ticked(choice, start, [scope(survey)], false);
    expect(choice.tickOf(selection, observation)).toBe('some');
    expect(choice.granted(selection)).toContain(laboratory);
    expect(choice.granted(selection)).not.toContain('patient/Observation.rs');
    expect(choice.granted(selection)).not.toContain(survey);
  });

  it('grants the parent scope again once all narrower ones are ticked', () => {
    const without = ticked(choice, start, [scope(survey)], false);
    const selection = ticked(choice, without, [scope(survey)], true);
    expect(choice.tickOf(selection, observation)).toBe('all');
    expect(choice.granted(selection)).toContain('patient/Observation.rs');
  });

  it('turns all permissions off except the required ones, and leaves personal information unchanged', () => {
    const off = ticked(choice, start, request.apiScopes, false);
    expect(choice.granted(off)).toEqual(['openid', 'profile', 'patient/Patient.rs']);
  });

  it('turns all permissions on again', () => {
    const off = ticked(choice, start, request.apiScopes, false);
    expect(choice.granted(ticked(choice, off, request.apiScopes, true))).toEqual(choice.granted(start));
  });
});

describe('the groups on the consent page', () => {
  it('are named by the text before the first dot, in the order of first appearance', () => {
    const scopes = ['patient/Observation.r', 'offline_access', 'patient/Observation.s', 'patient/Patient.r'].map(
      (value) => scope(value),
    );
    expect(grouped(scopes).map((group) => group.map(({ value }) => value))).toEqual([
      ['patient/Observation.r', 'patient/Observation.s'],
      ['offline_access'],
      ['patient/Patient.r'],
    ]);
  });
});

describe('the badges on the consent page', () => {
  it.each([
    ['patient/Observation.rs', []],
    ['patient/Observation.read', []],
    ['patient/Appointment.cruds', ['canChange']],
    ['patient/Appointment.write', ['canChange']],
    ['user/*.*', ['canChange']],
    ['offline_access', ['offline']],
    ['online_access', []],
    ['launch/patient', []],
  ])('of %s are %j', (value, badges) => {
    expect(badgesOf({ value })).toEqual(badges);
  });

  it('show first that a scope is required', () => {
    expect(badgesOf({ value: 'patient/Appointment.c', required: true })).toEqual(['required', 'canChange']);
  });
});
