import { type DocumentServer, startDocumentServer } from '../../support/fhir/document-server.js';
import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';

let server: DocumentServer;
let gateway: TestGateway;

beforeAll(async () => {
  server = await startDocumentServer();
  gateway = await startGateway(server.url);
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
    server.resources = [
      {
        resourceType: 'DocumentReference',
        id: 'd1',
        subject: { reference: 'Patient/p1' },
        content: [{ attachment: { url: 'Binary/b1' } }],
      },
    ];
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
