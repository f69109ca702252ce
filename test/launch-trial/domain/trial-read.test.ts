import { countedIn, readToTry } from '../../../src/launch-trial/domain/trial-read.js';

describe('the request for data of a trial', () => {
  it.each<[scopes: string, path: string | undefined]>([
    ['patient/Patient.r', '/Patient/p1'],
    ['system/Patient.cruds', '/Patient/p1'],
    ['patient/*.read', '/Patient/p1'],
    // The patient is read if that is permitted, also next to other types.
    ['patient/Observation.s patient/Patient.r', '/Patient/p1'],
    ['patient/Observation.s', '/Observation?patient=p1'],
    ['patient/Observation.s patient/Condition.s', '/Observation?patient=p1'],
    ['patient/Observation.r patient/Condition.s', '/Condition?patient=p1'],
    // Practitioner is in no record of a patient.
    ['system/Practitioner.s system/Encounter.rs', '/Encounter?patient=p1'],
    ['patient/Patient.s patient/Observation.s', '/Observation?patient=p1'],
    ['patient/Patient.s', '/Patient?_id=p1'],
    ['patient/*.s', '/Patient?_id=p1'],
    ['patient/Patient.u patient/*.c', undefined],
    ['patient/Observation.r', undefined],
    ['system/Practitioner.s', undefined],
    // A user's scopes reach other patients, too.
    ['user/*.cruds', undefined],
    ['user/*.cruds patient/Observation.s', '/Observation?patient=p1'],
    ['openid fhirUser launch offline_access', undefined],
    ['patient/Patient.$everything patient/Observation.s', '/Observation?patient=p1'],
    ['', undefined],
  ])('with the scopes "%s" is %s', (scopes, path) => {
    expect(readToTry(scopes === '' ? [] : scopes.split(' '), 'p1')).toBe(path);
  });
});

describe('the answer to a trial', () => {
  const resource = (resourceType: unknown) => ({ resource: { resourceType } });

  it.each<[name: string, body: unknown, resourceType: string | null, count: number | null]>([
    ['a resource', { resourceType: 'Patient' }, 'Patient', 1],
    ['an error', { resourceType: 'OperationOutcome', total: 3 }, 'OperationOutcome', null],
    ['a Bundle with a total', { resourceType: 'Bundle', total: 7, entry: [resource('Observation')] }, 'Observation', 7],
    [
      'a Bundle without a total',
      { resourceType: 'Bundle', entry: [resource('Observation'), resource('Patient')] },
      'Observation',
      2,
    ],
    [
      'a total that is not a number',
      { resourceType: 'Bundle', total: '7', entry: [resource('Observation')] },
      'Observation',
      1,
    ],
    ['a Bundle without entries', { resourceType: 'Bundle' }, 'Bundle', 0],
    ['a list of entries that is none', { resourceType: 'Bundle', entry: { 0: resource('Patient') } }, 'Bundle', 0],
    ['a first entry without a resource', { resourceType: 'Bundle', entry: [{}, resource('Patient')] }, 'Bundle', 2],
    ['a first entry of null', { resourceType: 'Bundle', entry: [null] }, 'Bundle', 1],
    ['a type that is not a text', { resourceType: 'Bundle', entry: [resource(5)] }, 'Bundle', 1],
    ['no type', { total: 1 }, null, null],
    ['a list', [], null, null],
    ['null', null, null, null],
    ['a text', 'Patient', null, null],
  ])('with %s names type and number', (_, body, resourceType, count) => {
    expect(countedIn(JSON.stringify(body))).toEqual({ resourceType, count });
  });

  it('that is no JSON has neither', () => {
    expect(countedIn('<html>')).toEqual({ resourceType: null, count: null });
  });
});
