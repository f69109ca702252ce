import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';
import { RecordServer, type Stored } from '../../support/fhir/record-server.js';

const leo = { reference: 'Patient/leo' };
const result = (id: string, isPrivate: boolean): Stored => ({
  ...{ resourceType: 'Observation', id, subject: leo, encounter: { reference: `Encounter/${id}` } },
  valueDecimal: 1.5,
  ...(isPrivate && { meta: { security: [{ code: 'MH' }] } }),
});
const visit = (id: string): Stored => ({ resourceType: 'Encounter', id, subject: leo });

describe('A search by a user who acts for a patient, of which some is private', () => {
  let server: RecordServer;
  let gateway: TestGateway;
  let token: string;
  const without = { types: [], categories: [], securityLabels: ['MH'], codes: [] };
  const level = { id: 'x', label: 'X', kinds: 'full' as const, change: [], without };
  const decision = { permitted: true as const, levels: [level], basis: 'voluntary', relationship: 'r' };

  beforeAll(async () => {
    server = await new RecordServer().start();
    const represented = { protection: { categories: [] }, forRequest: async () => decision };
    gateway = await startGateway(server.upstream.url, {}, { represented });
    await gateway.loadCapabilities();
    token = gateway.tokenFor('patient/*.rs', { accountId: 'ana', patient: 'leo', representation: 'r' });
  });

  afterAll(async () => {
    await gateway.close();
    server.upstream.close();
  });

  /** Letters for the matches in their order: those in upper case are private. */
  const have = (order: string) =>
    server.have(...[...order].flatMap((one) => [result(one, one !== one.toLowerCase()), visit(one)]));

  /** The ids of the matches, and of what is included, on each page. */
  async function pagesOf(path: string): Promise<string[]> {
    const pages: string[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const response = await gateway.fetch(next, token);
      expect(response.status).toBe(200);
      const { entry = [], link = [] } = (await response.json()) as {
        entry?: { resource: Stored; search?: { mode?: string } }[];
        link?: { relation: string; url: string }[];
      };
      const ids = (mode: string) =>
        entry.flatMap(({ resource, search }) => ((search?.mode ?? 'match') === mode ? resource.id : [])).join('');
      pages.push([ids('match'), ids('include')].filter((text) => text !== '').join('+'));
      next = link.find(({ relation }) => relation === 'next')?.url.replace(gateway.base, '');
      expect(pages.length).toBeLessThan(20);
    }
    return pages;
  }

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
  ])('of %s has full pages, each of which is shown once', async (order, pages) => {
    have(order);
    expect(await pagesOf('/Observation?patient=leo&_count=2')).toEqual(pages);
  });

  it('has the included resources of the matches that it shows', async () => {
    have('aBcDef');
    const path = '/Observation?patient=leo&_count=2&_include=Observation:encounter:Encounter';
    expect(await pagesOf(path)).toEqual(['ac+ac', 'ef+ef']);
  });

  it('ends a page early after some pages of the server, and continues with the next one', async () => {
    have(`a${'B'.repeat(40)}c`);
    const pages = await pagesOf('/Observation?patient=leo&_count=2');
    expect(pages.join('')).toBe('ac');
    expect(pages.length).toBeLessThanOrEqual(3);
  });
});
