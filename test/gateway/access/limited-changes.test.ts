import type { IncomingMessage } from 'node:http';
import { expectRefusal } from '../../support/fhir/demo-gateway.js';
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';

const system = 'http://terminology.hl7.org/CodeSystem/observation-category';
const observation = (id: string | undefined, patient: string, code: string, more: object = {}) => ({
  resourceType: 'Observation',
  ...(id === undefined ? {} : { id }),
  status: 'final',
  category: [{ coding: [{ system, code }] }],
  subject: { reference: `Patient/${patient}` },
  ...more,
});
const searchParam = [{ name: 'identifier' }, { name: 'patient' }, { name: 'code' }];
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: [{ type: 'Observation', searchParam }] }],
};

let upstream: Upstream;
let gateway: TestGateway;
/** The resources of the server by path, and the result of every search, whatever its parameters are. */
let stored: Record<string, object>;
let found: object[];

beforeAll(async () => {
  const bodyOf = ({ method, url = '' }: IncomingMessage): object => {
    const [path = '', query] = url.slice('/r4'.length).split('?');
    if (path === '/metadata') return metadata;
    if (path === '') return { resourceType: 'Bundle', type: 'transaction-response', entry: [] };
    if (method === 'GET' && query !== undefined) {
      return { resourceType: 'Bundle', type: 'searchset', entry: found.map((resource) => ({ resource })) };
    }
    return stored[path.split('/').at(-1) ?? ''] ?? { resourceType: 'OperationOutcome', issue: [] };
  };
  upstream = await startUpstream((request, response, body) => {
    const status = request.method === 'POST' && request.url !== '/r4' ? 201 : 200;
    response.writeHead(status, { 'Content-Type': 'application/fhir+json', ETag: 'W/"7"' });
    // Written as text, because JSON.stringify would change the precision of decimals.
    response.end(request.method === 'GET' ? textOf(bodyOf(request)) : body || '{"resourceType":"OperationOutcome"}');
  });
  gateway = await startGateway(upstream.url);
  await gateway.loadCapabilities();
});

const textOf = (value: unknown) => JSON.stringify(value).replace(/"DECIMAL:([\d.]+)"/g, '$1');

beforeEach(() => {
  upstream.requests.length = 0;
  found = [];
  stored = {
    own: observation('own', 'p1', 'laboratory', { valueQuantity: { value: 'DECIMAL:1.50' } }),
    pulse: observation('pulse', 'p1', 'vital-signs'),
    other: observation('other', 'p2', 'laboratory'),
  };
});

afterAll(async () => {
  await gateway.close();
  upstream.close();
});

const tokenFor = (scope: string) => gateway.tokenFor(scope, { patient: 'p1' });
const changes = () =>
  upstream.requests.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url.slice(3)}`);

function send(method: string, path: string, token: string, body?: unknown, headers: Record<string, string> = {}) {
  return gateway.fetch(path, token, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
    headers: { 'content-type': 'application/fhir+json', ...headers },
  });
}

describe('a change with a scope for a category', () => {
  const token = () => tokenFor(`patient/Observation.cruds?category=${system}|laboratory`);

  test('is permitted for a resource that has the category before and after', async () => {
    expect((await send('POST', '/Observation', token(), observation(undefined, 'p1', 'laboratory'))).status).toBe(201);
    expect((await send('PUT', '/Observation/own', token(), observation('own', 'p1', 'laboratory'))).status).toBe(200);
    expect((await send('DELETE', '/Observation/own', token())).status).toBe(200);
    expect(changes()).toEqual(['POST /Observation', 'PUT /Observation/own', 'DELETE /Observation/own']);
  });

  test('is answered 403 or 404 for any other resource', async () => {
    const refusedWith = (status: number, ...request: [string, string, string, unknown?]) =>
      send(...request).then((response) => expectRefusal(response, status));
    expect(
      await refusedWith(403, 'POST', '/Observation', token(), observation(undefined, 'p1', 'vital-signs')),
    ).toMatch(/patient and categories/);
    await refusedWith(403, 'POST', '/Observation', token(), observation(undefined, 'p2', 'laboratory'));
    await refusedWith(403, 'PUT', '/Observation/own', token(), observation('own', 'p1', 'vital-signs'));
    await refusedWith(404, 'PUT', '/Observation/pulse', token(), observation('pulse', 'p1', 'laboratory'));
    await refusedWith(404, 'DELETE', '/Observation/pulse', token());
    expect(changes()).toEqual([]);
  });

  test('cannot move a resource from the category of one scope into that of another', async () => {
    const both = ['laboratory', 'vital-signs'].map((code) => `patient/Observation.cruds?category=${system}|${code}`);
    const put = await send(
      'PUT',
      '/Observation/own',
      tokenFor(both.join(' ')),
      observation('own', 'p1', 'vital-signs'),
    );
    await expectRefusal(put, 403);
    expect(changes()).toEqual([]);
  });
});

describe('a patch with a limited token', () => {
  const token = () => tokenFor('patient/*.cruds');
  const patch = (path: string, operations: unknown, headers: Record<string, string> = {}) =>
    send('PATCH', path, token(), operations, { 'content-type': 'application/json-patch+json', ...headers });

  test('is applied by the gateway, which sends the checked resource as a whole', async () => {
    const response = await patch('/Observation/own', [
      { op: 'test', path: '/status', value: 'final' },
      { op: 'replace', path: '/status', value: 'amended' },
      { op: 'add', path: '/note', value: [{ text: 'a' }] },
      { op: 'add', path: '/note/-', value: { text: 'b' } },
      { op: 'add', path: '/referenceRange', value: [{ low: { value: 2 } }] },
    ]);
    expect(response.status).toBe(200);
    expect(changes()).toEqual(['PUT /Observation/own']);
    const sent = upstream.requests.at(-1);
    expect(sent?.headers).toMatchObject({ 'if-match': 'W/"7"', 'content-type': 'application/fhir+json' });
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      id: 'own',
      status: 'amended',
      note: [{ text: 'a' }, { text: 'b' }],
      subject: { reference: 'Patient/p1' },
    });
    expect(sent?.body).toContain('"value":1.50');
    expect(sent?.body).toContain('"value":2}');
  });

  test.each<[string, unknown]>([
    ['names another patient as its subject', [{ op: 'replace', path: '/subject/reference', value: 'Patient/p2' }]],
    ['removes its subject', [{ op: 'remove', path: '/subject' }]],
    ['has a contained subject', [{ op: 'replace', path: '/subject', value: { reference: '#x' } }]],
    ['has a conditional reference', [{ op: 'add', path: '/focus', value: [{ reference: 'Patient?identifier=x' }] }]],
  ])('is refused when it %s', async (_what, operations) => {
    await expectRefusal(await patch('/Observation/own', operations), 403);
    expect(changes()).toEqual([]);
  });

  test.each<[string, unknown, number]>([
    ['is not an array', { op: 'remove', path: '/note' }, 400],
    ['has an unknown operation', [{ op: 'increment', path: '/a', value: 1 }], 400],
    ['has an unknown member', [{ op: 'remove', path: '/note', value: 1 }], 400],
    ['has another spelling of a path', [{ op: 'remove', path: '/sub~0ject' }], 400],
    ['has an invalid index', [{ op: 'remove', path: '/category/01' }], 400],
    ['replaces the whole resource', [{ op: 'replace', path: '', value: {} }], 400],
    ['names an inherited member', [{ op: 'add', path: '/__proto__/reference', value: 'x' }], 400],
    ['has a test that fails', [{ op: 'test', path: '/status', value: 'draft' }], 422],
    ['removes a missing member', [{ op: 'remove', path: '/method' }], 422],
    ['lengthens an array by its length', [{ op: 'replace', path: '/category/length', value: '10000000' }], 422],
    ['gives an array the maximum length', [{ op: 'replace', path: '/category/length', value: '4294967295' }], 422],
    ['shortens an array by its length', [{ op: 'remove', path: '/category/length' }], 422],
    ['copies the length of an array', [{ op: 'copy', from: '/category/length', path: '/valueInteger' }], 422],
    ['replaces the element after the end', [{ op: 'replace', path: '/category/-', value: {} }], 422],
    ['changes the id', [{ op: 'replace', path: '/id', value: 'other' }], 400],
    ['changes the type', [{ op: 'replace', path: '/resourceType', value: 'Patient' }], 400],
    [
      'doubles an array repeatedly',
      [
        { op: 'add', path: '/extension', value: [{ url: 'urn:x' }] },
        ...Array(40).fill({ op: 'copy', from: '/extension', path: '/extension/-' }),
      ],
      413,
    ],
    ['has more than 1,000 operations', Array(1_001).fill({ op: 'test', path: '/status', value: 'final' }), 413],
    ['has characters that the gateway reserves', [{ op: 'add', path: '/note', value: [{ text: '\uE0001' }] }], 400],
  ])('is refused as invalid when it %s', async (_what, operations, status) => {
    await expectRefusal(await patch('/Observation/own', operations), status);
    expect(changes()).toEqual([]);
  });

  test.each([
    ['/toString/ofAll', 'add'],
    ['/subject/hasOwnProperty/ofAll', 'add'],
    ['/category/0/coding/push/ofAll', 'add'],
    ['/subject/toString', 'replace'],
    ['/subject/toString', 'remove'],
  ])('cannot reach inherited object members: %s', async (path, op) => {
    await expectRefusal(
      await patch('/Observation/own', [{ op, path, ...(op === 'remove' ? {} : { value: 'x' }) }]),
      422,
    );
    const shared = [Object.prototype.toString, Object.prototype.hasOwnProperty, Array.prototype.push];
    expect(shared.map((one) => 'ofAll' in one)).toEqual([false, false, false]);
    expect(changes()).toEqual([]);
  });

  test('gets the same response for another patient’s resource as for a missing one, and cannot have another patch format', async () => {
    const operations = [{ op: 'replace', path: '/status', value: 'amended' }];
    for (const path of ['/Observation/other', '/Observation/none'])
      await expectRefusal(await patch(path, operations), 404);
    const kind = { 'content-type': 'application/fhir+json' };
    await expectRefusal(await patch('/Observation/own', { resourceType: 'Parameters' }, kind), 415);
    await expectRefusal(await patch('/Observation/own', operations, { 'if-match': 'W/"6"' }), 412);
    expect(changes()).toEqual([]);
  });
});

describe('a conditional request with a limited token', () => {
  const token = () => tokenFor('patient/*.cruds');
  const header = { 'if-none-exist': 'identifier=x' };
  const fresh = observation(undefined, 'p1', 'laboratory');

  test('is resolved by a limited search with strict handling, and never by the server', async () => {
    found = [stored.own as object];
    await send('PUT', '/Observation?identifier=x', token(), fresh);
    await send('DELETE', '/Observation?identifier=x', token());
    const searches = upstream.requests.filter(({ url }) => url.includes('?'));
    const sent = ['/r4/Observation?identifier=x&_count=50&patient=Patient%2Fp1', 'handling=strict', 'no-cache'];
    expect(searches.map(({ url, headers }) => [url, headers.prefer, headers['cache-control']])).toEqual([sent, sent]);
    expect(changes()).toEqual(['PUT /Observation/own', 'DELETE /Observation/own']);
    const put = upstream.requests.find(({ method }) => method === 'PUT');
    expect([put?.headers['if-match'], JSON.parse(put?.body ?? '').id]).toEqual(['W/"7"', 'own']);
  });

  test('does not match a resource that is not permitted, even if the server returns it', async () => {
    found = [stored.other as object];
    const created = await send('POST', '/Observation', token(), fresh, header);
    expect([created.status, changes()]).toEqual([201, ['POST /Observation']]);
    expect((await send('DELETE', '/Observation?identifier=x', token())).status).toBe(204);
    expect((await send('PUT', '/Observation?identifier=x', token(), fresh)).status).toBe(201);
    expect(changes()).toEqual(['POST /Observation', 'POST /Observation']);
    expect(upstream.requests.map(({ headers }) => headers['if-none-exist'])).not.toContain('identifier=x');
  });

  test('creates no resource when there is a match, and returns that one', async () => {
    found = [stored.own as object];
    const response = await send('POST', '/Observation', token(), fresh, header);
    expect([response.status, response.headers.get('content-location')]).toEqual([200, 'Observation/own']);
    expect(await response.text()).toContain('"id":"own"');
    expect(changes()).toEqual([]);
  });

  test('changes no resource when several match', async () => {
    found = [stored.own as object, stored.pulse as object];
    await expectRefusal(await send('POST', '/Observation', token(), fresh, header), 412);
    await expectRefusal(await send('PUT', '/Observation?identifier=x', token(), fresh), 412);
    await expectRefusal(await send('DELETE', '/Observation?identifier=x', token()), 412);
    expect(changes()).toEqual([]);
  });

  test('is limited to the checked patient, id and scopes for searching and creating', async () => {
    found = [stored.own as object];
    const away = observation(undefined, 'p2', 'laboratory');
    await expectRefusal(await send('PUT', '/Observation?identifier=x', token(), away), 403);
    await expectRefusal(
      await send('PUT', '/Observation?identifier=x', token(), observation('pulse', 'p1', 'laboratory')),
      412,
    );
    await expectRefusal(await send('DELETE', '/Observation?identifier=x', tokenFor('patient/*.d')), 403);
    await expectRefusal(await send('PUT', '/Observation?identifier=x', tokenFor('patient/*.us'), fresh), 403);
    await expectRefusal(await send('PUT', '/Observation?unheard-of=x', token(), fresh), 400);
    found = [];
    await expectRefusal(
      await send('PUT', '/Observation?identifier=x', token(), observation('new', 'p1', 'laboratory')),
      412,
    );
    expect(changes()).toEqual([]);
  });

  test('applies a patch to the match', async () => {
    const operations = [{ op: 'replace', path: '/status', value: 'amended' }];
    const patch = () =>
      send('PATCH', '/Observation?identifier=x', token(), operations, {
        'content-type': 'application/json-patch+json',
      });
    await expectRefusal(await patch(), 404);
    found = [stored.own as object];
    expect((await patch()).status).toBe(200);
    expect(changes()).toEqual(['PUT /Observation/own']);
  });
});

describe('a transaction with a limited token', () => {
  const token = () => tokenFor('patient/*.cruds');
  const entry = (method: string, url: string, resource?: object) => ({
    ...(resource && { resource }),
    request: { method, url },
  });
  const post = (...parts: object[]) =>
    send('POST', '', token(), { resourceType: 'Bundle', type: 'transaction', entry: parts });

  test('is forwarded as a whole after each entry was checked, with the versions that were read', async () => {
    const response = await post(
      entry('POST', 'Observation', observation(undefined, 'p1', 'laboratory')),
      entry('PUT', 'Observation/own', observation('own', 'p1', 'laboratory')),
      entry('DELETE', 'Observation/pulse'),
    );
    expect(response.status).toBe(200);
    expect(changes()).toEqual(['POST ']);
    const sent = JSON.parse(upstream.requests.at(-1)?.body ?? '') as { entry: { request: object }[] };
    expect(sent.entry.map(({ request }) => request)).toEqual([
      { method: 'POST', url: 'Observation' },
      { method: 'PUT', url: 'Observation/own', ifMatch: 'W/"7"' },
      { method: 'DELETE', url: 'Observation/pulse', ifMatch: 'W/"7"' },
    ]);
  });

  test.each<[string, object, number]>([
    ['a create for another patient', entry('POST', 'Observation', observation(undefined, 'p2', 'laboratory')), 403],
    [
      'an update of another patient’s resource',
      entry('PUT', 'Observation/other', observation('other', 'p1', 'laboratory')),
      404,
    ],
    [
      'an update that changes the subject',
      entry('PUT', 'Observation/own', observation('own', 'p2', 'laboratory')),
      403,
    ],
    ['a delete of another patient’s resource', entry('DELETE', 'Observation/other'), 404],
    ['a read', entry('GET', 'Observation/own'), 403],
    ['a search', entry('GET', 'Observation?identifier=x'), 403],
    ['a condition', entry('DELETE', 'Observation?identifier=x'), 403],
    [
      'a subject named by its fullUrl',
      entry('POST', 'Observation', observation(undefined, '', 'a', { subject: { reference: 'urn:uuid:1' } })),
      403,
    ],
    ['an outdated version', { request: { method: 'DELETE', url: 'Observation/own', ifMatch: 'W/"6"' } }, 412],
  ])('with %s is refused as a whole', async (_what, part, status) => {
    await expectRefusal(await post(entry('DELETE', 'Observation/own'), part), status);
    expect(changes()).toEqual([]);
  });
});
