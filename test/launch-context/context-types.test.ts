import { contextTypesToChoose, type Served } from '../../src/launch-context/application/context-types.js';
import type { LaunchSources } from '../../src/oidc/domain/launch.js';

const served: Served = {
  types: ['Patient', 'Encounter', 'ImagingStudy', 'Questionnaire'],
  isOfPatient: (type) => type === 'Encounter' || type === 'ImagingStudy',
};

const kinds = (
  scope: string,
  userType: 'Patient' | 'Practitioner' = 'Practitioner',
  launch: LaunchSources = { chosen: [] },
) =>
  contextTypesToChoose({ scopes: scope.split(' '), userType, fhirUser: `${userType}/1`, launch }, served).map(
    ({ type }) => type,
  );

describe('The resource types that a practitioner chooses', () => {
  it.each([
    ['openid user/*.rs', []],
    ['launch user/*.rs', []],
    ['launch/patient', ['Patient']],
    ['patient/Observation.rs', ['Patient']],
    ['patient/Patient.$everything', ['Patient']],
    ['launch/encounter patient/*.rs launch/patient', ['Patient', 'Encounter']],
    ['launch/encounter', ['Patient', 'Encounter']],
    ['launch/questionnaire', ['Questionnaire']],
    ['launch/imagingstudy launch/questionnaire', ['Patient', 'ImagingStudy', 'Questionnaire']],
    ['launch/imagingstudy launch/imagingstudy?role=prior', ['Patient', 'ImagingStudy']],
    ['launch/spaceship', []],
  ])('for %s are %j', (scope, types) => {
    expect(kinds(scope)).toEqual(types);
  });

  it('do not include types from the EHR', () => {
    const ehr = { patient: '1', fhirContext: [{ reference: 'ImagingStudy/1' }] };
    const scope = 'launch patient/*.rs launch/patient launch/encounter launch/imagingstudy';
    expect(kinds(scope, 'Practitioner', { ehr, chosen: [] })).toEqual(['Encounter']);
  });

  it('depend on the chosen patient where the server can search by patient', () => {
    const scopes = ['launch/patient', 'launch/encounter', 'launch/questionnaire'];
    const person = { userType: 'Practitioner', fhirUser: 'Practitioner/1' } as const;
    const found = contextTypesToChoose({ ...person, scopes, launch: { chosen: [] } }, served);
    expect(found.map(({ ofPatient }) => ofPatient)).toEqual([false, true, false]);
  });
});

it('A user whom the FHIR server does not know chooses no resource', () => {
  const person = { userType: 'Practitioner', fhirUser: undefined } as const;
  const scopes = ['launch/patient', 'patient/*.rs'];
  expect(contextTypesToChoose({ ...person, scopes, launch: { chosen: [] } }, served)).toEqual([]);
});

describe('The resource types that a patient chooses', () => {
  it.each([
    ['launch/patient patient/*.rs', []],
    ['launch/patient launch/encounter', ['Encounter']],
    ['launch/questionnaire', []],
  ])('for %s are %j', (scope, types) => {
    expect(kinds(scope, 'Patient', { own: '1', chosen: [] })).toEqual(types);
  });
});

describe('The resource types that a patient who acts for others chooses', () => {
  const leo = { patient: 'leo' } as NonNullable<LaunchSources['acting']>;
  const ofRecord = 'launch/patient patient/*.rs';

  it.each([
    ['the user acts for a patient', { own: '1', represented: [leo] }, ['Patient']],
    ['records of such patients cannot be read', { own: '1', represented: [], isUnread: true }, ['Patient']],
    ['the EHR named such a patient', { represented: [leo], acting: leo, ehr: { patient: 'leo' } }, ['Patient']],
    ['the EHR named the own record', { own: '1', represented: [leo], ehr: { patient: '1' } }, []],
    ['the user acts for no patient', { own: '1' }, []],
  ] satisfies [string, Omit<LaunchSources, 'chosen'>, string[]][])('when %s', (_, launch, types) => {
    expect(kinds(ofRecord, 'Patient', { ...launch, chosen: [] })).toEqual(types);
    expect(kinds('openid user/*.rs', 'Patient', { ...launch, chosen: [] })).toEqual([]);
  });
});
