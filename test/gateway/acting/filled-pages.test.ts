import type { LevelRule } from '../../../src/representation/application/permitted-record.js';
import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';
import { RecordServer, type Stored } from '../../support/fhir/record-server.js';

const leo = { reference: 'Patient/leo' };
const result = (id: string, isPrivate: boolean): Stored => ({
  ...{ resourceType: 'Observation', id, subject: leo, encounter: { reference: `Encounter/${id}` } },
  valueDecimal: 1.5,
  ...(isPrivate && { meta: { security: [{ code: 'MH' }] } }),
});
const visit = (id: string): Stored => ({ resourceType: 'Encounter', id, subject: leo });

let server: RecordServer;
let gateway: TestGateway;
let token: string;
const nothing = { types: [], categories: [], securityLabels: [], codes: [] };
const full = { id: 'x', label: 'X', kinds: 'full' as const, change: 'full' as const, without: nothing };
const labelled = { ...full, without: { ...nothing, securityLabels: ['MH'] } };
let level: LevelRule = labelled;
let hasEnded = false;

beforeAll(async () => {
  server = await new RecordServer().start();
  const represented = {
    protection: { categories: [], codes: [] },
    forRequest: async () =>
      hasEnded
        ? { permitted: false as const, cause: 'ended' as const }
        : { permitted: true as const, levels: [level], basis: 'voluntary', relationship: 'r' },
  };
  gateway = await startGateway(server.upstream.url, {}, { represented });
  await gateway.loadCapabilities();
  const acting = { accountId: 'ana', patient: 'leo', representation: 'r' };
  token = gateway.tokenFor('openid fhirUser patient/*.cruds patient/Patient.$everything', {
    ...acting,
    fhirUser: `${gateway.base}/RelatedPerson/ana`,
  });
});

afterAll(async () => {
  await gateway.close();
  server.upstream.close();
});

beforeEach(() => {
  level = labelled;
  server.longestPage = 1_000;
});

/** Letters for the matches in their order: those in upper case are private. */
const have = (order: string, ...more: Stored[]) =>
  server.have(...[...order].flatMap((one) => [result(one, one !== one.toLowerCase()), visit(one)]), ...more);

interface Answer {
  entry?: { resource: Stored; search?: { mode?: string } }[];
  link?: { relation: string; url: string }[];
}

async function answerTo(path: string): Promise<Answer> {
  const response = await gateway.fetch(path, token);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

const nextOf = ({ link = [] }: Answer) => link.find(({ relation }) => relation === 'next')?.url;

/** The ids of the matches, and of what is included, on each page. */
async function pagesOf(path: string): Promise<string[]> {
  const pages: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer = await answerTo(next);
    const ids = (mode: string) =>
      (answer.entry ?? [])
        .flatMap(({ resource, search }) => ((search?.mode ?? 'match') === mode ? resource.id : []))
        .join('');
    pages.push([ids('match'), ids('include')].filter((text) => text !== '').join('+'));
    next = nextOf(answer)?.replace(gateway.base, '');
    expect(pages.length).toBeLessThan(20);
  }
  return pages;
}

describe.each([
  ['that has long pages', 1_000],
  ['that has short pages', 2],
])('A search by a user who acts for a patient, of which some is private, at a server %s', (_which, longest) => {
  beforeEach(() => {
    server.longestPage = longest;
  });

  it.each([
    ['abcdef', ['ab', 'cd', 'ef']],
    ['aBcdEf', ['ac', 'df']],
    ['aBCDEFgh', ['ag', 'h']],
    ['ABcdefgh', ['cd', 'ef', 'gh']],
    ['abCDefGHi', ['ab', 'ef', 'i']],
    ['ABCD', ['']],
    ['aBCd', ['ad']],
    ['abCdeFgHijKlm', ['ab', 'de', 'gi', 'jl', 'm']],
    ['a', ['a']],
    ['abC', ['ab']],
    ['abCDEF', ['ab']],
    ['aBcdEF', ['ac', 'd']],
  ])('of %s has full pages, each of which is shown once', async (order, pages) => {
    have(order);
    expect(await pagesOf('/Observation?patient=leo&_count=2')).toEqual(pages);
  });

  it('has the included resources of the matches that it shows', async () => {
    have('aBcDef');
    const path = '/Observation?patient=leo&_count=2&_include=Observation:encounter:Encounter';
    expect(await pagesOf(path)).toEqual(['ac+ac', 'ef+ef']);
  });

  it.each(['/Observation?patient=leo', '/Patient/leo/$everything?_type=Observation'])(
    'does not tell by %s that something is private: neither by links nor by their lengths',
    async (path) => {
      const told = new Set<string>();
      for (const order of ['ab', 'aBb', 'aBCb', 'BCab', 'abBC']) {
        server.have(...[...order].map((one) => result(one, one !== one.toLowerCase())));
        let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}_count=1`;
        const pages: unknown[] = [];
        while (next !== undefined) {
          const answer: Answer = await answerTo(next.replace(gateway.base, ''));
          const links = (answer.link ?? []).filter(({ relation }) => relation !== 'self');
          const lengths = links.map(({ relation, url }) => [relation, url.length]);
          pages.push([answer.entry?.map(({ resource }) => resource.id), lengths]);
          next = nextOf(answer);
        }
        told.add(JSON.stringify(pages));
      }
      expect(told.size).toBe(1);
    },
  );
});

describe('A user who acts for a patient', () => {
  it('is told nothing by the pages of how many others act for the patient, also at full access', async () => {
    level = full;
    const person = (id: string): Stored => ({ resourceType: 'RelatedPerson', id, patient: leo });
    const note = (id: string, who: string): Stored => ({
      ...{ resourceType: 'Provenance', id, target: [{ reference: 'Observation/a' }] },
      agent: [{ who: { reference: `RelatedPerson/${who}` } }],
    });
    server.have(
      result('a', false),
      ...[person('rui'), person('ana'), person('rosa')],
      ...[note('n', 'rui'), note('o', 'ana'), note('p', 'rosa')],
    );
    expect(await pagesOf('/RelatedPerson?patient=leo&_count=1')).toEqual(['ana']);
    expect(await pagesOf('/Provenance?target=Observation/a&_count=1')).toEqual(['o']);
    expect(await pagesOf('/Patient/leo/$everything?_count=1')).toEqual(['a', 'ana', 'o']);
  });

  it('has on a page what is open when it is asked for, whatever was open before', async () => {
    have('abC');
    const next = async (path: string) => nextOf(await answerTo(path))?.replace(gateway.base, '') ?? '';
    const second = await next('/Observation?patient=leo&_count=1');
    level = full;
    const third = await next(second);
    expect((await answerTo(third)).entry?.map(({ resource }) => resource.id)).toEqual(['C']);
    level = { ...labelled, without: { ...nothing, types: ['Observation'] } };
    expect((await gateway.fetch(third, token)).status).toBe(403);
    hasEnded = true;
    expect((await gateway.fetch(third, token)).status).toBe(401);
    hasEnded = false;
  });

  it.each(['_offset=1', '_skip=1', '_page=2'])('does not choose the place in the results, by %s', async (place) => {
    have('aBc');
    for (const path of [`/Observation?patient=leo&${place}`, `/Patient/leo/Observation?${place}`]) {
      expect((await gateway.fetch(path, token)).status).toBe(403);
    }
  });

  it('finds what a condition is about, however much is private', async () => {
    const several = Array.from({ length: 120 }, (_, index) => ({ ...result(`P${index}`, true), status: 'final' }));
    const own = { ...result('x', false), id: undefined, encounter: undefined, status: 'final' };
    const create = async () => {
      const headers = { 'content-type': 'application/fhir+json', 'if-none-exist': 'status=final' };
      server.upstream.requests.length = 0;
      await gateway.fetch('/Observation', token, { method: 'POST', headers, body: JSON.stringify(own) });
      return server.upstream.requests.filter(({ method }) => method === 'POST').length;
    };
    server.have(...several);
    expect(await create()).toBe(1);
    server.have(...several, { ...result('y', false), status: 'final' });
    expect(await create()).toBe(0);
  });

  it('has a page that ends early after many pages of the server, and continues with the next one', async () => {
    server.longestPage = 1;
    have(`a${'B'.repeat(14)}c`);
    const pages = await pagesOf('/Observation?patient=leo&_count=2');
    expect(pages.join('')).toBe('ac');
    expect(pages.length).toBeLessThanOrEqual(3);
  });
});
