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

describe('What a practitioner has to choose', () => {
  it.each([
    ['openid user/*.rs', []],
    ['launch user/*.rs', []],
    ['launch/patient', ['Patient']],
    ['patient/Observation.rs', ['Patient']],
    ['patient/Patient.$everything', ['Patient']],
    ['launch/encounter patient/*.rs launch/patient', ['Patient', 'Encounter']],
    ['launch/encounter', ['Encounter']],
    ['launch/imagingstudy launch/questionnaire', ['ImagingStudy', 'Questionnaire']],
    ['launch/imagingstudy launch/imagingstudy?role=prior', ['ImagingStudy']],
    ['launch/spaceship', []],
  ])('for %s is %j', (scope, types) => {
    expect(kinds(scope)).toEqual(types);
  });

  it('is not what the EHR supplied', () => {
    const ehr = { patient: '1', fhirContext: [{ reference: 'ImagingStudy/1' }] };
    const scope = 'launch patient/*.rs launch/patient launch/encounter launch/imagingstudy';
    expect(kinds(scope, 'Practitioner', { ehr, chosen: [] })).toEqual(['Encounter']);
  });

  it('follows the patient where the server can search by patient', () => {
    const scopes = ['launch/patient', 'launch/encounter', 'launch/questionnaire'];
    const person = { userType: 'Practitioner', fhirUser: 'Practitioner/1' } as const;
    const found = contextTypesToChoose({ ...person, scopes, launch: { chosen: [] } }, served);
    expect(found.map(({ ofPatient }) => ofPatient)).toEqual([false, true, false]);
  });
});

it('Somebody of whom the FHIR server knows nothing has nothing to choose', () => {
  const person = { userType: 'Practitioner', fhirUser: undefined } as const;
  const scopes = ['launch/patient', 'patient/*.rs'];
  expect(contextTypesToChoose({ ...person, scopes, launch: { chosen: [] } }, served)).toEqual([]);
});

describe('What a patient has to choose', () => {
  it.each([
    ['launch/patient patient/*.rs', []],
    ['launch/patient launch/encounter', ['Encounter']],
    ['launch/questionnaire', []],
  ])('for %s is %j', (scope, types) => {
    expect(kinds(scope, 'Patient', { own: '1', chosen: [] })).toEqual(types);
  });
});
