import { DialectGateway, type TokenKind, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { categorySystem } from '../../support/fhir/dialect-server/records.js';
import { dialect } from '../../support/fhir/dialects.js';

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await DialectGateway.start(dialect('HAPI'));
});
beforeEach(() => {
  gateway.server.reset();
  gateway.server.requests.length = 0;
  gateway.gateway.audit.taken();
});
afterAll(() => gateway.close());

const limited: readonly TokenKind[] = ['patient', 'categories'];
const number = (value: string) => `identifier=https://hospital.example/obs|${value}`;
const observation = (more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  category: [{ coding: [{ system: categorySystem, code: 'laboratory' }] }],
  code: { text: 'Glucose' },
  subject: { reference: 'Patient/a' },
  valueQuantity: { value: 1.5 },
  ...more,
});
const unless = (ifNoneExist: string, more: object = {}) => ({
  fullUrl: 'urn:uuid:1',
  resource: observation(),
  request: { method: 'POST', url: 'Observation', ifNoneExist },
  ...more,
});
const referring = {
  fullUrl: 'urn:uuid:2',
  resource: observation({ derivedFrom: [{ reference: 'urn:uuid:1' }] }),
  request: { method: 'POST', url: 'Observation' },
};
const changes = () => gateway.server.requests.filter(({ method }) => method !== 'GET');
const made = () => gateway.server.stored().filter(({ id }) => id.startsWith('new-'));

interface Told {
  response: { status: string; location?: string; etag?: string };
}

async function told(response: Response): Promise<Told['response'][]> {
  const { entry } = (await response.json()) as { entry: Told[] };
  return entry.map(({ response: own }) => ({ ...own, status: own.status.slice(0, 3) }));
}

describe.each(tokenKinds)('A create in a transaction with ifNoneExist and the token for %s', (kind) => {
  const send = (...entry: object[]) =>
    gateway.send('POST', '/', kind, { resourceType: 'Bundle', type: 'transaction', entry });

  it('makes what the condition does not find', async () => {
    const answers = await told(await send(unless(number('new')), referring));
    expect(answers.map(({ status }) => status)).toEqual(['201', '201']);
    expect(made().map(({ derivedFrom }) => derivedFrom)).toEqual([
      undefined,
      [{ reference: expect.stringMatching(/^Observation\/new-/) }],
    ]);
  });

  it('makes nothing of what it finds, which the other entries then refer to', async () => {
    const answers = await told(await send(referring, unless(number('a-1'))));
    expect(answers.map(({ status }) => status)).toEqual(['201', '200']);
    expect(answers[1]?.location).toMatch(/Observation\/a-obs-1(?:\/_history\/1)?$/);
    expect(made().map(({ derivedFrom }) => derivedFrom)).toEqual([[{ reference: 'Observation/a-obs-1' }]]);
  });

  it('is refused where it finds several, and nothing is changed', async () => {
    const before = gateway.server.stored();
    expect((await send(unless('category=laboratory&patient=a'), referring)).status).toBe(412);
    expect(gateway.server.stored()).toEqual(before);
  });
});

describe.each(limited)('With the token for %s, ifNoneExist in a transaction', (kind) => {
  const send = (...entry: object[]) =>
    gateway.send('POST', '/', kind, { resourceType: 'Bundle', type: 'transaction', entry });

  it('is looked up by the gateway among what the token permits, and not sent', async () => {
    await send(unless(number('new')), referring);
    expect(changes().map(({ body }) => body)).toEqual([expect.not.stringContaining('ifNoneExist')]);
    const [search] = gateway.server.requests.filter(({ url }) => url.includes('identifier'));
    expect(decodeURIComponent(search?.url ?? '')).toContain('patient=Patient/a');
  });

  it('does not find what is another patient’s: that is told like what does not exist', async () => {
    const answers = [];
    for (const condition of [number('b-1'), number('none')]) {
      gateway.server.reset();
      answers.push(await told(await send(unless(condition))));
    }
    expect(answers[0]?.map(({ status }) => status)).toEqual(['201']);
    expect(answers[1]).toEqual(answers[0]);
  });

  it('that finds all there is sends nothing, and is recorded with its patient', async () => {
    const answer = await send(unless(number('a-1')), unless(number('a-2'), { fullUrl: 'urn:uuid:3' }));
    const lastModified = '2026-01-02T03:04:05.000Z';
    expect([answer.status, await told(answer)]).toEqual([
      200,
      [
        { status: '200', location: 'Observation/a-obs-1/_history/1', etag: 'W/"1"', lastModified },
        { status: '200', location: 'Observation/a-obs-2/_history/1', etag: 'W/"1"', lastModified },
      ],
    ]);
    expect(changes()).toEqual([]);
    expect(gateway.gateway.audit.taken().flatMap(({ patients }) => patients)).toContain('a');
  });

  it('may refer to what exists by the address of content, too, and not by other texts', async () => {
    const note = [{ text: 'urn:uuid:1' }];
    const identifier = [{ system: 'urn:ietf:rfc:3986', value: 'urn:uuid:1' }];
    const resource = { ...referring.resource, note, identifier };
    expect((await send(unless(number('a-1')), { ...referring, resource })).status).toBe(200);
    expect(made()[0]).toMatchObject({ note, identifier, derivedFrom: [{ reference: 'Observation/a-obs-1' }] });
  });

  it('takes a scope to search', async () => {
    const scopes = 'patient/Observation.c?category=laboratory patient/Patient.rs';
    const token = gateway.gateway.tokenFor(scopes, { patient: 'a' });
    const response = await gateway.gateway.fetch('/', token, {
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry: [unless(number('a-1'))] }),
    });
    expect([response.status, gateway.server.requests]).toEqual([403, []]);
  });

  it.each<[string, object[], number]>([
    ['twice', [unless(number('new')), unless(number('new'), { fullUrl: 'urn:uuid:3' })], 400],
    ['by a parameter that the server does not know', [unless('colour=blue')], 400],
    ['without a value', [unless('identifier=')], 400],
    [
      'for a resource of another patient',
      [unless(number('new'), { resource: observation({ subject: { reference: 'Patient/b' } }) })],
      403,
    ],
    [
      'with too many entries',
      Array.from({ length: 101 }, (_, index) => unless(number(`n${index}`), { fullUrl: `urn:uuid:${index}` })),
      413,
    ],
    [
      'of an update',
      [
        {
          resource: observation({ id: 'a-obs-1' }),
          request: { method: 'PUT', url: 'Observation/a-obs-1', ifNoneExist: number('a-1') },
        },
      ],
      400,
    ],
  ])('is refused %s', async (_what, entry, status) => {
    expect((await send(...entry)).status).toBe(status);
    expect(changes()).toEqual([]);
  });

  it('needs no support of the server', async () => {
    const other = await DialectGateway.start({ ...dialect('HAPI'), conditionalCreate: false });
    try {
      const entry = [unless(number('a-1')), unless(number('new'), { fullUrl: 'urn:uuid:3' })];
      const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
      const answers = await told(await other.send('POST', '/', kind, bundle));
      expect(answers.map(({ status }) => status)).toEqual(['200', '201']);
    } finally {
      await other.close();
    }
  });
});
