import { DialectGateway, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { otherText } from '../../support/fhir/dialect-server/records.js';
import { dialect } from '../../support/fhir/dialects.js';
import { sendFhir, useScriptedServer } from '../../support/fhir/scripted-server.js';

interface Bundle {
  total?: number;
  link?: { relation: string; url: string }[];
  entry?: { resource: Record<string, unknown> }[];
}

describe.each(['HAPI', 'Epic', 'Spark'])('Behind the gateway %s', (name) => {
  let gateway: DialectGateway;
  beforeAll(async () => {
    gateway = await DialectGateway.start(dialect(name));
  });
  afterAll(() => gateway.close());

  describe.each(tokenKinds)('with the token for %s', (kind) => {
    const count = kind === 'categories' ? 4 : 7;
    const read = async (path: string) => (await (await gateway.fetch(path, kind)).json()) as Bundle;

    it.each([
      '_elements=code',
      '_elements=code,status',
      '_summary=true',
      '_summary=false',
      '_summary=text',
      '_summary=data',
    ])('a search has all permitted resources with %s, in pages', async (query) => {
      const found: unknown[] = [];
      let address: string | undefined = `/Observation?patient=a&_count=3&${query}`;
      for (let page = 0; address !== undefined && page < 5; page += 1) {
        const { entry = [], link = [] }: Bundle = await read(address);
        found.push(...entry.map(({ resource }) => resource.id));
        address = link.find(({ relation }) => relation === 'next')?.url.slice(gateway.gateway.base.length);
      }
      expect(found).toEqual(Array.from({ length: count }, (_, index) => `a-obs-${index + 1}`));
      if (query.startsWith('_elements=code')) {
        const [first] = (await read(`/Observation?patient=a&${query}`)).entry ?? [];
        expect([first?.resource.code, first?.resource.valueQuantity]).toEqual([expect.anything(), undefined]);
      }
    });

    it.each(['_elements=code', '_summary=true', '_summary=text', '_summary=data'])('a read has %s', async (query) => {
      const response = await gateway.fetch(`/Observation/a-obs-1?${query}`, kind);
      expect([response.status, ((await response.json()) as { id: string }).id]).toEqual([200, 'a-obs-1']);
      const other = await gateway.fetch(`/Observation/b-obs-1?${query}`, kind);
      expect(other.status).toBe(kind === 'patient' || kind === 'categories' ? 404 : 200);
    });

    it.each(['_summary=count', '_count=0', '_count=0&_total=accurate'])(
      '%s counts what is permitted',
      async (query) => {
        for (const [path, total] of [
          [`/Observation?patient=a&${query}`, count],
          [`/Observation?patient=a&category=laboratory&${query}`, 4],
          [`/Patient/a/Observation?${query}`, count],
        ] as const) {
          const bundle = await read(path);
          expect([path, bundle.total, bundle.entry]).toEqual([path, total, undefined]);
        }
      },
    );
  });

  it.each(['patient', 'categories'] as const)('nothing of another patient is shown or counted for %s', async (kind) => {
    for (const query of ['_elements=text', '_summary=text', '_summary=true', '_summary=data', '_summary=count']) {
      const text = await (await gateway.fetch(`/Observation?patient=b&${query}`, kind)).text();
      expect(text).not.toContain(otherText);
      expect(text).not.toContain('b-obs');
      const all = await (await gateway.fetch(`/Observation?${query}`, kind)).text();
      expect(all).not.toContain(otherText);
    }
    const { total } = (await (await gateway.fetch('/Observation?_summary=count', kind)).json()) as Bundle;
    expect(total).toBe(kind === 'categories' ? 4 : 7);
  });
});

describe('A count for a token of one patient', () => {
  const server = useScriptedServer();
  const observation = (index: number, patient: string) => ({
    resource: { resourceType: 'Observation', id: `o${index}`, subject: { reference: `Patient/${patient}` } },
    search: { mode: 'match' },
  });
  const token = () => server.gateway.tokenFor('patient/*.rs', { patient: 'p1' });
  const page = (from: number, size: number, patient: (index: number) => string, next: boolean) => ({
    resourceType: 'Bundle',
    type: 'searchset',
    total: 5_000,
    link: next ? [{ relation: 'next', url: `${server.upstream.url}/Observation?page=${from + size}` }] : [],
    entry: Array.from({ length: size }, (_, index) => observation(from + index, patient(from + index))),
  });
  const total = async () => {
    const response = await server.gateway.fetch('/Observation?_count=50&_total=accurate', token());
    const { total, entry } = (await response.json()) as Bundle;
    return [response.status, entry?.length, total];
  };
  const count = async () => {
    const response = await server.gateway.fetch('/Observation?_summary=count', token());
    return [response.status, ((await response.json()) as Bundle).total];
  };
  const answerPages = (size: number, pages: number, patient: (index: number) => string) => {
    server.behave = ({ url = '' }, response) => {
      const from = Number(/page=(\d+)/.exec(url)?.[1] ?? 0);
      sendFhir(response, page(from, size, patient, from + size < size * pages));
    };
  };

  it('is of what it may see, whatever the server counts', async () => {
    answerPages(100, 3, (index) => (index % 2 === 0 ? 'p1' : 'p2'));
    expect(await count()).toEqual([200, 150]);
    answerPages(200, 5, () => 'p1');
    expect(await count()).toEqual([200, 1_000]);
  });

  it('is told with the matches where it is asked for, unless it cannot be', async () => {
    answerPages(100, 3, (index) => (index % 2 === 0 ? 'p1' : 'p2'));
    expect(await total()).toEqual([200, 50, 150]);
    answerPages(201, 5, () => 'p1');
    expect(await total()).toEqual([200, 201, undefined]);
    server.behave = ({ url = '' }, response) => {
      const first = page(0, 100, () => 'p1', true);
      if (url.includes('page=')) response.writeHead(500).end();
      else sendFhir(response, first);
    };
    expect(await total()).toEqual([200, 100, undefined]);
  });

  it('is refused for more than a thousand, for too many pages, and for a page that is elsewhere', async () => {
    answerPages(201, 5, () => 'p1');
    expect(await count()).toEqual([403, undefined]);
    answerPages(1, 21, () => 'p1');
    expect(await count()).toEqual([403, undefined]);
    expect(server.upstream.requests.length).toBeLessThan(40);
    server.behave = (_request, response) => {
      const elsewhere = {
        ...page(0, 1, () => 'p1', false),
        link: [{ relation: 'next', url: 'http://evil.example/x' }],
      };
      sendFhir(response, elsewhere);
    };
    expect(await count()).toEqual([403, undefined]);
  });
});
