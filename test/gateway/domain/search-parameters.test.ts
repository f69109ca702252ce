import type { Parameter } from '../../../src/gateway/domain/parameter.js';
import {
  askedForMore,
  assertCondition,
  assertFormat,
  assertHistory,
  assertKnown,
  assertNoCondition,
  assertNoPlace,
  assertSearch,
  countIn,
  printParameters,
  readParameters,
  trims,
  withoutFormat,
} from '../../../src/gateway/domain/search-parameters.js';
import { decisionOf } from '../../support/fhir/refusals.js';

/** Splits a query into parameters, without decoding the values. */
const read = (query: string): Parameter[] =>
  query === '' ? [] : query.split('&').map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)]);

const long = (name: string) => name.padEnd(100, 'x');
const repeated = (name: string) => `400 invalid: The parameter '${name}' may appear only once.`;
const onlyJson = '406 not-supported: Only JSON is supported.';

describe('the query parameters of a FHIR request', () => {
  test('are decoded, in their order', () => {
    expect(readParameters('b=1+2&a=%C3%BC&b=&c')).toEqual([
      ['b', '1 2'],
      ['a', 'ü'],
      ['b', ''],
      ['c', ''],
    ]);
    expect(readParameters('')).toEqual([]);
  });

  test('are 100 at most', () => {
    const many = (count: number) => Array(count).fill('a=1').join('&');
    expect(readParameters(many(100))).toHaveLength(100);
    expect(decisionOf(() => readParameters(many(101)))).toBe('400 invalid: There are too many parameters.');
  });

  test.each(['a=%00', 'a=%0A', '%1F=a', 'a=%7F', 'a=%FF', 'a=1&b=%C3'])('are refused as %s', (query) => {
    const refused = '400 invalid: A parameter contains a control character or a broken escape.';
    expect(decisionOf(() => readParameters(query))).toBe(refused);
  });

  test('are written as they were read', () => {
    const parameters: Parameter[] = [
      ['name', 'Jürgen M&=+'],
      ['code', 'http://x|a,b'],
    ];
    expect(printParameters(parameters)).toBe('name=J%C3%BCrgen+M%26%3D%2B&code=http%3A%2F%2Fx%7Ca%2Cb');
    expect(readParameters(printParameters(parameters))).toEqual(parameters);
  });

  test('for the format of the response are not sent to the server', () => {
    expect(withoutFormat(read('_format=json&code=a&_pretty=true&_count=1'))).toEqual(read('code=a&_count=1'));
  });

  test.each([
    ['_elements=id', true],
    ['code=a&_summary=data', true],
    ['code=a&_count=1', false],
    ['', false],
  ])('that leave elements out are detected in "%s": %s', (query, expected) => {
    expect(trims(read(query))).toBe(expected);
  });
});

describe('the parameters of a search', () => {
  test.each([
    '',
    'code=a',
    'a-b_c9=1',
    `_id=1&_lastUpdated=1&_profile=1&_security=1&_source=1&_tag=1&_total=none&_elements=a&_summary=true`,
    '_count=1&_offset=1&_skip=1&_page=1',
    '_format=json&_pretty=true',
    'a:above=1&a:below=1&a:contains=1&a:exact=1&a:identifier=1&a:missing=1&a:not=1&a:text=1',
    'subject:Patient=1',
    `${'a'.repeat(64)}=1`,
    `a:${'A'.padEnd(64, 'a')}=1`,
    '_sort=-date,_id,a-b_c9',
    `_sort=${'a'.repeat(64)}`,
    '_include=Observation:subject',
  ])('may be "%s"', (query) => {
    expect(decisionOf(() => assertSearch('Observation', read(query)))).toBe('permitted');
  });

  test.each([
    'access_token=x',
    '_filter=x',
    '_id:not=1',
    '_tag:text=1',
    'a:in=x',
    'a:not-in=x',
    'a:of-type=x',
    'a:patient=x',
    `a:${'A'.padEnd(65, 'a')}=1`,
    'a:in-Patient=1',
    'a:xPatient=1',
    'a:Patient-x=1',
    `${'a'.repeat(65)}=1`,
    '9a=1',
    'a b=1',
    'a:=1',
    '=1',
    'a/b=1',
    '_since=2020',
    '_at=2020',
  ])('are not %s', (query) => {
    const [name = ''] = query.split('=', 1);
    expect(decisionOf(() => assertSearch('Observation', read(query)))).toBe(
      `400 not-supported: The search parameter '${name}' is not supported.`,
    );
  });

  test('are named by at most 80 characters in a refusal', () => {
    expect(decisionOf(() => assertSearch('Observation', read(`${long('_x')}=1`)))).toBe(
      `400 not-supported: The search parameter '${long('_x').slice(0, 80)}' is not supported.`,
    );
  });

  test.each(['patient.name', 'a,', ',a', 'a:b', '--a', '', 'a b', `${'a'.repeat(65)}`, `a,${'a'.repeat(65)}`, 'a,.'])(
    'do not sort by "%s"',
    (value) => {
      expect(decisionOf(() => assertSearch('Observation', [['_sort', value]]))).toBe(
        '400 not-supported: Results can be sorted by values of their own only.',
      );
    },
  );

  test('are refused where an included type is unknown', () => {
    expect(decisionOf(() => assertSearch('Observation', read('_include=*')))).toBe(
      "400 not-supported: The search parameter '_include' is not supported like this.",
    );
  });

  test.each(['_format', '_pretty', '_elements', '_summary', '_sort', '_total', '_count', '_offset', '_skip', '_page'])(
    'have %s only once',
    (name) => {
      const value = name === '_format' ? 'json' : 'a';
      expect(decisionOf(() => assertSearch('Observation', read(`${name}=${value}&code=a&code=b`)))).toBe('permitted');
      const twice = read(`${name}=${value}&code=a&${name}=${value}`);
      expect(decisionOf(() => assertSearch('Observation', twice))).toBe(repeated(name));
    },
  );
});

describe('the format of a FHIR response', () => {
  test.each(['', '_format=json', '_format=application/json', '_format=application/fhir+json', '_pretty=true', 'a=xml'])(
    'may be requested by "%s"',
    (query) => {
      expect(decisionOf(() => assertFormat(read(query)))).toBe('permitted');
    },
  );

  test('may have a space where the plus sign was not escaped', () => {
    expect(decisionOf(() => assertFormat([['_format', 'application/fhir json']]))).toBe('permitted');
  });

  test.each(['xml', '', 'jsonx', 'xjson', 'application/fhir+xml', 'application/jsonx', 'text/plain'])(
    'is not "%s"',
    (format) => {
      expect(decisionOf(() => assertFormat([['_format', format]]))).toBe(onlyJson);
    },
  );
});

describe('the parameters of a history', () => {
  test.each(['', '_since=2020', '_at=2020&_count=1&_offset=1&_skip=1&_page=1', '_format=json&_pretty=true'])(
    'may be "%s"',
    (query) => {
      expect(decisionOf(() => assertHistory(read(query)))).toBe('permitted');
    },
  );

  test.each(['code', '_list', '_include', '_elements', '_sort', long('a')])('are not %s', (name) => {
    expect(decisionOf(() => assertHistory([[name, 'a']]))).toBe(
      `400 not-supported: A history cannot be asked for by '${name.slice(0, 80)}'.`,
    );
  });

  test.each(['_since', '_at'])('have %s only once', (name) => {
    expect(decisionOf(() => assertHistory(read(`${name}=1&${name}=1`)))).toBe(repeated(name));
    expect(decisionOf(() => assertHistory(read('_format=xml')))).toBe(onlyJson);
  });
});

describe('the parameters of a conditional change', () => {
  test.each(['identifier=a', 'identifier=http://x|a,b', 'name=a&birthdate=1', 'a-9=1', 'a=|b', '_format=json&a=1'])(
    'may be "%s"',
    (query) => {
      expect(decisionOf(() => assertCondition(read(query)))).toBe('permitted');
    },
  );

  test.each(['', '_format=json', '_pretty=true'])('are more than "%s"', (query) => {
    expect(decisionOf(() => assertCondition(read(query)))).toBe(
      '400 invalid: A change without an id needs a condition, such as ?identifier=….',
    );
  });

  test.each(['_id', 'name:exact', 'subject.name', '_has:A:b:c', 'access_token', 'a_b', '9a', 'a'.repeat(65), ''])(
    'are not %s',
    (name) => {
      expect(decisionOf(() => assertCondition([[name, 'a']]))).toBe(
        `400 not-supported: A change cannot be asked for by '${name}'.`,
      );
    },
  );

  test('are named by at most 80 characters in a refusal', () => {
    expect(decisionOf(() => assertCondition([[long('_'), 'a']]))).toBe(
      `400 not-supported: A change cannot be asked for by '${long('_').slice(0, 80)}'.`,
    );
  });

  test.each(['', ' ', '|', ' | ', 'a,', ',a', 'a,|,b'])('have no empty value: "%s"', (value) => {
    const parameters: Parameter[] = [
      ['name', 'a'],
      ['identifier', value],
    ];
    expect(decisionOf(() => assertCondition(parameters))).toBe("400 invalid: The condition 'identifier' has no value.");
  });

  test('ask for JSON', () => {
    expect(decisionOf(() => assertCondition(read('a=1&_format=xml')))).toBe(onlyJson);
  });
});

describe('the parameters that the server must support', () => {
  test.each(['code=a', 'code:not=a', 'date=1&code=a', '_id=1', '_has:A:b:c=1', 'subject.name=x', ''])(
    'are all supported in "%s"',
    (query) => {
      expect(decisionOf(() => assertKnown(read(query), ['code', 'date']))).toBe('permitted');
    },
  );

  test('are named one after the other', () => {
    expect(decisionOf(() => assertKnown(read('b=1&a=1'), []))).toBe(
      "400 not-supported: The FHIR server does not know the search parameter 'b' here.",
    );
    expect(decisionOf(() => assertFormat(read('_at=1&_at=1&_since=1&_since=1')))).toBe(repeated('_at'));
    expect(decisionOf(() => assertFormat(read('_at=1&_since=1&_since=1&_at=1')))).toBe(repeated('_since'));
  });

  test.each(['status', 'status:not', 'Code', long('a')])('do not have %s', (name) => {
    const parameters: Parameter[] = [
      ['code', 'a'],
      [name, 'a'],
    ];
    expect(decisionOf(() => assertKnown(parameters, ['code']))).toBe(
      `400 not-supported: The FHIR server does not know the search parameter '${name.slice(0, 80)}' here.`,
    );
  });
});

describe('the parameters of any other interaction', () => {
  const conditional = '403 not-supported: Conditional interactions are not supported.';

  test.each([
    ['', 'permitted', 'permitted'],
    ['_format=json&_pretty=true', 'permitted', 'permitted'],
    ['_elements=id', 'permitted', conditional],
    ['_summary=true&_format=json', 'permitted', conditional],
    ['_count=1', conditional, conditional],
    ['_format=json&code=a', conditional, conditional],
    ['_format=xml', onlyJson, onlyJson],
  ])('"%s": for a read %s, for others %s', (query, forRead, forOthers) => {
    expect(decisionOf(() => assertNoCondition(read(query), true))).toBe(forRead);
    expect(decisionOf(() => assertNoCondition(read(query), false))).toBe(forOthers);
  });
});

describe('the pages of who acts for a patient', () => {
  const refused = (name: string) =>
    `403 not-supported: With this token '${name}' is not supported: follow the link to the next page.`;

  test.each([
    ['_count=2&code=a&_sort=date', 'permitted'],
    ['code=a&_offset=1', refused('_offset')],
    ['_skip=1&_page=2', refused('_skip')],
    ['_page=2', refused('_page')],
  ])('are not chosen by a place in the results: "%s": %s', (query, expected) => {
    expect(decisionOf(() => assertNoPlace(read(query)))).toBe(expected);
  });

  test.each([
    ['code=a', undefined, 'code=a'],
    ['_count=2&code=a', 2, '_count=100&code=a'],
    ['_count=99', 99, '_count=100'],
    ['_count=100', 100, '_count=100'],
    ['_count=500', 500, '_count=500'],
    ['_count=x', undefined, '_count=x'],
    ['_count=01', undefined, '_count=01'],
    ['_count=10.5', undefined, '_count=10.5'],
    ['_count=1234567890', undefined, '_count=1234567890'],
  ])('are made of longer ones of the server: "%s" has %s, and asks for %s', (query, count, expected) => {
    expect(countIn(read(query))).toBe(count);
    expect(askedForMore(read(query), 100)).toEqual(read(expected));
  });
});
