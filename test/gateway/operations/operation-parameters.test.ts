import {
  assertOperationParameters,
  isCheckedOperation,
  parametersOf,
} from '../../../src/gateway/domain/operations/operation-parameters.js';
import { decisionOf } from '../../support/fhir/refusals.js';

const decided = (operation: string, ...names: string[]) =>
  decisionOf(() =>
    assertOperationParameters(
      operation,
      names.map((name) => [name, name === '_format' ? 'json' : 'a']),
    ),
  );
const refused = (name: string) => `400 not-supported: The parameter '${name.slice(0, 80)}' is not supported here.`;

describe('the parameters of an operation', () => {
  test('are known for those that the gateway checks', () => {
    expect(decided('everything', 'start', 'end', '_since', '_type', '_count', '_format', '_pretty')).toBe('permitted');
    expect(decided('export', '_outputFormat', '_since', '_type', '_elements', '_format')).toBe('permitted');
  });

  test.each([
    ['everything', '_elements'],
    ['everything', 'x'],
    ['export', '_typeFilter'],
    ['export', '_count'],
  ])('of $%s do not have %s', (operation, name) => {
    expect(decided(operation, '_since', name)).toBe(refused(name));
  });

  test('of $docref are its own, and none of a search', () => {
    const own = ['patient', 'start', 'end', 'type', 'on-demand', 'profile', '_count', '_format', '_pretty'];
    expect(decided('docref', ...own)).toBe('permitted');
    expect(decided('docref', 'patient', '_sort')).toBe(refused('_sort'));
  });

  test.each(['url', '_a.b:c-9', 'a'.repeat(100), '_typeFilter'])('of any other may be %s', (name) => {
    expect(decided('expand', name)).toBe('permitted');
    expect(decided('constructor', name)).toBe('permitted');
  });

  test.each(['access_token', '', '9a', 'a b', 'a$', ' a', 'a'.repeat(101)])('of any other are not "%s"', (name) => {
    expect(decided('expand', name)).toBe(refused(name));
  });

  test('ask for JSON', () => {
    expect(decisionOf(() => assertOperationParameters('expand', [['_format', 'xml']]))).toBe(
      '406 not-supported: Only JSON is supported.',
    );
  });
});

describe('the parameters in the body of an operation', () => {
  const inBody = (...parameter: unknown[]) => parametersOf({ resourceType: 'Parameters', parameter });

  test.each([
    ['valueString', 'a b'],
    ['valueCode', 'Observation'],
    ['valueInteger', 0],
    ['valuePositiveInt', 3],
    ['valueUnsignedInt', 3],
    ['valueDecimal', 1.5],
    ['valueBoolean', false],
    ['valueDate', '2026-01-01'],
    ['valueDateTime', '2026-01-01T00:00:00Z'],
    ['valueInstant', '2026-01-01T00:00:00Z'],
    ['valueUri', 'urn:a'],
    ['valueUrl', 'https://a.example'],
    ['valueCanonical', 'https://a.example|1'],
    ['valueId', 'a-1'],
  ])('are texts for %s', (type, value) => {
    expect(inBody({ id: 'x', name: 'a', [type]: value })).toEqual([['a', String(value)]]);
  });

  test('are tokens for codes', () => {
    const coding = { system: 'http://loinc.org', code: '1-2', display: 'x' };
    expect(inBody({ name: 'type', valueCoding: coding })).toEqual([['type', 'http://loinc.org|1-2']]);
    expect(inBody({ name: 'type', valueCodeableConcept: { coding: [coding, { code: 'a' }] } })).toEqual([
      ['type', 'http://loinc.org|1-2,a'],
    ]);
  });

  test('are the resource that a reference names, and a list where a name is there more than once', () => {
    expect(inBody({ name: 'patient', valueReference: { reference: 'Patient/1' } })).toEqual([['patient', 'Patient/1']]);
    const two = [
      { name: '_type', valueCode: 'A' },
      { name: 'start', valueDate: '2026' },
      { name: '_type', valueCode: 'B,C' },
    ];
    expect(inBody(...two)).toEqual([
      ['_type', 'A,B,C'],
      ['start', '2026'],
    ]);
    expect(parametersOf({ resourceType: 'Parameters' })).toEqual([]);
  });

  test.each<[unknown]>([
    [{ name: 'a' }],
    [{ name: 'a', valueString: '' }],
    [{ name: 'a', valueString: null }],
    [{ name: 'a', valueString: {} }],
    [{ name: 'a', valueCoding: { display: 'x' } }],
    [{ name: 'a', valueCodeableConcept: { text: 'x' } }],
    [{ name: 'a', valueCoding: 'x' }],
    [{ name: 'a', unknownString: 'x' }],
    [{ name: 'a', valueStrings: 'x' }],
    [{ name: 'a', valueReference: null }],
    [{ name: 'a', valueReference: { display: 'x' } }],
    [{ name: 'a', part: [] }],
    [{ name: 'a', resource: {} }],
    [{ name: 'a', valueString: 'x', valueCode: 'y' }],
  ])('are not %j', (parameter) => {
    expect(decisionOf(() => inBody(parameter))).toBe(
      "400 not-supported: The parameter 'a' must have a name and one simple value.",
    );
  });

  test.each<[unknown]>([[null], ['a'], [{ name: 1, valueString: 'x' }], [{ valueString: 'x' }]])(
    'have names, which %j has not',
    (parameter) => {
      expect(decisionOf(() => inBody(parameter))).toBe(
        '400 not-supported: The parameter must have a name and one simple value.',
      );
    },
  );

  test('are quoted at 80 characters', () => {
    expect(decisionOf(() => inBody({ name: 'a'.repeat(90) }))).toContain(`'${'a'.repeat(80)}'`);
  });

  test.each<[unknown]>([
    [null],
    [[]],
    ['Parameters'],
    [{ resourceType: 'Patient' }],
    [{ resourceType: 'Parameters', parameter: {} }],
  ])('are in a Parameters resource, which %j is not', (body) => {
    expect(decisionOf(() => parametersOf(body))).toBe('400 invalid: The body must be a Parameters resource.');
  });
});

describe('an operation whose answers the gateway checks', () => {
  test.each<[string, string | undefined, boolean]>([
    ['Patient', 'everything', true],
    ['Group', 'everything', false],
    ['Observation', 'lastn', true],
    ['Patient', 'lastn', false],
    ['DocumentReference', 'docref', true],
    ['Patient', 'docref', false],
    ['*', 'export', true],
    ['Group', 'export', true],
    ['Patient', 'expand', false],
    ['Patient', undefined, false],
  ])('%s/$%s: %s', (type, operation, expected) => {
    expect(isCheckedOperation({ type, ...(operation !== undefined && { operation }) })).toBe(expected);
  });
});
