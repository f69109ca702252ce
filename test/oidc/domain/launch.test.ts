import fc from 'fast-check';
import { contextOf, type LaunchSources, launchMembers, resolveLaunch } from '../../../src/oidc/domain/launch.js';
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

  it('R177 never has an empty fhirContext, nor patients and encounters in it for SMART 2.0', () => {
    const fhirContext = [{ reference: 'Patient/2', role: 'mother' }, { canonical: 'http://example.org/q' }];
    expect(launchMembers({}, surroundings)).not.toHaveProperty('fhirContext');
    expect(launchMembers({ fhirContext }, surroundings).fhirContext).toEqual(fhirContext);
    expect(launchMembers({ fhirContext }, { ...surroundings, legacyFhirContext: true })).not.toHaveProperty(
      'fhirContext',
    );
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
