import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';
import { refusalIn } from '../../support/fhir/scripted-server.js';
import { inTurn, itInTurn } from '../../support/runs.js';

const mb = 1024 * 1024;
const types = ['DocumentReference', 'Patient', 'Binary'];
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [
    {
      mode: 'server',
      operation: [{ name: 'everything', definition: 'x' }],
      resource: types.map((type) => ({
        type,
        searchParam: [{ name: 'patient' }],
        operation: [{ name: 'everything' }],
      })),
    },
  ],
};
const document = (id: string, bytes: number) => ({
  resourceType: 'DocumentReference',
  id,
  meta: { versionId: '1' },
  subject: { reference: 'Patient/p1' },
  content: [{ attachment: { contentType: 'application/pdf', data: 'QUJD'.repeat(bytes / 4) } }],
});

let upstream: Upstream;
let gateway: TestGateway;
/** MB of the document of the server. */
let size: number;

beforeAll(async () => {
  upstream = await startUpstream((request, response, body) => {
    const { pathname } = new URL(request.url ?? '', 'http://server');
    const answer = (): object => {
      if (pathname.endsWith('/metadata')) return metadata;
      if (request.method !== 'GET') return { ...JSON.parse(body), id: 'new' };
      const one = document('d1', size * mb);
      if (pathname.endsWith('/d1')) return one;
      const entry = [{ resource: { ...document('d0', 4) } }, { resource: one }];
      return { resourceType: 'Bundle', type: 'searchset', total: 2, entry };
    };
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/fhir+json',
      etag: 'W/"1"',
    });
    response.end(JSON.stringify(answer()));
  });
  const limits = { answerMegabytes: 24, bodyMegabytes: 20, heldMegabytes: 100 };
  gateway = await startGateway(upstream.url, {}, { limits });
  await gateway.loadCapabilities();
});

beforeEach(() => {
  size = 11;
});

afterAll(async () => {
  await gateway.close();
  upstream.close();
});

const readers: Record<string, () => string> = {
  'of a patient': () => gateway.tokenFor('patient/*.cruds', { patient: 'p1' }),
  'of a user who is a patient': () => gateway.tokenFor('user/*.cruds', { fhirUser: `${gateway.base}/Patient/p1` }),
  'of a practitioner': () =>
    gateway.tokenFor('user/DocumentReference.cruds', { fhirUser: `${gateway.base}/Practitioner/d1` }),
  'of a service': () => gateway.tokenFor('system/*.cruds'),
};

const paths = ['/Patient/p1/$everything', '/DocumentReference/d1', '/DocumentReference', '/DocumentReference?_count=5'];

const rows = Object.entries(readers).map(([of, token], number) => [of, token, number] as const);
describe.each(rows)('a document of 11 MB under a token %s', (_, token, number) => {
  const read = async (path: string) => {
    const answer = await gateway.fetch(path, token());
    return { status: answer.status, text: await answer.text() };
  };

  test.each(inTurn(paths, number))('is in the answer to %s', async (path) => {
    gateway.audit.taken();
    const { status, text } = await read(path);
    if (status === 403) return expect(path).toContain('$everything');
    expect([status, JSON.parse(text).resourceType]).toEqual([
      200,
      path.endsWith('/d1') ? 'DocumentReference' : 'Bundle',
    ]);
    expect(text.length).toBeGreaterThan(size * mb);
    const events = gateway.audit.taken();
    expect(new Set(events.flatMap(({ patients }) => patients))).toEqual(new Set(['p1']));
  });

  const send = (path: string, sent: object) =>
    gateway.fetch(path, token(), {
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify(sent),
    });
  const { id: _id, ...body } = document('', 15 * mb);
  const itInItsTurn = itInTurn(number, 2);

  itInItsTurn('is created and answered', async () => {
    const created = await send('/DocumentReference', body);
    expect([created.status, (await created.text()).length > 15 * mb]).toEqual([201, true]);
  });

  itInItsTurn('is created in a batch and answered, and refused where it is too large', async () => {
    const entry = [
      { resource: body, request: { method: 'POST', url: 'DocumentReference' } },
      { request: { method: 'GET', url: 'DocumentReference/none' } },
    ];
    const batch = await send('/', { resourceType: 'Bundle', type: 'batch', entry });
    const { entry: answered } = (await batch.json()) as { entry: { response: { status: string } }[] };
    expect(answered.map(({ response }) => response.status)[0]).toBe('201');
    const large = await send('/DocumentReference', document('', 21 * mb));
    expect((await refusalIn(large)).status).toBe(413);
  });
});

test('an answer beyond the limit is refused to a limited token, with words that are true of it', async () => {
  size = 25;
  const token = gateway.tokenFor('patient/*.rs', { patient: 'p1' });
  const { status, text } = await refusalIn(await gateway.fetch('/DocumentReference/d1', token));
  expect([status, text]).toEqual([502, expect.stringContaining('over 24 MB')]);
  const whole = await gateway.fetch('/DocumentReference/d1', gateway.tokenFor('system/*.rs'));
  expect([whole.status, (await whole.text()).length > 25 * mb]).toEqual([200, true]);
});
