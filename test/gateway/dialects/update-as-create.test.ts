import { DialectGateway, type TokenKind, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { categorySystem } from '../../support/fhir/dialect-server/records.js';
import { dialect } from '../../support/fhir/dialects.js';

const observation = (id: string, more: object = {}) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  category: [{ coding: [{ system: categorySystem, code: 'laboratory' }] }],
  code: { text: 'Glucose' },
  subject: { reference: 'Patient/a' },
  ...more,
});
const limited = ['patient', 'categories'] as const;
const rows = (['HAPI', 'Canvas'] as const).flatMap((name) => limited.map((kind) => [name, kind] as const));

describe.each(rows)('An update of what does not exist, behind %s with the token for %s,', (name, kind) => {
  let gateway: DialectGateway;
  beforeAll(async () => {
    gateway = await DialectGateway.start(dialect(name));
  });
  beforeEach(() => {
    gateway.server.reset();
    gateway.server.requests.length = 0;
  });
  afterAll(() => gateway.close());

  const put = (resource: { id: string }, headers: Record<string, string> = {}, by: TokenKind = kind) =>
    gateway.send('PUT', `/Observation/${resource.id}`, by, resource, headers);
  const stored = (id: string) => gateway.server.stored().find((one) => one.id === id);
  const changes = () => gateway.server.requests.filter(({ method }) => method !== 'GET');

  it('makes it, if nothing has its id', async () => {
    expect((await put(observation('phone-1'))).status).toBe(201);
    expect(stored('phone-1')?.subject).toEqual({ reference: 'Patient/a' });
    expect(changes().map(({ headers }) => [headers['if-none-match'], headers['if-match']])).toEqual([['*', undefined]]);
    expect((await gateway.fetch('/Observation/phone-1', kind)).status).toBe(200);
  });

  it('is refused by its body before its id, also where that is another patient’s', async () => {
    const other = { subject: { reference: 'Patient/b' } };
    const bad = { hasMember: [{ reference: 'Observation/b-obs-2' }] };
    for (const [more, status] of [[other, 403], ...(kind === 'patient' ? [[bad, 403] as const] : [])] as const) {
      const told = await Promise.all(
        ['none', 'b-obs-1'].map(async (id) => {
          const response = await put(observation(id, more));
          return [response.status, await response.text()];
        }),
      );
      expect(told[0]?.[0]).toBe(status);
      expect(told[1]).toEqual(told[0]);
    }
    expect(changes()).toEqual([]);
  });

  it('is refused as not found where the id is another patient’s, before or while it is written', async () => {
    const response = await put(observation('b-obs-1'));
    expect([response.status, changes()]).toEqual([404, []]);
    expect(JSON.stringify(stored('b-obs-1')?.subject)).toContain('Patient/b');
  });

  it('that names a version is none', async () => {
    expect((await put(observation('none'), { 'if-match': 'W/"1"' })).status).toBe(404);
    expect(changes()).toEqual([]);
  });

  it('may be part of a transaction, whose other parts refer to it', async () => {
    const entry = [
      { resource: observation('phone-1'), request: { method: 'PUT', url: 'Observation/phone-1' } },
      {
        resource: observation('phone-2', { derivedFrom: [{ reference: 'Observation/phone-1' }] }),
        request: { method: 'PUT', url: 'Observation/phone-2' },
      },
    ];
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
    const response = await gateway.send('POST', '/', kind, bundle);
    expect(response.status).toBe(200);
    expect([stored('phone-1'), stored('phone-2')]).toEqual([expect.anything(), expect.anything()]);
    const sent = JSON.parse(changes()[0]?.body ?? '') as { entry: { request: object }[] };
    expect(sent.entry.map(({ request }) => request)).toEqual([
      { method: 'PUT', url: 'Observation/phone-1', ifNoneMatch: '*' },
      { method: 'PUT', url: 'Observation/phone-2', ifNoneMatch: '*' },
    ]);
  });

  it('is refused in a transaction where the id is another patient’s', async () => {
    const entry = [{ resource: observation('b-obs-1'), request: { method: 'PUT', url: 'Observation/b-obs-1' } }];
    const response = await gateway.send('POST', '/', kind, { resourceType: 'Bundle', type: 'transaction', entry });
    expect([response.status, changes()]).toEqual([404, []]);
  });

  it('makes no patients', async () => {
    const patient = { resourceType: 'Patient', id: 'new' };
    expect((await gateway.send('PUT', '/Patient/new', kind, patient)).status).toBe(kind === 'patient' ? 404 : 403);
    expect(changes()).toEqual([]);
  });
});

it.each(limited)(
  'An update makes nothing with the token for %s where the server does not say that it does',
  async (kind) => {
    const gateway = await DialectGateway.start({ ...dialect('HAPI'), updateCreate: false });
    try {
      expect((await gateway.send('PUT', '/Observation/new', kind, observation('new'))).status).toBe(404);
      expect(gateway.server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    } finally {
      await gateway.close();
    }
  },
);

const words = 'A resource with this id exists already.';

describe.each(tokenKinds)('An update with If-None-Match: * under the token for %s', (kind) => {
  let gateway: DialectGateway;
  beforeAll(async () => {
    gateway = await DialectGateway.start(dialect('HAPI'));
  });
  beforeEach(() => {
    gateway.server.reset();
    gateway.server.requests.length = 0;
  });
  afterAll(() => gateway.close());

  const onlyNew = { 'if-none-match': '*' };
  const isLimited = kind === 'patient' || kind === 'categories';
  const put = (id: string, headers: Record<string, string> = onlyNew) =>
    gateway.send('PUT', `/Observation/${id}`, kind, observation(id), headers);
  const changes = () => gateway.server.requests.filter(({ method }) => method !== 'GET');
  const part = (id: string) => ({
    resource: observation(id),
    request: { method: 'PUT', url: `Observation/${id}`, ifNoneMatch: '*' },
  });
  const bundled = (type: string, id: string) =>
    gateway.send('POST', '/', kind, { resourceType: 'Bundle', type, entry: [part(id)] });

  it('makes what does not exist, also in a batch and in a transaction', async () => {
    expect((await put('phone-1')).status).toBe(201);
    expect((await bundled('batch', 'phone-2')).status).toBe(200);
    expect((await bundled('transaction', 'phone-3')).status).toBe(200);
    const made = gateway.server.stored().filter(({ id }) => id.startsWith('phone-'));
    expect(made.map(({ id }) => id)).toEqual(['phone-1', 'phone-2', 'phone-3']);
    const [one, two, three] = changes();
    expect([one?.headers['if-none-match'], two?.headers['if-none-match']]).toEqual(['*', '*']);
    expect(JSON.parse(three?.body ?? '').entry[0].request.ifNoneMatch).toBe('*');
  });

  it('changes nothing that exists, and asks no server to see to that', async () => {
    const response = await put('a-obs-1');
    expect([response.status, await response.text()]).toEqual([412, expect.stringContaining(words)]);
    const batch = (await (await bundled('batch', 'a-obs-1')).json()) as { entry: { response: { status: string } }[] };
    expect(batch.entry[0]?.response.status).toBe('412');
    expect((await bundled('transaction', 'a-obs-1')).status).toBe(412);
    expect(changes()).toEqual([]);
  });

  it('tells of another patient’s resource what an update without it tells', async () => {
    if (!isLimited) return;
    const [plain, only] = [await put('b-obs-1', {}), await put('b-obs-1')];
    expect([only.status, await only.text()]).toEqual([plain.status, await plain.text()]);
    expect(only.status).toBe(404);
    expect((await bundled('transaction', 'b-obs-1')).status).toBe(404);
    expect(changes()).toEqual([]);
  });

  it('is of one id, and of no version', async () => {
    const byCondition = await gateway.send('PUT', '/Observation?identifier=x', kind, observation('x'), onlyNew);
    const ofVersion = await put('a-obs-1', { ...onlyNew, 'if-match': 'W/"1"' });
    const named = await put('a-obs-1', { 'if-none-match': 'W/"1"' });
    expect([byCondition.status, ofVersion.status, named.status]).toEqual([400, 400, 400]);
    expect(changes()).toEqual([]);
  });
});
