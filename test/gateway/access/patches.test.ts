import { expectRefusal } from '../../support/fhir/demo-gateway.js';
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';

let upstream: Upstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end('{"resourceType":"Observation"}');
  });
  gateway = await startGateway(upstream.url);
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  await gateway.close();
  upstream.close();
});

const patch = (body: unknown, type: string) =>
  gateway.fetch('/Observation/o1', gateway.tokenFor('system/Observation.u'), {
    method: 'PATCH',
    headers: { 'content-type': `application/${type}` },
    body: JSON.stringify(body),
  });

const change = (path: string, name: string, value: object) => ({
  resourceType: 'Parameters',
  parameter: [
    {
      name: 'operation',
      part: [
        { name: 'path', valueString: path },
        { name: 'name', valueString: name },
        { name: 'value', ...value },
      ],
    },
  ],
});

describe('a patch with a token for all resources', () => {
  test.each<[string, unknown, string]>([
    [
      'a JSON patch',
      [
        { op: 'replace', path: '/subject/reference', value: 'Patient/2' },
        { op: 'add', path: '/note', value: [{ text: 'Is it so? The app asks.' }] },
        { op: 'move', from: '/note/0', path: '/note/1' },
      ],
      'json-patch+json',
    ],
    ['a FHIRPath patch', change('Observation', 'subject', { valueReference: { reference: 'Patient/2' } }), 'fhir+json'],
  ])('is forwarded to the server: %s', async (_what, body, type) => {
    expect((await patch(body, type)).status).toBe(200);
    expect(upstream.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
    expect(JSON.parse(upstream.requests[1]?.body ?? '')).toEqual(body);
  });

  // The server would resolve the reference among resources that the token does not permit.
  test.each<[string, unknown, string]>([
    [
      'in a member of a JSON patch',
      [{ op: 'add', path: '/focus', value: [{ reference: 'Patient?name=x' }] }],
      'json-patch+json',
    ],
    [
      'as a text of a JSON patch',
      [{ op: 'replace', path: '/subject/reference', value: 'Patient?name=x' }],
      'json-patch+json',
    ],
    [
      'out of what the resource holds already',
      [{ op: 'copy', from: '/note/0/text', path: '/subject/reference' }],
      'json-patch+json',
    ],
    [
      'in a FHIRPath patch',
      change('Observation', 'subject', { valueReference: { reference: 'Patient?name=x' } }),
      'fhir+json',
    ],
    [
      'as a text of a FHIRPath patch',
      change('Observation.subject', 'reference', { valueString: 'Patient?name=x' }),
      'fhir+json',
    ],
  ])('cannot create a conditional reference, %s', async (_what, body, type) => {
    await expectRefusal(await patch(body, type), 403);
    expect(upstream.requests).toEqual([]);
  });
});

describe('a body with too deep nesting', () => {
  const nested = (levels: number) => `{"resourceType":"Observation","x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const send = (path: string, body: string) =>
    gateway.fetch(path, gateway.tokenFor('system/*.cruds'), {
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body,
    });

  test.each([101, 1_000, 3_000, 4_000, 5_000, 100_000])('is refused: %d levels', async (levels) => {
    const bundle = `{"resourceType":"Bundle","type":"batch","entry":[{"resource":${nested(levels)}}]}`;
    for (const [path, body] of [
      ['/Observation', nested(levels)],
      ['', bundle],
    ] as const) {
      await expectRefusal(await send(path, body), 400);
    }
    expect(upstream.requests).toEqual([]);
  });

  test('is forwarded at the limit', async () => {
    expect((await send('/Observation', nested(90))).status).toBe(200);
  });
});
