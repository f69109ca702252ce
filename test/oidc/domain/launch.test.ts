import fc from 'fast-check';
import type { ScopeLevel } from '../../../src/contract/rules/scopes/represented-scopes.js';
import {
  contextAt,
  contextOf,
  type LaunchSources,
  launchMembers,
  ownRecord,
  patientSource,
  resolveLaunch,
  suppliedBy,
} from '../../../src/oidc/domain/launch.js';
import { allowedForContext } from '../../../src/oidc/domain/scope-request.js';

const surroundings = { styleUrl: 'https://portal.example/style', tenant: undefined, legacyFhirContext: false };
const fhirUser = 'Practitioner/1';
const chosen = [
  { type: 'Patient', id: 'p' },
  { type: 'Encounter', id: 'e' },
  { type: 'ImagingStudy', id: 'i' },
];

describe('The launch context in a token response', () => {
  it.each([
    ['launch/patient', { patient: 'p', needPatientBanner: true }],
    ['patient/*.rs', { patient: 'p', needPatientBanner: true }],
    ['launch/encounter', { encounter: 'e' }],
    ['launch/imagingstudy', { fhirContext: [{ reference: 'ImagingStudy/i' }] }],
    ['launch/imagingstudy?role=prior', { fhirContext: [{ reference: 'ImagingStudy/i', role: 'prior' }] }],
    ['openid user/*.rs launch', {}],
    ['openid user/Patient.rs launch/encounter patient/Goal.zz', { encounter: 'e' }],
  ])('with %s granted is %j', (scope, launch) => {
    expect(resolveLaunch({ chosen }, scope.split(' '))).toEqual(launch);
  });

  it('of an EHR launch requires the scope launch, except for the banner', () => {
    const ehr = { patient: 'p', encounter: 'e', intent: 'order', fhirContext: [{ reference: 'ImagingStudy/i' }] };
    expect(resolveLaunch({ ehr, chosen: [] }, ['launch'])).toEqual({ ...ehr, needPatientBanner: true });
    expect(resolveLaunch({ ehr, chosen: [] }, ['openid'])).toEqual({ needPatientBanner: true });
    expect(resolveLaunch({ ehr, chosen: [] }, ['patient/*.rs'])).toEqual({ patient: 'p', needPatientBanner: true });
  });

  it('has each resource once', () => {
    const fhirContext = [{ reference: 'ImagingStudy/i' }];
    const launch = resolveLaunch({ ehr: { fhirContext }, chosen: [] }, ['launch', 'launch/imagingstudy']);
    expect(launch.fhirContext).toEqual(fhirContext);
  });

  it('has the resources of an EHR for a scope of their type, and no others', () => {
    const study = { reference: 'ImagingStudy/i' };
    const ehr = { fhirContext: [study, { reference: 'DiagnosticReport/r' }, { canonical: 'http://example.org/q' }] };
    expect(resolveLaunch({ ehr, chosen: [] }, ['openid', 'launch/imagingstudy']).fhirContext).toEqual([study]);
    expect(resolveLaunch({ ehr, chosen: [] }, ['openid', 'launch/questionnaire'])).toEqual({ needPatientBanner: true });
    expect(resolveLaunch({ ehr, chosen: [] }, ['openid', 'launch']).fhirContext).toEqual(ehr.fhirContext);
  });

  it('has the banner that the EHR requests', () => {
    const ehr = { patient: 'p', needPatientBanner: false };
    expect(resolveLaunch({ ehr, chosen: [] }, ['openid']).needPatientBanner).toBe(false);
  });

  it('has no member without a value', () => {
    expect(Object.keys(resolveLaunch({ chosen }, ['openid', 'launch/encounter']))).toEqual(['encounter']);
    expect(launchMembers({}, surroundings)).toStrictEqual({ smart_style_url: surroundings.styleUrl });
  });

  it('has all members by their names in SMART, with the style of the EHR before that of the portal', () => {
    const launch = { patient: 'p', encounter: 'e', needPatientBanner: true, intent: 'order' };
    const members = { patient: 'p', encounter: 'e', need_patient_banner: true, intent: 'order', tenant: 'north' };
    expect(launchMembers(launch, { ...surroundings, tenant: 'north' })).toEqual({
      ...members,
      smart_style_url: surroundings.styleUrl,
    });
    const smartStyleUrl = 'https://ehr.example/style.json';
    expect(launchMembers({ smartStyleUrl }, surroundings)).toEqual({ smart_style_url: smartStyleUrl });
  });

  it('has relative references as texts for SMART 2.0', () => {
    const references = ['ImagingStudy/i', 'Encounter/e', 'Patient/p', 'Flag/f'];
    const fhirContext = [...references.map((reference) => ({ reference })), { canonical: 'http://example.org/q' }];
    expect(launchMembers({ fhirContext }, { ...surroundings, legacyFhirContext: true }).fhirContext).toEqual([
      'ImagingStudy/i',
      'Flag/f',
    ]);
  });

  it('R177 never has an empty fhirContext, nor patients and encounters in it for SMART 2.0', () => {
    const fhirContext = [{ reference: 'Patient/2', role: 'mother' }, { canonical: 'http://example.org/q' }];
    expect(launchMembers({}, surroundings)).not.toHaveProperty('fhirContext');
    expect(launchMembers({ fhirContext }, surroundings).fhirContext).toEqual(fhirContext);
    expect(launchMembers({ fhirContext }, { ...surroundings, legacyFhirContext: true })).not.toHaveProperty(
      'fhirContext',
    );
  });
});

describe('The resources that are known without asking the user', () => {
  it.each([
    ['a patient', { patient: 'p' }, ['patient']],
    ['an encounter', { encounter: 'e' }, ['encounter']],
    ['another resource', { fhirContext: [{ reference: 'ImagingStudy/i' }] }, ['imagingstudy']],
    ['a type', { fhirContext: [{ canonical: 'http://example.org/q', type: 'Questionnaire' }] }, ['questionnaire']],
    [
      'another patient and encounter',
      { fhirContext: [{ reference: 'Patient/2' }, { reference: 'Encounter/2' }, { reference: 'Flag/f' }] },
      ['flag'],
    ],
    ['a concept without a type', { fhirContext: [{ canonical: 'http://example.org/q' }] }, []],
  ])('are those of the EHR: %s', (_, context, types) => {
    expect(suppliedBy(context)).toEqual(types);
  });

  it('include the own record of a patient, and of no other user', () => {
    expect(['Patient/p1', 'Practitioner/d1', undefined].map(ownRecord)).toEqual(['p1', undefined, undefined]);
  });
});

describe('The launch context that can be granted', () => {
  const scopes = ['launch', 'launch/patient', 'launch/encounter', 'launch/imagingstudy', 'patient/*.rs', 'user/*.rs'];
  const granted = (sources: LaunchSources, user: string | undefined = fhirUser) =>
    allowedForContext(scopes, contextOf(user, sources));

  it('is limited to the chosen resources', () => {
    expect(granted({ chosen: [] })).toEqual(['user/*.rs']);
    expect(granted({ chosen })).toEqual(scopes.slice(1));
    expect(granted({ ehr: { patient: 'p' }, chosen: [] })).toEqual([
      'launch',
      'launch/patient',
      'patient/*.rs',
      'user/*.rs',
    ]);
    expect(granted({ own: 'p', chosen: [] }, 'Patient/p')).toEqual(['launch/patient', 'patient/*.rs', 'user/*.rs']);
  });

  it('has no patient in another role than that of the launch', () => {
    const asked = ['launch/patient?role=mother', 'launch/encounter?role=prior', 'launch/patient?role=launch'];
    expect(allowedForContext(asked, contextOf(fhirUser, { chosen }))).toEqual(['launch/patient?role=launch']);
  });

  it('O-04 has no patient/ scope without a patient in the token, for any source', () => {
    const id = fc.option(fc.constantFrom('1', '2'), { nil: undefined });
    const ehr = fc.option(fc.record({ patient: id, encounter: id }), { nil: undefined });
    const choice = fc.subarray(chosen);
    fc.assert(
      fc.property(id, ehr, choice, fc.subarray(scopes), (own, supplied, picked, asked) => {
        const sources: LaunchSources = { own, ehr: supplied, chosen: picked };
        const allowed = allowedForContext(asked, contextOf(fhirUser, sources));
        const { patient } = launchMembers(resolveLaunch(sources, allowed), surroundings);
        const needsPatient = allowed.some((scope) => scope.startsWith('patient/') || scope === 'launch/patient');
        expect(needsPatient && patient === undefined).toBe(false);
      }),
    );
  });
});

describe('The context in which scopes are decided', () => {
  it('has the own record of a patient, what an EHR supplies, and what the user chose', () => {
    expect(contextOf('Patient/p0', { own: 'p0', ehr: { patient: 'p1', encounter: 'e1' }, chosen })).toEqual({
      fhirUser: 'Patient/p0',
      patient: 'p0',
      launched: true,
      resources: new Set(['patient', 'encounter', 'imagingstudy']),
    });
    expect(contextOf(undefined, { chosen: [] })).toEqual({
      fhirUser: undefined,
      patient: undefined,
      launched: false,
      resources: new Set(),
    });
  });

  it.each<[string, LaunchSources, patient: string | undefined, resources: string[]]>([
    ['the own record', { own: 'p0', chosen: [] }, 'p0', ['patient']],
    [
      'that of the EHR before a chosen one',
      { ehr: { patient: 'p1' }, chosen },
      'p1',
      ['patient', 'encounter', 'imagingstudy'],
    ],
    ['a chosen one', { ehr: {}, chosen: chosen.slice(0, 1) }, 'p', ['patient']],
    [
      'the first of two',
      { chosen: [...chosen, { type: 'Patient', id: 'q' }] },
      'p',
      ['patient', 'encounter', 'imagingstudy'],
    ],
    ['none', { ehr: { encounter: 'e1' }, chosen: [] }, undefined, ['encounter']],
  ])('has as its patient %s', (_, sources, patient, resources) => {
    const context = contextOf(fhirUser, sources);
    expect([context.patient, [...context.resources]]).toEqual([patient, resources]);
  });

  it.each<[string, string[], LaunchSources, object]>([
    ['the patient of the EHR for launch', ['launch'], { own: 'o', ehr: { patient: 'p1' }, chosen }, { patient: 'p1' }],
    ['the own record else', ['launch/patient'], { own: 'o', ehr: { patient: 'p1' }, chosen }, { patient: 'o' }],
    [
      'the patient of the EHR before a chosen one',
      ['patient/*.rs'],
      { ehr: { patient: 'p1' }, chosen },
      { patient: 'p1' },
    ],
    ['the patient of an operation', ['patient/Patient.$everything'], { chosen }, { patient: 'p' }],
    ['the encounter of the EHR', ['launch/encounter'], { ehr: { encounter: 'e1' }, chosen }, { encounter: 'e1' }],
    ['the chosen encounter', ['launch/encounter'], { ehr: {}, chosen }, { encounter: 'e' }],
    ['no patient for the encounter', ['launch/encounter'], { chosen }, { encounter: 'e' }],
    ['no encounter for the patient', ['launch/patient'], { chosen }, { patient: 'p' }],
  ])('is told as %s', (_, granted, sources, expected) => {
    const { needPatientBanner: _banner, ...told } = resolveLaunch(sources, granted);
    expect(told).toEqual(expected);
  });
});

describe('The context of an EHR for a user who acts for its patient', () => {
  const without = { types: [], categories: [], securityLabels: [], codes: [] };
  const full: ScopeLevel = { kinds: 'full', without, change: [] };
  const few: ScopeLevel = { kinds: ['Patient', 'Immunization'], without, change: [] };
  const form = { canonical: 'http://example.org/q', type: 'Questionnaire' };
  const given = {
    ...{ patient: 'p', encounter: 'e', intent: 'order' },
    fhirContext: [
      { reference: 'Immunization/i' },
      { reference: 'Condition/c' },
      { reference: 'https://server.example/fhir/Condition/c' },
      { reference: 'Practitioner/g' },
      { identifier: { value: '1' }, type: 'Condition' },
      { identifier: { value: '2' }, type: 'Immunization' },
      { identifier: { value: '3' } },
      form,
    ],
  };

  it('has no visit and no resource of a kind that a level keeps private, in whole or in part', () => {
    const permitted = [
      { reference: 'Immunization/i' },
      { reference: 'Practitioner/g' },
      { identifier: { value: '2' }, type: 'Immunization' },
      form,
    ];
    const { encounter: _, ...others } = given;
    expect(contextAt(given, [full, few])).toEqual({ ...others, fhirContext: permitted });
    const labelled = { ...full, without: { ...without, securityLabels: ['PSY'] } };
    expect(contextAt({ patient: 'p', encounter: 'e' }, [labelled])).toEqual({ patient: 'p' });
  });

  it('has all that names its kind where everything is permitted', () => {
    const { fhirContext, ...others } = contextAt(given, [full]);
    expect(others).toEqual({ patient: 'p', encounter: 'e', intent: 'order' });
    expect(fhirContext).toEqual(given.fhirContext.filter((one) => 'type' in one || 'reference' in one));
  });
});

describe('The source of the patient in the context', () => {
  const panel = 'care-team' as const;

  it.each<[string, LaunchSources, patient: string | undefined, source: object | undefined]>([
    ['is the EHR that named it', { ehr: { patient: 'p1' }, chosen: [] }, 'p1', { by: 'ehr' }],
    ['is the practitioner who chose it', { chosen }, 'p', { by: 'practitioner' }],
    [
      'is the practitioner beside an EHR that names another',
      { ehr: { patient: 'x' }, chosen },
      'p',
      { by: 'practitioner' },
    ],
    ['names the panel', { chosen, panel }, 'p', { by: 'practitioner', panel }],
    ['is not told of a patient’s own record', { own: 'p', chosen: [] }, 'p', undefined],
    ['is not told without a patient', { chosen }, undefined, undefined],
  ])('%s', (_, sources, patient, source) => {
    expect(patientSource(sources, { ...(patient !== undefined && { patient }) })).toEqual(source);
  });
});
