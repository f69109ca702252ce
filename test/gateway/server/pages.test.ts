import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';

/** A FHIR server whose paging links have opaque addresses (`?_getpages=…`). */
let upstream: Upstream;
let gateway: TestGateway;

const observation = (patient: string) => ({
  resourceType: 'Observation',
  id: `of-${patient}`,
  subject: { reference: `Patient/${patient}` },
  note: [{ text: `<a href="${upstream.url}?_getpages=forged">` }],
});

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const url = new URL(request.url ?? '', upstream.url);
    const offset = Number(url.searchParams.get('_getpagesoffset') ?? 0);
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' });
    response.end(
      JSON.stringify({
        resourceType: 'Bundle',
        type: url.pathname.endsWith('_history') ? 'history' : 'searchset',
        total: 900,
        link: [
          { relation: 'self', url: `${upstream.url}${url.search}` },
          { relation: 'next', url: `${upstream.url}?_getpages=state&_getpagesoffset=${offset + 2}` },
          { relation: 'last', url: 'http://10.0.0.7/r4?_getpages=state' },
        ],
        entry: [{ resource: observation('p1') }, { resource: observation(offset === 0 ? 'p1' : 'p2') }],
      }),
    );
  });
  gateway = await startGateway(upstream.url);
});

afterAll(async () => {
  await gateway.close();
  upstream.close();
});

interface Page {
  total?: number;
  link: { relation: string; url: string }[];
  entry: { resource: ReturnType<typeof observation> }[];
}

async function pageOf(path: string, token: string): Promise<{ page: Page; next: string }> {
  const response = await gateway.fetch(path, token);
  expect(response.status).toBe(200);
  const page = (await response.json()) as Page;
  const next = page.link.find(({ relation }) => relation === 'next')?.url ?? '';
  expect(next).toMatch(`${gateway.base}/_page?_link=`);
  expect(page.link.map(({ relation }) => relation)).toEqual(['self', 'next']);
  return { page, next: next.slice(gateway.base.length) };
}
const statusOf = async (path: string, token: string) => (await gateway.fetch(path, token)).status;
const patients = ({ entry }: Page) => entry.flatMap(({ resource }) => resource?.subject?.reference ?? []);
const told = (page: Page) => JSON.stringify(page.entry.at(-1));

describe('a FHIR server with its own addresses for pages', () => {
  test('can be paged to the end with a token for all resources', async () => {
    const token = gateway.tokenFor('system/*.rs');
    for (const path of ['/Observation?code=a', '/Observation/of-p1/_history', '/Observation/_history']) {
      const { next } = await pageOf(path, token);
      const { page } = await pageOf(next, token);
      expect(upstream.requests.at(-1)?.url).toBe('/r4?_getpages=state&_getpagesoffset=2');
      expect(patients(page)).toEqual(['Patient/p1', 'Patient/p2']);
      expect(told(page)).toMatch(/named other pages at an address that is not known to be its own \(last\)\./);
    }
  });

  test('has each of its pages checked like the first', async () => {
    const token = gateway.tokenFor('patient/*.rs', { patient: 'p1', grantId: 'g1' });
    const { next } = await pageOf('/Observation', token);
    const { page } = await pageOf(next, token);
    expect([patients(page), page.total]).toEqual([['Patient/p1'], undefined]);
    expect(told(page)).toMatch(/"mode":"outcome"/);
  });

  test('serves its pages to no token of another grant or patient, and to none with fewer scopes', async () => {
    const facts = { patient: 'p1', grantId: 'g1' };
    const { next } = await pageOf('/Observation', gateway.tokenFor('patient/*.rs', facts));
    for (const [scope, other] of [
      ['patient/*.rs', { ...facts, grantId: 'g2' }],
      ['patient/*.rs', { ...facts, patient: 'p2' }],
      ['patient/*.rs', { ...facts, clientId: 'other' }],
      ['patient/Condition.rs', facts],
      ['patient/Observation.r', facts],
    ] as const) {
      expect(await statusOf(next, gateway.tokenFor(scope, other))).toBe(403);
    }
    expect(await statusOf(next, gateway.tokenFor('patient/Observation.s', facts))).toBe(200);
  });

  test('is sent requests only for pages that it linked itself', async () => {
    const token = gateway.tokenFor('system/*.cruds');
    const { page } = await pageOf('/Observation', token);
    upstream.requests.length = 0;
    // An address within a resource is no paging link, even if it looks like one: apps can write resources.
    const [forged = ''] = /\?_getpages=forged/.exec(page.entry[0]?.resource.note[0]?.text ?? '') ?? [];
    for (const path of [forged, '?_getpages=state', '/_page', '/_page?_link=AAAA', '/_page?_link=..%2f..']) {
      expect([path, await statusOf(path, token)]).toEqual([path, 403]);
    }
    expect(upstream.requests).toEqual([]);
  });
});
