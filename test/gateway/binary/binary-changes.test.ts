import { type DocumentServer, startDocumentServer } from '../../support/fhir/document-server.js';
import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';

let server: DocumentServer;
let gateway: TestGateway;

beforeAll(async () => {
  server = await startDocumentServer();
  gateway = await startGateway(
    server.url,
    { aliases: ['https://fhir.example/r4'] },
    { stepUp: [{ actions: 'r', types: ['Binary'], acr: 'aal2' }] },
  );
  await gateway.loadCapabilities();
});

beforeEach(() => {
  server.binaries.clear();
  server.resources = [];
  server.requests.length = 0;
});

afterAll(async () => {
  await gateway.close();
  server.close();
});

const content = { resourceType: 'Binary', contentType: 'text/plain', data: Buffer.from('ABC').toString('base64') };
const of = (patient: string) => ({ securityContext: { reference: `Patient/${patient}` } });
const store = (more: object) =>
  server.binaries.set('b1', { id: 'b1', meta: { versionId: '2' }, contentType: 'text/plain', data: '', ...more });
const send = async (method: string, path: string, scope: string, body?: unknown, type = 'application/fhir+json') => {
  const token = gateway.tokenFor(scope, { patient: 'p1' });
  const answer = await gateway.fetch(path, token, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': type } }),
  });
  return answer.status;
};
const document = (url: unknown, patient = 'p1', more: object = {}) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  subject: { reference: `Patient/${patient}` },
  content: [{ attachment: { url } }],
  ...more,
});
const changes = () => server.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);

describe.each(['patient/*.cruds', 'patient/Binary.cud', 'patient/Binary.write'])('a Binary under %s', (scope) => {
  test('is created for the patient, and for nothing else', async () => {
    expect(await send('POST', '/Binary', scope, { ...content, ...of('p1') })).toBe(201);
    for (const more of [
      {},
      of('p2'),
      { securityContext: { reference: 'Encounter/e1' } },
      { securityContext: { display: 'p1' } },
      { securityContext: [{ reference: 'Patient/p1' }, { reference: 'Patient/p2' }] },
    ]) {
      expect([more, await send('POST', '/Binary', scope, { ...content, ...more })]).toEqual([more, 403]);
    }
    expect(changes()).toEqual(['POST']);
  });

  test('is changed and deleted if it is for the patient, also afterwards', async () => {
    const update = (more: object) => send('PUT', '/Binary/b1', scope, { ...content, id: 'b1', ...more });
    const patch = (value: string) =>
      send(
        'PATCH',
        '/Binary/b1',
        scope,
        [{ op: 'replace', path: '/securityContext/reference', value }],
        'application/json-patch+json',
      );
    store(of('p1'));
    expect([await update(of('p1')), await patch('Patient/p1'), await send('DELETE', '/Binary/b1', scope)]).toEqual([
      200, 200, 204,
    ]);
    expect(changes()).toEqual(['PUT', 'PUT', 'DELETE']);
    expect(server.requests.filter(({ method }) => method !== 'GET').map(({ headers }) => headers['if-match'])).toEqual([
      'W/"2"',
      'W/"2"',
      'W/"2"',
    ]);
    expect([await update({}), await update(of('p2')), await patch('Patient/p2')]).toEqual([403, 403, 403]);
    server.resources = [document('Binary/b1', 'p1', { id: 'd1' }) as never];
    for (const more of [{}, of('p2'), { securityContext: { reference: 'DocumentReference/d1' } }]) {
      store(more);
      expect([await update(of('p1')), await patch('Patient/p1'), await send('DELETE', '/Binary/b1', scope)]).toEqual([
        404, 404, 404,
      ]);
    }
    expect(changes()).toEqual(['PUT', 'PUT', 'DELETE']);
  });
});

test.each(['patient/*.rs', 'patient/DocumentReference.cruds', 'patient/Binary.rs'])(
  'a Binary is not changed under %s',
  async (scope) => {
    store(of('p1'));
    expect([
      await send('POST', '/Binary', scope, { ...content, ...of('p1') }),
      await send('PUT', '/Binary/b1', scope, { ...content, id: 'b1', ...of('p1') }),
      await send('DELETE', '/Binary/b1', scope),
    ]).toEqual([403, 403, 403]);
    expect(server.requests).toEqual([]);
  },
);

describe('a document', () => {
  const write = 'patient/*.cruds';
  const addresses = ['Binary/b1', '<gateway>/Binary/b1', '<server>/Binary/b1', 'https://fhir.example/r4/Binary/b1'];
  const addressed = (url: string) => url.replace('<gateway>', gateway.base).replace('<server>', server.url);

  test.each(addresses)('links by %s only what the token may read', async (address) => {
    const create = (scope = write) => send('POST', '/DocumentReference', scope, document(addressed(address)));
    expect(await create()).toBe(403);
    for (const more of [{}, of('p2')]) {
      store(more);
      expect([more, await create()]).toEqual([more, 403]);
      expect([more, await create('patient/DocumentReference.cruds')]).toEqual([more, 403]);
    }
    expect(changes()).toEqual([]);
    store(of('p1'));
    expect([await create(), await create('patient/DocumentReference.cruds')]).toEqual([201, 403]);
    store({});
    server.resources = [document('Binary/b1', 'p1', { id: 'd1' }) as never];
    expect([
      await create(),
      await create('patient/DocumentReference.cruds'),
      await create('patient/DocumentReference.c'),
    ]).toEqual([201, 201, 403]);
  });

  test('links a version only if the token may read that version', async () => {
    store(of('p1'));
    server.binaries.set('b1/_history/1', { id: 'b1', meta: { versionId: '1' }, ...of('p2') });
    const create = (url: string) => send('POST', '/DocumentReference', write, document(addressed(url)));
    expect([
      await create('Binary/b1/_history/2'),
      await create('Binary/b1/_history/1'),
      await create('<gateway>/Binary/b1/_history/1'),
      await create('Binary/b1'),
    ]).toEqual([403, 403, 403, 201]);
    server.binaries.set('b1/_history/1', { id: 'b1', meta: { versionId: '1' }, ...of('p1') });
    expect(await create('<server>/Binary/b1/_history/1')).toBe(201);
  });

  test.each([
    ['a DiagnosticReport', { resourceType: 'DiagnosticReport', presentedForm: [{ url: 'Binary/b1' }] }],
    [
      'a photo',
      { resourceType: 'DocumentReference', contained: [{ resourceType: 'Patient', photo: [{ url: 'Binary/b1' }] }] },
    ],
    [
      'an extension',
      { resourceType: 'Observation', extension: [{ url: 'urn:x', valueAttachment: { url: 'Binary/b1' } }] },
    ],
    ['a reference', { resourceType: 'Observation', focus: [{ reference: 'Binary/b1' }] }],
  ])('links nothing else by %s', async (_, resource) => {
    const body = { subject: { reference: 'Patient/p1' }, ...resource };
    expect(await send('POST', `/${resource.resourceType}`, write, body)).toBe(403);
    store(of('p1'));
    expect(await send('POST', `/${resource.resourceType}`, write, body)).toBe(201);
  });

  test('is not changed or patched to link what the token may not read', async () => {
    const patch = (value: string) =>
      send(
        'PATCH',
        '/DocumentReference/d1',
        write,
        [{ op: 'replace', path: '/content/0/attachment/url', value }],
        'application/json-patch+json',
      );
    const update = (url: string) => send('PUT', '/DocumentReference/d1', write, document(url, 'p1', { id: 'd1' }));
    server.resources = [document('Binary/b1', 'p1', { id: 'd1', meta: { versionId: '1' } }) as never];
    store({});
    server.binaries.set('b2', { id: 'b2' });
    expect([await update('Binary/b2'), await patch('Binary/b2'), await patch(`${gateway.base}/Binary/b2`)]).toEqual([
      403, 403, 403,
    ]);
    expect([await update('Binary/b1'), await patch('Binary/b1')]).toEqual([200, 200]);
  });

  test('is created in one transaction with what it links, which then needs no security context', async () => {
    const name = 'urn:uuid:7b9e4d0e-2f7f-4c5e-9f2b-6d3c8f1a0001';
    const binary = (more: object = {}) => ({
      fullUrl: name,
      resource: { ...content, ...more },
      request: { method: 'POST', url: 'Binary' },
    });
    const linking = (url: string, patient = 'p1') => ({
      resource: document(url, patient),
      request: { method: 'POST', url: 'DocumentReference' },
    });
    const transact = (entry: object[], scope = write) =>
      send('POST', '/', scope, { resourceType: 'Bundle', type: 'transaction', entry });
    expect(await transact([binary(), linking(name)])).toBe(200);
    expect(await transact([linking(name), binary(of('p1'))])).toBe(200);
    expect(changes()).toEqual(['POST', 'POST']);
    expect([
      await transact([binary()]),
      await transact([binary(), linking('Binary/b1')]),
      await transact([binary(of('p2')), linking(name)]),
      await transact([binary({ extension: [{ valueReference: { reference: 'Patient/p2' } }] }), linking(name)]),
      await transact([binary(), linking(name, 'p2')]),
      await transact([binary(), linking(name)], 'patient/DocumentReference.cruds'),
      await transact([binary(), linking(name)], 'patient/Binary.cruds'),
      await transact([binary(), linking(name)], 'patient/*.cruds?category=x'),
    ]).toEqual(Array.from({ length: 8 }, () => 403));
    expect(changes()).toEqual(['POST', 'POST']);
  });

  test('links anything under a token that permits all', async () => {
    const token = gateway.tokenFor('system/DocumentReference.cruds');
    const answer = await gateway.fetch('/DocumentReference', token, {
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify(document('Binary/b1')),
    });
    expect(answer.status).toBe(201);
  });

  test('takes the sign-in that reading what it links takes', async () => {
    store(of('p1'));
    const weak = gateway.tokenFor(write, { patient: 'p1', accountId: 'u1', acr: 'aal1' });
    const answer = await gateway.fetch('/DocumentReference', weak, {
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify(document('Binary/b1')),
    });
    expect(answer.status).toBe(403);
  });
});
