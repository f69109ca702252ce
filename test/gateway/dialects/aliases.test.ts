import { DialectGateway, type TokenKind } from '../../support/fhir/dialect-gateway.js';
import { categorySystem } from '../../support/fhir/dialect-server/records.js';
import { type Dialect, dialect } from '../../support/fhir/dialects.js';

const other = dialect('one with another name');
/** Servers that write their other name into all that they answer, in the forms that there are. */
const servers: Dialect[] = [
  { ...other, name: 'another name', references: 'absolute', location: 'versioned' },
  { ...other, name: 'another name and no version', references: 'absolute', location: 'unversioned' },
  { ...other, name: 'only a path', references: 'relative', location: 'rooted', fullUrl: 'rooted' },
];
const writers: TokenKind[] = ['patient', 'categories', 'practitioner', 'service', 'everything'];
const limited = new Set<TokenKind>(['patient', 'categories']);

let gateway: DialectGateway;

/** The names by which an app may refer to the server: as it sees it, and as the server calls itself. */
const names = () => ({ ours: gateway.gateway.base, alias: gateway.server.alias, base: gateway.server.url });

const observation = (patient: string, more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  category: [{ coding: [{ system: categorySystem, code: 'laboratory' }] }],
  code: { text: 'x' },
  subject: { reference: patient },
  ...more,
});

type Write = (kind: TokenKind, patient: string) => Promise<Response>;

const jsonPatch = { 'content-type': 'application/json-patch+json' };
const own = 'a-obs-1';
const writes: Record<string, Write> = {
  'a create': (kind, patient) => gateway.send('POST', '/Observation', kind, observation(patient)),
  'an update': (kind, patient) => gateway.send('PUT', `/Observation/${own}`, kind, observation(patient, { id: own })),
  'a patch': (kind, patient) => {
    const patch = [{ op: 'replace', path: '/subject/reference', value: patient }];
    return gateway.send('PATCH', `/Observation/${own}`, kind, patch, jsonPatch);
  },
  'a conditional create': (kind, patient) =>
    gateway.send('POST', '/Observation', kind, observation(patient), {
      'if-none-exist': `patient=${patient}&code=none`,
    }),
  'a transaction': (kind, patient) =>
    gateway.send('POST', '/', kind, {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        { fullUrl: 'urn:uuid:1', resource: observation(patient), request: { method: 'POST', url: 'Observation' } },
      ],
    }),
  'a batch': (kind, patient) =>
    gateway.send('POST', '/', kind, {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [{ resource: observation(patient), request: { method: 'POST', url: 'Observation' } }],
    }),
};

/** The status of the write itself, with what the app is told of it. */
async function answerTo(response: Response) {
  const text = await response.text();
  const told = text + JSON.stringify([...response.headers]);
  const { entry } = JSON.parse(text || '{}') as { entry?: { response?: { status?: string; location?: string } }[] };
  const part = entry?.[0]?.response;
  const location = part?.location ?? response.headers.get('location') ?? undefined;
  return { status: part?.status ? Number(part.status.slice(0, 3)) : response.status, told, location };
}

describe.each(servers.map((one) => [one.name, one] as const))('A server with %s in its answers', (_name, one) => {
  beforeAll(async () => {
    gateway = await DialectGateway.start(one);
  });
  beforeEach(() => gateway.server.reset());
  afterAll(() => gateway.close());

  describe.each(writers)('under the token for %s', (kind) => {
    test.each(Object.entries(writes))('has %s refer to it by each of its names', async (_what, write) => {
      for (const [which, base] of Object.entries(names())) {
        gateway.server.reset();
        const { status, told, location } = await answerTo(await write(kind, `${base}/Patient/a`));
        expect([which, status]).toEqual([which, status === 200 ? 200 : 201]);
        for (const name of [gateway.server.url, gateway.server.alias]) expect(told).not.toContain(new URL(name).host);
        if (location !== undefined) expect(location).toMatch(`${gateway.gateway.base}/Observation/`);
      }
    });

    test.each(Object.entries(writes))('has %s refer to another record by none of them', async (_what, write) => {
      if (!limited.has(kind)) return;
      for (const [which, base] of Object.entries(names())) {
        const before = gateway.server.stored();
        const { status } = await answerTo(await write(kind, `${base}/Patient/b`));
        expect([which, status]).toEqual([which, 403]);
        expect(gateway.server.stored()).toEqual(before);
      }
    });
  });

  test.each<TokenKind>(['patient', 'everything'])('has its $everything under our name for %s', async (kind) => {
    const response = await gateway.fetch('/Patient/a/$everything', kind);
    const text = await response.text();
    for (const name of [gateway.server.url, gateway.server.alias]) expect(text).not.toContain(new URL(name).host);
    const { entry } = JSON.parse(text) as {
      entry: { fullUrl: string; resource: { id: string; resourceType: string } }[];
    };
    expect([response.status, entry.length > 5]).toEqual([200, true]);
    for (const { fullUrl, resource } of entry) {
      expect(fullUrl).toBe(`${gateway.gateway.base}/${resource.resourceType}/${resource.id}`);
    }
  });
});
