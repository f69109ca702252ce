import { readCapabilities } from '../../src/fhir-server/domain/capabilities.js';
import { FhirServerFailure } from '../../src/fhir-server/domain/connection.js';
import { backOffSeconds, checkEverySeconds } from '../../src/fhir-server/domain/server-states.js';
import type { Problem } from '../../src/platform/errors.js';

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
        updateCreate: true,
      },
      { profile: 'x' },
    ];
    const rest = [
      { mode: 'client', resource: [{ type: 'Basic' }] },
      { mode: 'server', resource, operation: [exported] },
    ];
    expect(readCapabilities(statement({ rest }))).toEqual({
      fhirVersion: '4.0.1',
      resourceTypes: [
        {
          type: 'Patient',
          searchParameters: ['name'],
          conditional: ['create', 'delete'],
          updateCreate: true,
          usCore: true,
        },
      ],
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
    ['a version that is not a text', statement({ fhirVersion: 4 })],
    ['a client', statement({ rest: [{ mode: 'client' }] })],
    ['no rest', statement({ rest: 'x' })],
    ['another resource', { resourceType: 'Bundle' }],
    ['nothing', null],
    ['a list', [statement()]],
  ])('refuses %s', (_what, document) => {
    expect(() => readCapabilities(document)).toThrow('not available');
  });
});

describe('an unusable CapabilityStatement', () => {
  function failureOf(document: unknown): FhirServerFailure {
    try {
      readCapabilities(document);
    } catch (error) {
      return error as FhirServerFailure;
    }
    throw new Error('was accepted');
  }

  test.each([
    ['another resource', statement({ resourceType: 'Bundle' }), '/metadata is not a CapabilityStatement'],
    ['an old version', statement({ fhirVersion: '3.0.2' }), "FHIR version '3.0.2' is not supported"],
    ['14.0', statement({ fhirVersion: '14.0' }), "FHIR version '14.0' is not supported"],
    ['no version', statement({ fhirVersion: undefined }), "FHIR version '' is not supported"],
    [
      'a long version',
      statement({ fhirVersion: '0123456789012345678901' }),
      "FHIR version '01234567890123456789' is not supported",
    ],
    ['no server', statement({ rest: [] }), 'The CapabilityStatement describes no server'],
  ])('is refused with its reason for the operator: %s', (_, document, cause) => {
    const failure = failureOf(document);
    expect(failure).toMatchObject({ name: 'FhirServerFailure', reason: 'garbage', kind: 'unavailable', status: 503 });
    expect((failure.cause as Error).message).toBe(cause);
    expect((failure as Problem).message).toBe('The FHIR server is not available. Please try again later.');
  });
});

describe('a resource type of a CapabilityStatement', () => {
  const typeOf = (members: object) =>
    readCapabilities(statement({ rest: [{ mode: 'server', resource: [{ type: 'Patient', ...members }] }] }));

  test.each([
    ['create', { conditionalCreate: true }, ['create']],
    ['update', { conditionalUpdate: true }, ['update']],
    ['patch', { conditionalPatch: true }, ['patch']],
    ['delete of one', { conditionalDelete: 'single' }, ['delete']],
    ['delete of several', { conditionalDelete: 'multiple' }, ['delete']],
    ['no delete', { conditionalDelete: 'not-supported' }, []],
    ['texts for booleans', { conditionalCreate: 'true', conditionalUpdate: 1, conditionalPatch: 'yes' }, []],
    ['nothing', {}, []],
  ])('has conditional interactions: %s', (_, members, conditional) => {
    expect(typeOf(members).resourceTypes[0]?.conditional).toEqual(conditional);
  });

  test.each([
    ['its profile', { profile: 'http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient' }, true],
    ['another profile', { profile: 'http://hl7.org/fhir/StructureDefinition/Patient' }, false],
    ['a profile that is not a text', { profile: {} }, false],
  ])('belongs to US Core by %s', (_, members, usCore) => {
    expect(typeOf(members).resourceTypes[0]?.usCore).toBe(usCore);
  });

  test.each<[object, boolean]>([
    [{ updateCreate: true }, true],
    [{ updateCreate: false }, false],
    [{ updateCreate: 'true' }, false],
    [{}, false],
  ])('makes what an update does not find by %j: %s', (members, updateCreate) => {
    expect(typeOf(members).resourceTypes[0]?.updateCreate).toBe(updateCreate);
  });

  test('has operations with name and definition, without the dollar sign that begins a name', () => {
    const named = ['$every$thing', 'every$thing'].map((name) => ({ name, definition: 'a' }));
    const operation = [...named, { name: 'b' }, { definition: 'c' }, {}, null];
    expect(typeOf({ operation }).operations).toEqual(
      named.map(() => ({ name: 'every$thing', definition: 'a', type: 'Patient' })),
    );
  });

  test('is read from the first server that the statement describes', () => {
    const rest = ['Patient', 'Group'].map((type) => ({ mode: 'server', resource: [{ type }] }));
    expect(readCapabilities(statement({ rest })).resourceTypes.map(({ type }) => type)).toEqual(['Patient']);
  });
});

describe('a failure of the FHIR server', () => {
  test('keeps its reason and its cause', () => {
    const cause = new Error('socket hang up');
    expect(new FhirServerFailure('unreachable', cause)).toMatchObject({ reason: 'unreachable', cause });
  });
});

describe('the back-off for the FHIR server', () => {
  test('follows checks each four seconds', () => {
    expect(checkEverySeconds).toBe(4);
  });

  test('doubles from five seconds to a minute', () => {
    expect([0, 1, 2, 3, 4, 50, 5_000].map((failures) => backOffSeconds(failures, 1))).toEqual([
      5, 10, 20, 40, 60, 60, 60,
    ]);
    expect(backOffSeconds(0, 0)).toBe(4);
  });
});
