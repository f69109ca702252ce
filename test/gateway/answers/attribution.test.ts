import { Attribution } from '../../../src/gateway/domain/answers/attribution.js';

const [ours, theirs] = ['https://portal.example/fhir', 'https://fhir.hospital.example/r4'];

/** The record of these values, in one event. */
function attributed(...values: unknown[]): Record<string, object> {
  const attribution = new Attribution([ours, theirs]);
  for (const value of values) attribution.add(value);
  return taken(attribution);
}

function taken(attribution: Attribution): Record<string, object> {
  const [{ patients, seen } = { patients: [], seen: [] }] = attribution.takeEvents();
  return Object.fromEntries(patients.map((patient, index) => [patient, seen[index] ?? {}]));
}

const observation = (patient: string, more: object = {}) => ({
  resourceType: 'Observation',
  subject: { reference: `Patient/${patient}` },
  ...more,
});
const categorized = (...codes: string[]) => ({ category: codes.map((code) => ({ coding: [{ code }] })) });

describe('the patients whose data is in', () => {
  test.each<[string, unknown, object]>([
    ['a Patient', { resourceType: 'Patient', id: 'p1' }, { p1: { Patient: 1 } }],
    ['a resource about a patient', observation('p1'), { p1: { Observation: 1 } }],
    ['a laboratory result', observation('p1', categorized('laboratory')), { p1: { 'Observation/laboratory': 1 } }],
    [
      'a resource with an unknown category first',
      observation('p1', categorized('x', 'survey')),
      { p1: { 'Observation/survey': 1 } },
    ],
    ['a category that is an inherited name', observation('p1', categorized('constructor')), { p1: { Observation: 1 } }],
    [
      'a category that is a code',
      { resourceType: 'AllergyIntolerance', category: ['food'], patient: { reference: 'Patient/p1' } },
      { p1: { AllergyIntolerance: 1 } },
    ],
    [
      'a reference by the address that clients see',
      observation('x', { subject: { reference: `${ours}/Patient/p1` } }),
      { p1: { Observation: 1 } },
    ],
    [
      'a reference to a version by the server’s address',
      observation('x', { subject: { reference: `${theirs}/Patient/p1/_history/2` } }),
      { p1: { Observation: 1 } },
    ],
    [
      'a reference to another server',
      observation('x', { subject: { reference: 'https://other.example/Patient/p1' } }),
      {},
    ],
    [
      'a reference with a slash before it, as clients read it below the base',
      observation('x', { subject: { reference: '/Patient/p1' } }),
      { p1: { Observation: 1 } },
    ],
    ['a reference without an id that FHIR allows', observation('p1\u0000'), {}],
    ['a reference to a group', observation('x', { subject: { reference: 'Group/p1' } }), {}],
    ['a performer', observation('x', { subject: {}, performer: [{ reference: 'Patient/p1' }] }), {}],
    [
      'a Group',
      { resourceType: 'Group', member: ['p1', 'p2', 'p1'].map((id) => ({ entity: { reference: `Patient/${id}` } })) },
      { p1: { Group: 1 }, p2: { Group: 1 } },
    ],
    ['a resource of no record', { resourceType: 'Practitioner', id: 'p1' }, {}],
    [
      'a contained resource',
      { resourceType: 'Practitioner', contained: [observation('p1')] },
      { p1: { Observation: 1 } },
    ],
    [
      'a contained Patient, whose id is no id of the server',
      observation('p1', { contained: [{ resourceType: 'Patient', id: 'p2' }] }),
      { p1: { Observation: 1 } },
    ],
    [
      'Parameters',
      {
        resourceType: 'Parameters',
        parameter: [
          { name: 'a', resource: observation('p1') },
          { name: 'b', part: [{ name: 'c', resource: observation('p2') }] },
        ],
      },
      { p1: { Observation: 1 }, p2: { Observation: 1 } },
    ],
    [
      'a Bundle',
      {
        resourceType: 'Bundle',
        entry: [
          { resource: observation('p1') },
          { resource: observation('p1') },
          { resource: { resourceType: 'Patient', id: 'p2' } },
        ],
      },
      { p1: { Observation: 2 }, p2: { Patient: 1 } },
    ],
    [
      'a Bundle in a Bundle',
      {
        resourceType: 'Bundle',
        entry: [{ resource: { resourceType: 'Bundle', entry: [{ resource: observation('p1') }] } }],
      },
      { p1: { Observation: 1 } },
    ],
    [
      'a document, whose entries refer to each other by a urn',
      {
        resourceType: 'Bundle',
        type: 'document',
        entry: [
          { resource: observation('x', { subject: { reference: 'urn:uuid:1' } }) },
          { fullUrl: 'urn:uuid:1', resource: { resourceType: 'Patient', id: 'p1' } },
        ],
      },
      { p1: { Observation: 1, Patient: 1 } },
    ],
    [
      'a history with a deleted Patient',
      {
        resourceType: 'Bundle',
        type: 'history',
        entry: [
          { request: { method: 'DELETE', url: 'Patient/p1' } },
          { request: { method: 'DELETE', url: 'Observation/o1' } },
        ],
      },
      { p1: { Patient: 1 } },
    ],
    [
      'the answer to a transaction',
      { resourceType: 'Bundle', entry: [{ response: { location: `${ours}/Patient/p1/_history/1` } }] },
      { p1: { Patient: 1 } },
    ],
    [
      'the answer to a transaction that gives the path of a resource',
      {
        resourceType: 'Bundle',
        entry: [{ response: { location: `${new URL(ours).pathname}/Patient/p1/_history/1` } }],
      },
      { p1: { Patient: 1 } },
    ],
    [
      'a deletion whose address has a slash before it',
      { resourceType: 'Bundle', entry: [{ request: { method: 'DELETE', url: '/Patient/p1' } }] },
      { p1: { Patient: 1 } },
    ],
    ['an OperationOutcome', { resourceType: 'OperationOutcome', issue: [{ diagnostics: 'Patient/p1' }] }, {}],
    [
      'members that are no objects',
      { resourceType: 'Bundle', entry: [null, 7, 'Patient/p1', [{ resource: observation('p2') }]], contained: 'x' },
      { p2: { Observation: 1 } },
    ],
    [
      'a single entry in place of a list',
      { resourceType: 'Bundle', entry: { resource: observation('p1') } },
      { p1: { Observation: 1 } },
    ],
    ['no object', 'Patient/p1', {}],
    ['null', null, {}],
    [
      'an entry with a resource, whose address is not that of a change',
      { resourceType: 'Bundle', entry: [{ resource: observation('p1'), request: { url: 'Patient/p2' } }] },
      { p1: { Observation: 1 } },
    ],
    [
      'the answer to a change with two addresses, of which the first counts',
      { resourceType: 'Bundle', entry: [{ request: { url: 'Patient/p1' }, response: { location: 'Patient/p2' } }] },
      { p1: { Patient: 1 } },
    ],
    [
      'the answer to a creation, where the request names only the type',
      {
        resourceType: 'Bundle',
        entry: [{ request: { url: 'Patient' }, response: { location: 'Patient/p2/_history/1' } }],
      },
      { p2: { Patient: 1 } },
    ],
    ['an entry whose addresses are no texts', { resourceType: 'Bundle', entry: [{ request: { url: 7 } }] }, {}],
    ['entries of another resource', { resourceType: 'Basic', entry: [{ resource: observation('p1') }] }, {}],
    ['parameters of another resource', { resourceType: 'Basic', parameter: [{ resource: observation('p1') }] }, {}],
    [
      'a resource in another one',
      { resourceType: 'Basic', resource: observation('p1'), part: [observation('p2')] },
      {},
    ],
    [
      'a contained Bundle with a Patient',
      { resourceType: 'Basic', contained: [{ resourceType: 'Bundle', entry: { resource: observation('p1') } }] },
      { p1: { Observation: 1 } },
    ],
  ])('%s', (_what, value, expected) => {
    expect(attributed(value)).toEqual(expected);
  });

  const document = (fullUrl: unknown, resource: object, reference = 'urn:uuid:1') => ({
    resourceType: 'Bundle',
    entry: [
      { fullUrl, resource },
      { fullUrl: 'urn:uuid:9', resource: observation('x', { subject: { reference } }) },
    ],
  });
  const patient = { resourceType: 'Patient', id: 'p1' };

  test.each<[string, unknown, object]>([
    ['another scheme', document('http://a', patient, 'http://a'), { p1: { Patient: 1 } }],
    ['no text', document(7, patient), { p1: { Patient: 1 } }],
    ['another urn', document('urn:uuid:2', patient), { p1: { Patient: 1 } }],
    ['a resource that is no Patient', document('urn:uuid:1', observation('p1')), { p1: { Observation: 1 } }],
    ['a Patient without an id', document('urn:uuid:1', { resourceType: 'Patient' }), {}],
    ['no resource', document('urn:uuid:1', undefined as never), {}],
  ])('only Patients that are referred to by their urn: %s', (_what, value, expected) => {
    expect(attributed(value)).toEqual(expected);
  });

  test('two Patients of one document, each by its urn', () => {
    const entry = ['p1', 'p2'].flatMap((id) => [
      { resource: observation('x', { subject: { reference: `urn:${id}` } }) },
      { fullUrl: `urn:${id}`, resource: { resourceType: 'Patient', id } },
    ]);
    const both = { Observation: 1, Patient: 1 };
    expect(attributed({ resourceType: 'Bundle', entry })).toEqual({ p1: both, p2: both });
  });

  test('a urn of another document', () => {
    const other = { resourceType: 'Bundle', entry: [{ fullUrl: 'urn:uuid:1', resource: patient }] };
    expect(attributed(other, observation('x', { subject: { reference: 'urn:uuid:1' } }))).toEqual({
      p1: { Patient: 1 },
    });
  });

  test('resources that are nested 10,000 levels deep', () => {
    let value: object = observation('p1');
    for (let level = 0; level < 10_000; level += 1) value = { resourceType: 'Bundle', entry: [{ resource: value }] };
    expect(attributed(value)).toEqual({ p1: { Observation: 1 } });
  });
});

describe('the patients in text', () => {
  const ofText = (text: string) => {
    const attribution = new Attribution([ours]);
    attribution.addText(text);
    return taken(attribution);
  };

  test.each<[string, string, object]>([
    ['that is JSON', JSON.stringify(observation('p1')), { p1: { Observation: 1 } }],
    ['with a byte order mark', `\uFEFF${JSON.stringify(observation('p1'))}`, { p1: { Observation: 1 } }],
    ['that is cut off', JSON.stringify(observation('p1')).slice(0, -1), { p1: { Observation: 1 } }],
    [
      'that is cut off, with escaped slashes',
      '{"resourceType":"Condition","subject":{"reference":"Patient\\/p1"',
      { p1: { Condition: 1 } },
    ],
    ['that is a part of a Patient', '{"resourceType" : "Patient", "id" : "p1", "x":', { p1: { Patient: 1 } }],
    ['of no known type', '["Patient/p1", x]', { p1: { Patient: 1 } }],
    ['of a type of no record', '{"resourceType":"Practitioner","x":"Patient/p1"', { p1: { Patient: 1 } }],
    [
      'with a byte order mark and a category',
      `\uFEFF${JSON.stringify(observation('p1', categorized('laboratory')))}`,
      { p1: { 'Observation/laboratory': 1 } },
    ],
    ['of another type, whose id names no patient', '{"resourceType":"Goal","id":"g1"', {}],
    ['that names a patient twice', 'x Patient/p1 Patient/p2 Patient/p1', { p1: { Patient: 1 }, p2: { Patient: 1 } }],
    ['with an id of 64 characters', `x Patient/${'1'.repeat(64)}`, { ['1'.repeat(64)]: { Patient: 1 } }],
    [
      'of a Patient with an id of 64 characters',
      `{"resourceType":"Patient","id":"${'1'.repeat(64)}"`,
      { ['1'.repeat(64)]: { Patient: 1 } },
    ],
    ['of a Patient with too long an id', `{"resourceType":"Patient","id":"${'1'.repeat(65)}"`, {}],
    ['without a patient', '<html>Patient/ MyPatient/p1</html>', {}],
    ['with too long an id', `x Patient/${'1'.repeat(65)}`, {}],
  ])('%s', (_what, text, expected) => {
    expect(ofText(text)).toEqual(expected);
  });
});

test('text that comes in parts names each patient once', () => {
  const attribution = new Attribution([]);
  const known = new Set(['p1']);
  attribution.addUnreadable('Patient/p1 Patient/p2', known);
  attribution.addUnreadable('Patient/p2 Patient/p3', known);
  expect([...known]).toEqual(['p1', 'p2', 'p3']);
  expect(taken(attribution)).toEqual({ p2: { Patient: 1 }, p3: { Patient: 1 } });
});

describe('the events of an attribution', () => {
  test('have 500 patients at most', () => {
    const attribution = new Attribution([]);
    for (let number = 0; number < 1201; number += 1) attribution.add(observation(`p${number}`));
    const events = attribution.takeEvents();
    expect(events.map(({ patients, seen }) => [patients.length, seen.length])).toEqual([
      [500, 500],
      [500, 500],
      [201, 201],
    ]);
    expect(new Set(events.flatMap(({ patients }) => patients)).size).toBe(1201);
    expect(attribution.takeEvents()).toEqual([]);
  });

  test('tell whether a patient is in none yet', () => {
    const attribution = new Attribution([]);
    expect([attribution.isEmpty, attribution.hasUnnamed]).toEqual([true, false]);
    attribution.add(observation('p1'));
    expect([attribution.isEmpty, attribution.hasUnnamed]).toEqual([false, true]);
    attribution.takeEvents();
    attribution.add(observation('p1'));
    expect([attribution.isEmpty, attribution.hasUnnamed]).toEqual([false, false]);
    attribution.add(observation('p2'));
    expect(attribution.hasUnnamed).toBe(true);
    expect(taken(attribution)).toEqual({ p1: { Observation: 1 }, p2: { Observation: 1 } });
  });

  test('name no patient again while they are 500 in all', () => {
    const attribution = new Attribution([]);
    attribution.add(observation('p0'));
    attribution.takeEvents();
    for (let number = 1; number <= 499; number += 1) attribution.add(observation(`p${number}`));
    attribution.takeEvents();
    attribution.add(observation('p0'));
    expect(attribution.hasUnnamed).toBe(false);
  });

  test('name a patient again when others have come between, so that the memory is limited', () => {
    const attribution = new Attribution([]);
    attribution.add(observation('p0'));
    attribution.takeEvents();
    for (let number = 1; number <= 500; number += 1) attribution.add(observation(`p${number}`));
    attribution.takeEvents();
    attribution.add(observation('p0'));
    expect(attribution.hasUnnamed).toBe(true);
  });
});

describe('a changed resource', () => {
  const changed = (before: unknown[], after: unknown[], ...answered: unknown[]) => {
    const attribution = new Attribution([]);
    attribution.addChanged(before);
    attribution.addChanged(after);
    for (const resource of answered) attribution.add(resource);
    return taken(attribution);
  };

  test('is counted once, as it was, as it is and as it is answered', () => {
    expect(changed([observation('p1')], [observation('p1')], observation('p1'))).toEqual({ p1: { Observation: 1 } });
    expect(changed([], [observation('p1')], observation('p1'), observation('p1'))).toEqual({ p1: { Observation: 2 } });
  });

  test('is counted once for each of several', () => {
    const two = [observation('p1'), observation('p1')];
    expect(changed(two, two, ...two)).toEqual({ p1: { Observation: 2 } });
    expect(changed([], two, ...two, observation('p2'))).toEqual({ p1: { Observation: 2 }, p2: { Observation: 1 } });
  });

  test('names the patient that it was about, and the one that it is about now', () => {
    expect(changed([observation('p1')], [observation('p2')], observation('p2'))).toEqual({
      p1: { Observation: 1 },
      p2: { Observation: 1 },
    });
  });
});
