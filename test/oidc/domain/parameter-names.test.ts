import { parameterLike, plainName, similarName } from '../../../src/oidc/domain/parameter-names.js';

describe('The name that was probably to be a parameter', () => {
  it.each<[parameter: string, names: string[], found: string | undefined]>([
    ['client_id', ['clientId', 'state'], 'clientId'],
    ['client_id', ['client-id'], 'client-id'],
    ['client_id', ['state', 'CLIENT_ID'], 'CLIENT_ID'],
    ['redirect_uri', ['redirect_url'], 'redirect_url'],
    ['grant_type', ['grantype'], 'grantype'],
    ['aud', ['state', 'audience'], 'audience'],
    ['aud', ['iss'], 'iss'],
    ['aud', ['fhirServiceUrl'], 'fhirServiceUrl'],
    // Another name of the audience is none of another parameter.
    ['scope', ['audience'], undefined],
    ['client_id', ['scope', 'state'], undefined],
    ['client_id', ['client_id1'], undefined],
    ['client_id', [], undefined],
  ])('%s among %j is %s', (parameter, names, found) => {
    expect(similarName(parameter, names)).toBe(found);
  });

  it.each([
    ['grant_type', true],
    ['Dpop-Proof', true],
    ['a', true],
    ['a'.repeat(40), true],
    ['a'.repeat(41), false],
    ['_scope', false],
    ['scope1', false],
    ['a secret', false],
    ['', false],
  ])('is kept only if it cannot be a value: %s %s', (name, isPlain) => {
    expect(plainName.test(name)).toBe(isPlain);
  });
});

describe('The parameter that a name was probably to be', () => {
  const parameters = ['client_id', 'user', 'patient', 'need_patient_banner', 'fhirContext'];
  it.each<[name: string, parameter: string | undefined]>([
    ['patientId', 'patient'],
    ['Patient', 'patient'],
    ['subject', 'patient'],
    ['practitioner', 'user'],
    ['fhirUser', 'user'],
    ['clientId', 'client_id'],
    ['appId', 'client_id'],
    ['fhir_context', 'fhirContext'],
    ['needPatientBanner', 'need_patient_banner'],
    ['ward', undefined],
  ])('%s is %s', (name, parameter) => {
    expect(parameterLike(name, parameters)).toBe(parameter);
  });
});
