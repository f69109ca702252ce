import fc from 'fast-check';
import { DialectGateway, type TokenKind } from '../../support/fhir/dialect-gateway.js';
import { otherText } from '../../support/fhir/dialect-server/records.js';
import { type Dialect, dialects } from '../../support/fhir/dialects.js';
import { result, to } from '../../support/fhir/matrix/changes.js';
import { inTurn, runs } from '../../support/runs.js';

type Json = Record<string, unknown>;

const rows = dialects.map((dialect, row) => [dialect.name, dialect, row] as const);
const limited = ['patient', 'categories'] as const;

let gateway: DialectGateway;

/** The names by which a resource may be referred to. */
const spellings: Record<string, (address: string) => string> = {
  'its address': (address) => address,
  'a version': (address) => `${address}/_history/1`,
  'a fragment': (address) => `${address}#x`,
  'our base': (address) => `${gateway.gateway.base}/${address}`,
  'the base of the server': (address) => `${gateway.server.url}/${address}`,
  'another name of the server': (address) => `${gateway.server.alias}/${address}`,
  'another case': (address) => `${gateway.server.url.replace('http', 'HTTP')}/${address}`,
  'an escape': (address) => `${gateway.gateway.base}/${address.replace('/', '%2F')}`,
  'two slashes': (address) => `${gateway.gateway.base}//${address}`,
  'a dot segment': (address) => `${gateway.server.url}/x/../${address}`,
};
/** Elements of an Observation that refer. */
const places: Record<string, (reference: string) => Json> = {
  encounter: (reference) => ({ encounter: to(reference) }),
  derivedFrom: (reference) => ({ derivedFrom: [to('Observation/a-obs-1'), to(reference)] }),
  focus: (reference) => ({ focus: [to(reference)] }),
  extension: (reference) => ({ extension: [{ url: 'urn:x', valueReference: to(reference) }] }),
  'extension of a primitive': (reference) => ({
    _status: { extension: [{ url: 'urn:x', valueReference: to(reference) }] },
  }),
  contained: (reference) => ({ contained: [{ resourceType: 'List', id: 'c', entry: [{ item: to(reference) }] }] }),
  attachment: (reference) => ({ valueAttachment: { url: reference } }),
  narrative: (reference) => ({ text: { status: 'additional', div: `<div><a href="${reference}">x</a></div>` } }),
};
const types = { Encounter: 'enc', Condition: 'con', Observation: 'obs-1', DiagnosticReport: 'rep', Binary: 'bin' };

type Write = (kind: TokenKind, more: Json) => Promise<Response>;
const patchType = { 'content-type': 'application/json-patch+json' };
const inBundle = (type: string, method: string, url: string, resource: object) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ resource, request: { method, url } }],
});
const writes: Record<string, Write> = {
  create: (kind, more) => gateway.send('POST', '/Observation', kind, result(more)),
  update: (kind, more) => gateway.send('PUT', '/Observation/a-obs-2', kind, result({ id: 'a-obs-2', ...more })),
  'update of what is new': (kind, more) =>
    gateway.send('PUT', '/Observation/own', kind, result({ id: 'own', ...more })),
  patch: (kind, more) => {
    const patch = Object.entries(more).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
    return gateway.send('PATCH', '/Observation/a-obs-2', kind, patch, patchType);
  },
  transaction: (kind, more) =>
    gateway.send('POST', '/', kind, inBundle('transaction', 'POST', 'Observation', result(more))),
  'update in a transaction': (kind, more) =>
    gateway.send('POST', '/', kind, inBundle('transaction', 'PUT', 'Observation/own', result({ id: 'own', ...more }))),
  batch: (kind, more) => gateway.send('POST', '/', kind, inBundle('batch', 'POST', 'Observation', result(more))),
  'conditional create': (kind, more) =>
    gateway.send('POST', '/Observation', kind, result(more), { 'if-none-exist': 'identifier=none' }),
  'conditional update': (kind, more) => gateway.send('PUT', '/Observation?identifier=none', kind, result(more)),
};

/** The status of a write, also of one in a batch, with the words of its refusal. */
async function told(response: Response): Promise<{ status: number; words: string }> {
  const text = await response.text();
  const body = JSON.parse(text || '{}') as { entry?: { response?: { status?: string; outcome?: unknown } }[] };
  const part = body.entry?.[0]?.response;
  const status = part?.status === undefined ? response.status : Number(part.status.slice(0, 3));
  return { status, words: part?.outcome === undefined ? text : JSON.stringify(part.outcome) };
}

const refusedAs = (words: string) => words.replaceAll(/(?:TL|GH)-[\w-]+/g, 'reference');

const written = fc.record({
  kind: fc.constantFrom(...limited),
  write: fc.constantFrom(...Object.keys(writes)),
  place: fc.constantFrom(...Object.keys(places)),
  spelling: fc.constantFrom(...Object.keys(spellings)),
  type: fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[])),
});

async function start(dialect: Dialect): Promise<void> {
  gateway = await DialectGateway.start(dialect, ({ alias }) => ({ aliases: [alias] }));
}

describe.each(rows)('Behind the gateway %s', (_name, dialect, row) => {
  beforeAll(() => start(dialect));
  beforeEach(() => gateway.server.reset());
  afterAll(() => gateway.close());

  test('nothing is written that refers into another record, nor is told whether it exists', async () => {
    await fc.assert(
      fc.asyncProperty(written, async ({ kind, write, place, spelling, type }) => {
        const about = async (address: string) => {
          gateway.server.reset();
          const before = gateway.server.stored();
          const more = places[place]?.(spellings[spelling]?.(address) ?? '') ?? {};
          const answer = await told((await writes[write]?.(kind, more)) as Response);
          return { ...answer, isUnchanged: JSON.stringify(gateway.server.stored()) === JSON.stringify(before) };
        };
        const other = await about(`${type}/b-${types[type]}`);
        const missing = await about(`${type}/none`);
        expect([other.status, other.isUnchanged]).toEqual([403, true]);
        expect([missing.status, refusedAs(missing.words)]).toEqual([403, refusedAs(other.words)]);
      }),
      runs(12, 300),
    );
  });

  test.each(limited)('what refers to the own record is written with the token for %s', async (kind) => {
    const plain = ['its address', 'our base', 'the base of the server'];
    for (const place of inTurn(['encounter', 'derivedFrom', 'extension', 'contained'], row)) {
      for (const write of ['create', 'transaction', 'batch', 'update of what is new']) {
        for (const spelling of inTurn(plain, row)) {
          gateway.server.reset();
          const more = places[place]?.(spellings[spelling]?.('Encounter/a-enc') ?? '') ?? {};
          const { status } = await told((await writes[write]?.(kind, more)) as Response);
          expect([place, write, spelling, status]).toEqual([place, write, spelling, 201]);
        }
      }
    }
  });

  /** What is stored about two records, by the kind of resource. */
  const mixed: Record<string, (reference: string) => Json> = {
    List: (reference) => ({ status: 'current', subject: to('Patient/a'), entry: [{ item: to(reference) }] }),
    Provenance: (reference) => ({ target: [to('Observation/a-obs-1'), to(reference)], agent: [] }),
    AuditEvent: (reference) => ({ entity: [{ what: to('Patient/a') }, { what: to(reference) }] }),
    Observation: (reference) => ({ ...result(), focus: [to(reference)] }),
  };
  const stored = fc.record({
    kind: fc.constantFrom(...limited),
    type: fc.constantFrom(...Object.keys(mixed)),
    spelling: fc.constantFrom(...Object.keys(spellings)),
    target: fc.constantFrom('Patient/b', 'Condition/b-con', 'Observation/b-obs-1', 'Encounter/b-enc'),
  });
  const waysToRead = (type: string, id: string): string[] => [
    `/${type}/${id}`,
    `/${type}/${id}/_history`,
    `/${type}?_id=${id}`,
    `/${type}?patient=a`,
    `/Patient/a/${type}`,
    '/Patient/a/$everything',
    '/Observation?patient=a&_revinclude=Provenance:target',
    `/${type}?_id=${id}&_elements=status`,
    `/Observation?patient=a&_include=Observation:subject&_summary=true`,
  ];

  test('what is stored about two records is shown by no way to read', async () => {
    await fc.assert(
      fc.asyncProperty(stored, async ({ kind, type, spelling, target }) => {
        gateway.server.reset();
        const body = { resourceType: type, ...mixed[type]?.(spellings[spelling]?.(target) ?? '') };
        const made = gateway.server.store(body);
        for (const path of waysToRead(type, made.id)) {
          const text = await (await gateway.fetch(path, kind)).text();
          const { link: _link, ...shown } = JSON.parse(text) as { link?: unknown };
          expect([path, JSON.stringify(shown)]).toEqual([path, expect.not.stringMatching(foreign)]);
        }
      }),
      runs(6, 200),
    );
  });
});

const foreign = new RegExp(`${otherText}|(?:Patient|Condition|Observation|Encounter)(?:/|%2F)b(?:-|\\b)`);
