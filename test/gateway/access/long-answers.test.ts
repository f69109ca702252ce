import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';
import { observationOf, refusalIn } from '../../support/fhir/scripted-server.js';
import { until } from '../../support/until.js';

const mb = 1024 * 1024;
const operation = [{ name: 'everything', definition: 'x' }];
const resource = ['Patient', 'Observation', 'List', 'Encounter'].map((type) => ({
  type,
  operation,
  searchParam: [{ name: 'patient' }, { name: 'category' }],
}));
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', operation, resource }],
};
const laboratory = { category: [{ coding: [{ code: 'laboratory' }] }] };
const note = [{ text: 'x'.repeat(20_000) }];
const count = 160;
/** Each fourth resource is of another patient. */
const isOwn = (index: number) => index % 4 !== 3;
const observations = Array.from({ length: count }, (_, index) =>
  observationOf(isOwn(index) ? 'p1' : 'p2', { ...laboratory, id: `o${index}`, note }),
);
const own = observations.filter((_, index) => isOwn(index)).map(({ id }) => `Observation/${id}`);

let upstream: Upstream;
let gateway: TestGateway;
/** Writes what follows the entries of the answer. */
let finish: (response: ServerResponse) => void;
let bundle: { type: string; entries: object[]; head: string };
/** True if the node of the server was left. */
let hasClosed: boolean;

beforeAll(async () => {
  upstream = await startUpstream(async ({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/fhir+json' });
    if (url.includes('metadata')) return response.end(JSON.stringify(metadata));
    response.once('close', () => {
      hasClosed = true;
    });
    const entries = bundle.entries.map((one, index) => `${index === 0 ? '' : ','}${JSON.stringify({ resource: one })}`);
    await pipeline(Readable.from([`{${bundle.head}"entry":[`, ...entries]), response, { end: false }).catch(
      () => undefined,
    );
    if (!response.destroyed) finish(response);
  });
  const limits = { answerMegabytes: 1, heldMegabytes: 1 };
  gateway = await startGateway(upstream.url, {}, { limits });
  await gateway.loadCapabilities();
});

beforeEach(() => {
  hasClosed = false;
  bundle = { type: 'searchset', entries: observations, head: '"resourceType":"Bundle","type":"searchset",' };
  finish = (response) => response.end(']}');
  gateway.audit.taken();
});

afterAll(async () => {
  await gateway.close();
  upstream.close();
});

const ofPatient = () => gateway.tokenFor('patient/*.rs', { patient: 'p1' });
const tokens: Record<string, () => string> = {
  'a patient': ofPatient,
  'a user who is a patient': () => gateway.tokenFor('user/*.rs', { fhirUser: `${gateway.base}/Patient/p1` }),
  'categories of a patient': () =>
    gateway.tokenFor('patient/*.rs?category=laboratory patient/Patient.rs', { patient: 'p1' }),
};
const idsIn = (text: string) =>
  (JSON.parse(text) as { entry: { resource: { resourceType: string; id: string } }[] }).entry.map(
    ({ resource }) => `${resource.resourceType}/${resource.id}`,
  );

describe.each(Object.entries(tokens))('an answer of twice the largest resource, under a token for %s', (_, token) => {
  test.each([
    ['a search', '/Observation'],
    ['a search in several categories', '/Observation?category=laboratory'],
    ['$everything', '/Patient/p1/$everything'],
  ])('to %s passes, with what is permitted and the record of it', async (_, path) => {
    const answer = await gateway.fetch(path, token());
    const text = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/fhir+json; charset=utf-8']);
    expect(text.length).toBeGreaterThan(2 * mb);
    expect(idsIn(text)).toEqual(own);
    const events = gateway.audit.taken();
    expect(new Set(events.flatMap(({ patients }) => patients))).toEqual(new Set(['p1']));
    const seen = events.flatMap((event) => event.seen ?? []).flatMap((kinds) => Object.values(kinds));
    expect(seen.reduce((sum, one) => sum + one, 0)).toBe(own.length);
  });

  test('to a history passes, and is 404 without a permitted version', async () => {
    const head = '"resourceType":"Bundle","type":"history",';
    const versions = (patient: string) =>
      observations.map((one) => ({ ...observationOf(patient, { ...laboratory, note }), meta: { tag: one.id } }));
    bundle = { type: 'history', head, entries: versions('p1') };
    const answer = await gateway.fetch('/Observation/o1/_history', token());
    expect([answer.status, idsIn(await answer.text()).length]).toEqual([200, count]);
    bundle = { type: 'history', head, entries: versions('p2') };
    expect((await gateway.fetch('/Observation/o1/_history', token())).status).toBe(404);
  });
});

describe('a long answer to a limited token', () => {
  const read = async (path = '/Observation') => {
    const answer = await gateway.fetch(path, ofPatient());
    return { status: answer.status, text: await answer.text() };
  };

  test.each<[string, (response: ServerResponse) => void]>([
    ['whose connection breaks', (response) => response.destroy()],
    ['that ends too early', (response) => response.end(']')],
    ['that becomes no JSON', (response) => response.end(',{]}')],
    ['that turns out to be of another kind', (response) => response.end('],"type":"history"}')],
    ['that has a resource too large to be checked', (response) => response.end(`,"${'x'.repeat(2 * mb)}"]}`)],
  ])('%s breaks off, so that no app takes it for the whole', async (_, end) => {
    bundle.head = '"resourceType":"Bundle",';
    finish = end;
    const answer = await gateway.fetch('/Observation', ofPatient());
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  test.each<[string, string, number]>([
    ['is no Bundle', '"resourceType":"List",', 502],
    ['is of another kind', '"resourceType":"Bundle","type":"history",', 502],
    ['has a member that is too large', `"resourceType":"Bundle","x":"${'x'.repeat(2 * mb)}",`, 502],
  ])('that %s is refused before any of it is passed on', async (_, head, status) => {
    bundle.head = head;
    const refusal = await refusalIn(await gateway.fetch('/Observation', ofPatient()));
    expect(refusal.status).toBe(status);
    await until(() => hasClosed);
  });

  test('is checked as a whole where matches decide about included resources', async () => {
    const { status, text } = await read('/Observation?_include=Observation:encounter');
    expect([status, text]).toEqual([502, expect.stringContaining('over 1 MB')]);
  });

  test('in a batch is part of its answer, and a failure of one that breaks off', async () => {
    const batch = async () => {
      const entry = [{ request: { method: 'GET', url: 'Observation?_count=1' } }];
      bundle.entries = observations.slice(0, 20);
      const answer = await gateway.fetch('/', ofPatient(), {
        method: 'POST',
        headers: { 'content-type': 'application/fhir+json' },
        body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
      });
      return (await answer.json()) as { entry: { resource?: object; response: { status: string } }[] };
    };
    expect(idsIn(JSON.stringify((await batch()).entry[0]?.resource))).toEqual(own.slice(0, 15));
    finish = (response) => response.destroy();
    expect((await batch()).entry[0]).toMatchObject({ response: { status: '502' } });
  });

  test('shows a List with what it names, wherever that stands in the answer, without asking for it', async () => {
    const list = (id: string, items: string[]) => ({
      resourceType: 'List',
      id,
      subject: { reference: 'Patient/p1' },
      entry: items.map((reference) => ({ item: { reference } })),
    });
    bundle.entries = [list('own', own), list('mixed', ['Observation/o0', 'Observation/o3']), ...observations];
    upstream.requests.length = 0;
    const { status, text } = await read('/Patient/p1/$everything');
    expect([status, idsIn(text)]).toEqual([200, [...own, 'List/own']]);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/r4/Patient/p1/$everything']);
  });

  test('is given up at the server when its reader goes, and when it cannot be recorded', async () => {
    finish = () => undefined;
    const reader = new AbortController();
    await gateway.fetch('/Observation', ofPatient(), { signal: reader.signal });
    reader.abort();
    await until(() => hasClosed);
    hasClosed = false;
    gateway.audit.isWritten = async () => false;
    const refused = await gateway.fetch('/Observation', ofPatient());
    gateway.audit.isWritten = async () => true;
    expect(refused.status).toBe(503);
    await until(() => hasClosed);
  });

  test('has no time limit for its reader, as long as the server goes on', async () => {
    const answer = await gateway.fetch('/Observation', ofPatient());
    await sleep(300);
    expect(idsIn(await answer.text())).toEqual(own);
  });
});
