import { readCapabilities } from '../../src/fhir-server/domain/capabilities.js';
import { backOffSeconds } from '../../src/fhir-server/domain/server-states.js';

const statement = (members: object = {}) => ({
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server' }],
  ...members,
});

describe('reading a CapabilityStatement', () => {
  test('finds resource types, search parameters and operations', () => {
    const operation = { name: 'everything', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything' };
    const exported = { name: 'export', definition: 'http://hl7.org/fhir/uv/bulkdata/OperationDefinition/export' };
    const resource = [
      {
        type: 'Patient',
        searchParam: [{ name: 'name' }, {}],
        operation: [operation],
        supportedProfile: ['http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient'],
        conditionalCreate: true,
        conditionalUpdate: false,
        conditionalDelete: 'multiple',
      },
      { profile: 'x' },
    ];
    const rest = [
      { mode: 'client', resource: [{ type: 'Basic' }] },
      { mode: 'server', resource, operation: [exported] },
    ];
    expect(readCapabilities(statement({ rest }))).toEqual({
      fhirVersion: '4.0.1',
      resourceTypes: [{ type: 'Patient', searchParameters: ['name'], conditional: ['create', 'delete'], usCore: true }],
      operations: [
        { ...exported, type: null },
        { ...operation, type: 'Patient' },
      ],
    });
  });

  test.each([['4.0.1'], ['4.3.0'], ['5.0.0']])('accepts FHIR version %s', (fhirVersion) => {
    expect(readCapabilities(statement({ fhirVersion })).fhirVersion).toBe(fhirVersion);
  });

  test.each([
    ['STU3', statement({ fhirVersion: '3.0.2' })],
    ['DSTU2', statement({ fhirVersion: '1.0.2' })],
    ['no version', statement({ fhirVersion: undefined })],
    ['a version that is no text', statement({ fhirVersion: 4 })],
    ['a client', statement({ rest: [{ mode: 'client' }] })],
    ['no rest', statement({ rest: 'x' })],
    ['another resource', { resourceType: 'Bundle' }],
    ['nothing', null],
    ['a list', [statement()]],
  ])('refuses %s', (_what, document) => {
    expect(() => readCapabilities(document)).toThrow('not available');
  });
});

describe('the back-off for the FHIR server', () => {
  test('doubles from five seconds to a minute', () => {
    expect([0, 1, 2, 3, 4, 50].map((failures) => backOffSeconds(failures, 1))).toEqual([5, 10, 20, 40, 60, 60]);
    expect(backOffSeconds(0, 0)).toBe(4);
  });
});
