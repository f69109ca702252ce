import { DialectGateway, type TokenKind, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { categorySystem } from '../../support/fhir/dialect-server/records.js';
import { dialect, dialects } from '../../support/fhir/dialects.js';

interface Bundle {
  link?: { relation: string; url: string }[];
  entry?: { fullUrl?: string; resource: { resourceType: string; id: string } }[];
}

const labs = [1, 2, 3, 4];
const idsOf = (kind: TokenKind) =>
  (kind === 'categories' ? labs : [...labs, 5, 6, 7]).map((index) => `Observation/a-obs-${index}`);
const resourcesIn = ({ entry = [] }: Bundle) => entry.map(({ resource }) => `${resource.resourceType}/${resource.id}`);

/** The text as often decoded as it may be encoded. */
function decoded(text: string): string {
  let result = text;
  for (let time = 0; time < 3; time += 1) {
    result = result.replace(/%([0-7][\dA-F])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  return result;
}

const rows = dialects.map((one) => [one.name, one] as const);

/** Fails if an answer names the server. */
async function checkedText(gateway: DialectGateway, response: Response): Promise<string> {
  const text = await response.text();
  const shown = decoded(text + JSON.stringify([...response.headers])).replaceAll(gateway.gateway.base, '');
  for (const name of [gateway.server.url, gateway.server.alias]) expect(shown).not.toContain(new URL(name).host);
  return text;
}

async function bundleAt(gateway: DialectGateway, address: string, kind: TokenKind): Promise<Bundle> {
  expect(address).toMatch(gateway.gateway.base);
  const response = await gateway.fetch(address.slice(gateway.gateway.base.length), kind);
  const text = await checkedText(gateway, response);
  expect([response.status, text.slice(0, 500)]).toEqual([200, text.slice(0, 500)]);
  return JSON.parse(text) as Bundle;
}

describe.each(rows)('Behind the gateway %s', (_name, one) => {
  let gateway: DialectGateway;
  beforeAll(async () => {
    gateway = await DialectGateway.start(one);
  });
  afterAll(() => gateway.close());

  test.each(tokenKinds)('gives all pages, without its names, to the token for %s', async (kind) => {
    const subject = encodeURIComponent(`${gateway.gateway.base}/Patient/a`);
    for (const query of ['patient=a', `subject=${subject}`]) {
      const found: string[] = [];
      const links: string[] = [];
      let address: string | undefined = `${gateway.gateway.base}/Observation?${query}&_count=2`;
      for (let page = 0; address !== undefined && page < 10; page += 1) {
        const bundle = await bundleAt(gateway, address, kind);
        found.push(...resourcesIn(bundle));
        const others = (bundle.link ?? []).filter(({ relation }) => relation !== 'self');
        links.push(...others.map(({ url }) => url));
        address = others.find(({ relation }) => relation === 'next')?.url;
      }
      expect([query, found]).toEqual([query, idsOf(kind)]);
      for (const link of new Set(links)) await bundleAt(gateway, link, kind);
    }
  });

  test.each(tokenKinds)('tells the address of a new resource as ours to the token for %s', async (kind) => {
    gateway.server.reset();
    const category = [{ coding: [{ system: categorySystem, code: 'laboratory' }] }];
    const subject = { reference: `${gateway.gateway.base}/Patient/a` };
    const observation = { resourceType: 'Observation', status: 'final', category, code: { text: 'x' }, subject };
    const response = await gateway.send('POST', '/Observation', kind, observation);
    await checkedText(gateway, response);
    const address = response.headers.get('location') ?? response.headers.get('content-location') ?? '';
    expect([response.status, address.replace(/\/_history\/.*/, '')]).toEqual([
      201,
      `${gateway.gateway.base}/Observation/new-1`,
    ]);
    const read = await gateway.fetch('/Observation/new-1', kind);
    await checkedText(gateway, read);
    expect(read.status).toBe(200);
  });
});

test('A server whose other name is not configured has its further pages told as missing', async () => {
  const gateway = await DialectGateway.start(dialect('one with another name'), { aliases: [] });
  for (const kind of ['everything', 'service'] as const) {
    const bundle = (await (await gateway.fetch('/Observation?patient=a&_count=2', kind)).json()) as Bundle;
    expect((bundle.link ?? []).map(({ relation }) => relation)).toEqual(['self']);
    expect(bundle.link?.[0]?.url).toMatch(gateway.gateway.base);
    expect(resourcesIn(bundle).at(-1)).toMatch(/^OperationOutcome/);
  }
  await gateway.close();
});
