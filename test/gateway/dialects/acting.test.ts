import { DialectGateway } from '../../support/fhir/dialect-gateway.js';
import { otherText } from '../../support/fhir/dialect-server/records.js';
import { dialects } from '../../support/fhir/dialects.js';

const without = { types: [], categories: ['Observation/laboratory'], securityLabels: [], codes: [] };
const level = { id: 'x', label: 'X', kinds: 'full' as const, change: 'full' as const, without };
const represented = {
  protection: without,
  forRequest: async () => ({ permitted: true as const, levels: [level], basis: 'voluntary', relationship: 'r' }),
};

interface Bundle {
  entry?: { resource: { id: string; resourceType: string }; search?: { mode?: string } }[];
  link?: { relation: string; url: string }[];
  total?: number;
}

/** Laboratory results, which the first four observations are, are private. */
describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
  'Who acts for a patient, at %s,',
  (_, dialect) => {
    let gateway: DialectGateway;

    beforeAll(async () => {
      const outbound = { allowedPrivateHosts: ['localhost'] };
      gateway = await DialectGateway.start(dialect, {}, { outbound, represented });
      gateway.server.longestPage = 3;
    });

    beforeEach(() => gateway.server.reset());

    afterAll(() => gateway.close());

    const ask = async (path: string, init: RequestInit = {}) => {
      const headers = { accept: 'application/fhir+json', ...init.headers };
      const response = await gateway.fetch(path, 'acting', { ...init, headers });
      const text = await response.text();
      expect(text).not.toContain(otherText);
      return { status: response.status, text };
    };

    async function pagesOf(path: string, init?: RequestInit): Promise<string[][]> {
      const pages: string[][] = [];
      let [at, how]: [string | undefined, RequestInit | undefined] = [path, init];
      while (at !== undefined && pages.length < 30) {
        const { status, text } = await ask(at, how);
        expect([at, status]).toEqual([at, 200]);
        const { entry = [], link = [] } = JSON.parse(text) as Bundle;
        pages.push(entry.map(({ resource }) => resource.id));
        const next = link.find(({ relation }) => relation === 'next')?.url;
        [at, how] = [next?.replace(gateway.gateway.base, ''), undefined];
      }
      return pages;
    }

    it('gets pages without what is private, of the length that was asked for', async () => {
      const shown = [['a-obs-5', 'a-obs-6'], ['a-obs-7']];
      expect(await pagesOf('/Observation?patient=a&_count=2')).toEqual(shown);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const posted = { method: 'POST', headers, body: 'patient=a&_count=2' };
      expect(await pagesOf('/Observation/_search', posted)).toEqual(shown);
      const pages = await pagesOf('/Patient/a/$everything?_count=4');
      expect(pages.flat()).toEqual(expect.arrayContaining(['a', 'a-enc', 'a-obs-5', 'a-rep']));
      for (const id of ['a-obs-1', 'a-rel', 'audit', 'b']) expect(pages.flat()).not.toContain(id);
      expect(new Set(pages.flat()).size).toBe(pages.flat().length);
      expect(pages.at(-1)).not.toEqual([]);
    });

    it('gets counts and single resources without what is private', async () => {
      for (const query of ['_summary=count', '_count=0', '_total=accurate']) {
        expect([query, JSON.parse((await ask(`/Observation?patient=a&${query}`)).text).total]).toEqual([query, 3]);
      }
      for (const [path, expected] of [
        ['Observation/a-obs-5', 200],
        ['Observation/a-obs-1', 404],
        ['Observation/a-obs-1/_history', 404],
        ['Observation/a-obs-1/_history/1', 404],
        ['Observation/b-obs-5', 404],
        ['Observation?category=laboratory', 403],
        ['Observation?patient=a&_offset=1', 403],
        ['DiagnosticReport/a-rep', 200],
        ['Binary/a-bin', 200],
        ['RelatedPerson/a-rel', 403],
        ['AuditEvent?patient=a', 403],
      ] as const) {
        expect([path, (await ask(`/${path}`)).status]).toEqual([path, expected]);
      }
    });

    it('changes and finds by a condition only what is shown', async () => {
      // A change has to be bound to the version that was checked.
      const changed = dialect.versions ? ['done', true] : [403, false];
      const stored = (id: string) => gateway.server.stored().find((one) => one.id === id);
      const send = async (
        method: string,
        path: string,
        body: object | undefined,
        more: Record<string, string> = {},
      ) => {
        const before = JSON.stringify(gateway.server.stored());
        const headers = { ...(body && { 'content-type': 'application/fhir+json' }), ...more };
        const { status } = await ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
        return [status < 300 ? 'done' : status, JSON.stringify(gateway.server.stored()) !== before];
      };
      const [blood, pulse] = [stored('a-obs-1') ?? {}, stored('a-obs-5') ?? {}];
      const { id: _id, ...fresh } = pulse as { id?: string };
      expect(await send('PUT', '/Observation/a-obs-1', { ...pulse, id: 'a-obs-1' })).toEqual([404, false]);
      expect(await send('DELETE', '/Observation/a-obs-1', undefined)).toEqual([404, false]);
      expect(await send('POST', '/Observation', { ...blood, id: undefined })).toEqual([403, false]);
      expect(
        await send('PUT', '/Observation/a-obs-5', { ...pulse, category: (blood as { category?: object }).category }),
      ).toEqual([403, false]);
      const condition = (value: string) => ({ 'if-none-exist': `identifier=https://hospital.example/obs|${value}` });
      expect(await send('POST', '/Observation', fresh, condition('a-5'))).toEqual(['done', false]);
      expect(await send('POST', '/Observation', fresh, condition('a-1'))).toEqual(['done', true]);
      expect(await send('PUT', '/Observation/a-obs-5', { ...pulse, status: 'amended' })).toEqual(changed);
      expect(await send('DELETE', '/Observation/a-obs-6', undefined)).toEqual(changed);
    });
  },
);
