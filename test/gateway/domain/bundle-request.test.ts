import { readBundle, readEntry } from '../../../src/gateway/domain/bundle-request.js';
import { decisionOf } from '../../support/fhir/refusals.js';

const invalid = (sentence: string) => `400 invalid: ${sentence}`;
const bundle = (more: object) => ({ resourceType: 'Bundle', type: 'batch', ...more });
const request = { method: 'GET', url: 'Patient/1' };

describe('a Bundle of requests', () => {
  test.each<[unknown, string]>([
    [bundle({}), 'permitted'],
    [bundle({ type: 'transaction', entry: [] }), 'permitted'],
    [bundle({ entry: Array(100).fill(1) }), 'permitted'],
    [bundle({ entry: Array(101).fill(1) }), '413 too-long: A batch may have 100 entries at most.'],
    [bundle({ type: 'transaction', entry: Array(1000).fill(1) }), 'permitted'],
    [
      bundle({ type: 'transaction', entry: Array(1001).fill(1) }),
      '413 too-long: A transaction may have 1000 entries at most.',
    ],
    [bundle({ entry: {} }), invalid('The entries of the Bundle must be a list.')],
    [bundle({ type: 'searchset' }), invalid('The Bundle must be a batch or a transaction.')],
    [{ resourceType: 'Patient', type: 'batch' }, invalid('The body must be a Bundle.')],
    [[], invalid('The body must be a Bundle.')],
    [null, invalid('The body must be a Bundle.')],
    ['Bundle', invalid('The body must be a Bundle.')],
  ])('%j: %s', (body, expected) => {
    expect(decisionOf(() => readBundle(body))).toBe(expected);
  });

  test('has its entries unchanged', () => {
    expect(readBundle(bundle({ type: 'transaction', entry: [1, null] }))).toEqual({
      type: 'transaction',
      entries: [1, null],
    });
  });
});

describe('an entry of a Bundle', () => {
  const withRequest = (more: object) => ({ request: { ...request, ...more } });

  test('is a single request', () => {
    const resource = { resourceType: 'Patient' };
    const headers = { ifMatch: 'W/"1"', ifNoneMatch: '*', ifModifiedSince: 'Sat', ifNoneExist: 'a=b' };
    expect(
      readEntry({ fullUrl: 'urn:uuid:1-a.B', id: 'x', resource, request: { id: 'y', ...request, ...headers } }),
    ).toEqual({
      method: 'GET',
      target: '/Patient/1',
      headers: {
        'content-type': 'application/fhir+json',
        'if-match': 'W/"1"',
        'if-none-match': '*',
        'if-modified-since': 'Sat',
        'if-none-exist': 'a=b',
      },
      resource,
    });
    expect(readEntry({ request })).toEqual({ method: 'GET', target: '/Patient/1', headers: {} });
  });

  test.each(['GET', 'POST', 'PUT', 'DELETE'])('may have the method %s', (method) => {
    expect(readEntry(withRequest({ method })).method).toBe(method);
  });

  test.each(['PATCH', 'HEAD', 'get', '', 7, undefined])('does not have the method %p', (method) => {
    const refused = invalid('This method is not supported in a Bundle.');
    expect(decisionOf(() => readEntry(withRequest({ method })))).toBe(refused);
  });

  test.each([null, 'x', [], {}, { request: null }, { request: [] }, { request: 'x' }])('has a request: %j', (entry) => {
    expect(decisionOf(() => readEntry(entry))).toBe(invalid('Each entry must have a request.'));
  });

  test.each(['', '/Patient', 'patient', 'http://x/Patient', 'urn:x', '$export', ' Patient', 7, undefined])(
    'does not have the address %p',
    (url) => {
      const refused = invalid('The address in an entry must begin with a resource type.');
      expect(decisionOf(() => readEntry(withRequest({ url })))).toBe(refused);
    },
  );

  test.each(['urn:uuid:1', 'urn:oid:1.2.3', `urn:uuid:${'a'.repeat(200)}`])('may have the name %s', (fullUrl) => {
    expect(decisionOf(() => readEntry({ fullUrl, request }))).toBe('permitted');
  });

  test.each([
    'http://x/Patient/1',
    'urn:uuid:',
    'urn:uuid:a b',
    `urn:uuid:${'a'.repeat(201)}`,
    'xurn:uuid:1',
    'urn:x:1',
    7,
    null,
  ])('does not have the name %p', (fullUrl) => {
    const refused = invalid('The fullUrl of an entry must be a urn:uuid, the address of its resource, or be left out.');
    expect(decisionOf(() => readEntry({ fullUrl, request }))).toBe(refused);
  });

  test.each<[object, string]>([
    [{ request, search: {} }, 'search'],
    [{ request, response: {} }, 'response'],
    [{ request, ['x'.repeat(100)]: 1 }, 'x'.repeat(80)],
    [withRequest({ ifUnmodifiedSince: 'x' }), 'ifUnmodifiedSince'],
    [withRequest({ toString: 'x' }), 'toString'],
  ])('does not have other members: %j', (entry, name) => {
    expect(decisionOf(() => readEntry(entry))).toBe(invalid(`The member '${name}' is not supported in an entry.`));
  });

  test.each([7, null, 'a\n', 'ü', '\u007f'])('does not have the condition %p', (ifMatch) => {
    expect(decisionOf(() => readEntry(withRequest({ ifMatch })))).toBe(
      invalid('The ifMatch of an entry is not usable.'),
    );
    expect(decisionOf(() => readEntry(withRequest({ ifMatch: ' ~' })))).toBe('permitted');
  });
});
