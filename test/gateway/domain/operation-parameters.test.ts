import { assertOperationParameters, isCheckedOperation } from '../../../src/gateway/domain/operation-parameters.js';
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

describe('an operation whose answers the gateway checks', () => {
  test.each<[string, string | undefined, boolean]>([
    ['Patient', 'everything', true],
    ['Group', 'everything', false],
    ['Observation', 'lastn', true],
    ['Patient', 'lastn', false],
    ['*', 'export', true],
    ['Group', 'export', true],
    ['Patient', 'expand', false],
    ['Patient', undefined, false],
  ])('%s/$%s: %s', (type, operation, expected) => {
    expect(isCheckedOperation({ type, ...(operation !== undefined && { operation }) })).toBe(expected);
  });
});
