import type { AccessDetail, SeenKinds } from '../../../src/contract/audit/access-detail.js';
import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';
import { observationOf, searchset, sendFhir, useScriptedServer } from '../../support/fhir/scripted-server.js';

const server = useScriptedServer();
/** Tokens of the three kinds of scopes. */
const all = { system: 'system/*.cruds', user: 'user/*.cruds', patient: 'patient/*.cruds' };

function tokenOf(kind: keyof typeof all): string {
  const { gateway } = server;
  return gateway.tokenFor(all[kind], {
    ...(kind === 'user' && { fhirUser: `${gateway.base}/Practitioner/d1` }),
    ...(kind === 'patient' && { patient: 'p1' }),
  });
}

beforeEach(() => {
  server.gateway.audit.taken();
});

/** The patients of the events since the last call, with what was seen of each. */
function recorded(events: AccessDetail[] = server.gateway.audit.taken()): Record<string, SeenKinds> {
  const found: Record<string, SeenKinds> = {};
  for (const { patients = [], seen = [] } of events) {
    for (const [index, patient] of patients.entries()) {
      const sums = { ...found[patient] };
      for (const [kind, count] of Object.entries(seen[index] ?? {})) sums[kind] = (sums[kind] ?? 0) + count;
      found[patient] = sums;
    }
  }
  return found;
}

function send(method: string, path: string, body?: unknown, token = server.systemToken, headers: object = {}) {
  const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/fhir+json';
  return server.gateway.fetch(path, token, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
  });
}

const versioned = (resource: object) => ({ ...resource, meta: { versionId: '1' } });
const fresh = ({ id: _, ...resource }: ReturnType<typeof observationOf>) => resource;

describe.each(['system', 'user', 'patient'] as const)('with a %s/ scope the record of', (kind) => {
  const token = () => tokenOf(kind);
  const about = (id: string) => versioned(observationOf(id));

  test('a read names the patient whom the resource is about', async () => {
    server.behave = (_request, response) => sendFhir(response, about('p1'));
    expect((await send('GET', '/Observation/o1', undefined, token())).status).toBe(200);
    expect(recorded()).toEqual({ p1: { Observation: 1 } });
  });

  test('a search names the patients of what was answered, and none when that is nothing', async () => {
    server.behave = (_request, response) => sendFhir(response, searchset([about('p1'), about('p1'), about('p2')]));
    expect((await send('GET', '/Observation?code=x', undefined, token())).status).toBe(200);
    expect(recorded()).toEqual(
      kind === 'patient' ? { p1: { Observation: 2 } } : { p1: { Observation: 2 }, p2: { Observation: 1 } },
    );
    server.behave = (_request, response) => sendFhir(response, searchset([]));
    await send('GET', '/Observation?code=x', undefined, token());
    expect(server.gateway.audit.taken().map(({ patients, seen }) => [patients, seen])).toEqual([[[], []]]);
  });

  test('HEAD, or an answer that nothing has changed, names no patient', async () => {
    server.behave = ({ headers }, response) => {
      if (headers['if-none-match'] === undefined) sendFhir(response, about('p1'), 200, { ETag: 'W/"1"' });
      else response.writeHead(304, { ETag: 'W/"1"' }).end();
    };
    expect((await send('HEAD', '/Observation/o1', undefined, token())).status).toBe(200);
    const unchanged = await send('GET', '/Observation/o1', undefined, token(), { 'if-none-match': 'W/"1"' });
    expect([unchanged.status, recorded()]).toEqual([304, {}]);
  });

  test('a create, an update, a patch and a deletion names the patient, also where nothing is answered', async () => {
    server.behave = ({ method }, response) => {
      if (method === 'GET') sendFhir(response, about('p1'), 200, { ETag: 'W/"1"' });
      else response.writeHead(method === 'POST' ? 201 : 200).end();
    };
    const once = { p1: { Observation: 1 } };
    expect((await send('POST', '/Observation', fresh(observationOf('p1')), token())).status).toBe(201);
    expect(recorded()).toEqual(once);
    expect((await send('PUT', '/Observation/o1', observationOf('p1'), token())).status).toBe(200);
    expect(recorded()).toEqual(once);
    const patch = [{ op: 'add', path: '/status', value: 'final' }];
    expect((await send('PATCH', '/Observation/o1', patch, token())).status).toBe(200);
    expect(recorded()).toEqual(once);
    expect((await send('DELETE', '/Observation/o1', undefined, token())).status).toBe(200);
    expect(recorded()).toEqual(once);
  });

  test('a change that is answered with the resource counts it once', async () => {
    server.behave = (_request, response) => sendFhir(response, about('p1'), 200, { ETag: 'W/"1"' });
    expect((await send('PUT', '/Observation/o1', observationOf('p1'), token())).status).toBe(200);
    expect(recorded()).toEqual({ p1: { Observation: 1 } });
  });

  test('a transaction names the patients of what was written, deleted and answered', async () => {
    server.behave = ({ method }, response) =>
      method === 'GET'
        ? sendFhir(response, about('p1'), 200, { ETag: 'W/"1"' })
        : sendFhir(response, { resourceType: 'Bundle', type: 'transaction-response', entry: [] });
    const entry = [
      {
        request: { method: 'POST', url: 'Condition' },
        resource: { resourceType: 'Condition', subject: { reference: 'Patient/p1' } },
      },
      { request: { method: 'DELETE', url: 'Observation/o1' } },
    ];
    const answer = await send('POST', '', { resourceType: 'Bundle', type: 'transaction', entry }, token());
    expect([answer.status, recorded()]).toEqual([200, { p1: { Condition: 1, Observation: 1 } }]);
  });

  test('a batch names no patient by itself, and each of its requests the patients of its own answer', async () => {
    server.behave = (_request, response) => sendFhir(response, about('p1'));
    const get = (url: string) => ({ request: { method: 'GET', url } });
    const entry = [get('Observation/o1'), get('Observation/o2?x')];
    await send('POST', '', { resourceType: 'Bundle', type: 'batch', entry }, token());
    const events = server.gateway.audit.taken();
    expect(events.map(({ target, status, patients }) => [target, status, patients])).toEqual([
      ['/Observation/o1', 200, ['p1']],
      ['/Observation/o2?x', 403, kind === 'patient' ? ['p1'] : undefined],
      ['', 200, []],
    ]);
  });

  test('a refused request names the patient in context, or the one in the address', async () => {
    server.behave = (_request, response) => sendFhir(response, about('p2'), 404);
    expect((await send('GET', '/Patient/p7', undefined, token())).status).toBe(404);
    const [event] = server.gateway.audit.taken();
    expect([event?.patients, event?.seen]).toEqual([[kind === 'patient' ? 'p1' : 'p7'], undefined]);
  });
});

describe('with a token for all resources the record of', () => {
  test('an update names the patient of the resource as it is now, a patch also the one that it was about', async () => {
    server.behave = ({ method }, response) => sendFhir(response, observationOf(method === 'GET' ? 'p1' : 'p2'));
    const patch = [{ op: 'replace', path: '/subject/reference', value: 'Patient/p2' }];
    await send('PATCH', '/Observation/o1', patch);
    expect(recorded()).toEqual({ p1: { Observation: 1 }, p2: { Observation: 1 } });
  });

  test('a new Patient names it by the id that the server gave it, and not by the one in the body', async () => {
    server.behave = (_request, response) =>
      response.writeHead(201, { Location: `${server.upstream.url}/Patient/p9/_history/1` }).end();
    await send('POST', '/Patient', { resourceType: 'Patient', id: 'p1' });
    expect(recorded()).toEqual({ p9: { Patient: 1 } });
  });

  test('a transaction names a new Patient, and resources that refer to it within the transaction', async () => {
    server.behave = (_request, response) =>
      sendFhir(response, {
        resourceType: 'Bundle',
        type: 'transaction-response',
        entry: [{ response: { location: 'Patient/p9/_history/1' } }, { response: { location: 'Observation/o9' } }],
      });
    const entry = [
      { fullUrl: 'urn:uuid:1', request: { method: 'POST', url: 'Patient' }, resource: { resourceType: 'Patient' } },
      {
        request: { method: 'POST', url: 'Observation' },
        resource: { resourceType: 'Observation', subject: { reference: 'urn:uuid:1' } },
      },
    ];
    await send('POST', '', { resourceType: 'Bundle', type: 'transaction', entry });
    expect(recorded()).toEqual({ p9: { Patient: 1, Observation: 1 } });
  });

  test('a conditional create that has found a match names no patient whose data was not answered', async () => {
    server.behave = (_request, response) => response.writeHead(200).end();
    await send('POST', '/Observation', fresh(observationOf('p1')), server.systemToken, {
      'if-none-exist': 'identifier=a',
    });
    expect(recorded()).toEqual({});
  });

  test('a deletion is made and recorded where the resource cannot be read', async () => {
    server.behave = ({ method }, response) =>
      method === 'GET' ? sendFhir(response, 'no JSON', 200) : response.writeHead(204).end();
    expect((await send('DELETE', '/Observation/o1')).status).toBe(204);
    expect(server.gateway.audit.taken()).toMatchObject([{ status: 204, resource: 'Observation/o1', patients: [] }]);
    expect((await send('DELETE', '/Patient/p1')).status).toBe(204);
    expect(recorded()).toEqual({ p1: { Patient: 1 } });
  });

  test('an export has one key for its start, its progress and its files, and no address of the server', async () => {
    server.behave = ({ url = '' }, response) => {
      if (url.includes('$export'))
        response.writeHead(202, { 'Content-Location': `${server.upstream.url}/job?secret=4711` }).end();
      else if (url.includes('/job'))
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ output: [{ type: 'Observation', url: `${server.upstream.url}/file/1` }] }));
      else
        response
          .writeHead(200, { 'Content-Type': 'application/fhir+ndjson' })
          .end(['p1', 'p2', 'p1'].map((id) => `${JSON.stringify(observationOf(id))}\n`).join(''));
    };
    const follow = (url: string) => send('GET', url.slice(server.gateway.base.length));
    const start = await send('GET', '/$export', undefined, server.systemToken, { prefer: 'respond-async' });
    const manifest = (await (await follow(start.headers.get('content-location') ?? '')).json()) as {
      output: { url: string }[];
    };
    const file = await follow(manifest.output[0]?.url ?? '');
    expect((await file.text()).split('\n')).toHaveLength(4);
    const events = server.gateway.audit.taken();
    const keys = new Set(events.map((event) => event.export));
    const begun = events.filter(({ part }) => part === undefined);
    expect([begun.length, keys.size, JSON.stringify(events).includes('4711')]).toEqual([3, 1, false]);
    expect([...keys][0]).toMatch(/^[\w-]{43}$/);
    expect(recorded(events)).toEqual({ p1: { Observation: 2 }, p2: { Observation: 1 } });
  });

  test('an answer about 1,200 patients has three parts, with the sums of all', async () => {
    const many = Array.from({ length: 1_200 }, (_, number) => observationOf(`p${number}`));
    server.behave = (_request, response) => sendFhir(response, searchset(many));
    await (await send('GET', '/Observation?code=x')).text();
    const events = server.gateway.audit.taken();
    expect(new Set(events.flatMap(({ patients = [] }) => patients)).size).toBe(1_200);
    expect(Math.max(...events.map(({ patients = [] }) => patients.length))).toBeLessThanOrEqual(500);
    expect(events.map(({ part }) => part)).toEqual([undefined, ...events.slice(1).map((_, index) => index + 2)]);
  });
});

describe('an answer that is not as it should be passes as before, and the record names', () => {
  const deep = `${'{"resourceType":"Observation","contained":['.repeat(2_000)}${JSON.stringify(observationOf('p1'))}${']}'.repeat(2_000)}`;

  test.each<[string, string, object]>([
    ['no patient in a text that is no JSON', 'garbage', {}],
    ['no patient by an id that FHIR does not allow', JSON.stringify(observationOf('p1\u0000')), {}],
    ['no patient by an id of 100,000 characters', JSON.stringify(observationOf('1'.repeat(100_000))), {}],
    ['the patient after a byte order mark', `\uFEFF${JSON.stringify(observationOf('p1'))}`, { p1: { Observation: 1 } }],
    [
      'the last of two members of one name',
      '{"resourceType":"Observation","subject":{"reference":"Patient/p1"},"subject":{"reference":"Patient/p2"}}',
      { p2: { Observation: 1 } },
    ],
    ['the patient below 2,000 levels', deep, { p1: { Observation: 1 } }],
    [
      'the patient in text that is cut off',
      JSON.stringify(observationOf('p1')).slice(0, -1),
      { p1: { Observation: 1 } },
    ],
  ])('%s', async (_what, text, expected) => {
    for (const length of [true, false]) {
      server.behave = (_request, response) => {
        const bytes = Buffer.from(text);
        response.writeHead(200, {
          'Content-Type': 'application/fhir+json',
          ...(length && { 'Content-Length': bytes.length }),
        });
        response.end(bytes);
      };
      const answer = await send('GET', '/Observation/o1');
      const arrived = Buffer.from(await answer.arrayBuffer()).toString();
      // A byte order mark is left out (RFC 8259 §8.1).
      expect([answer.status, arrived === text.replace('\uFEFF', ''), recorded()]).toEqual([200, true, expected]);
    }
  });
});

test('an answer that cannot be recorded is 503 before it has begun, and breaks off later', async () => {
  const { audit } = server.gateway;
  const many = Array.from({ length: 3_000 }, (_, number) => observationOf(`p${number}`));
  server.behave = (_request, response) => sendFhir(response, searchset(many));
  try {
    audit.isWritten = async () => false;
    expect((await send('GET', '/Observation?code=x')).status).toBe(503);
    const named = new Set(audit.taken().flatMap(({ patients = [] }) => patients));
    expect(named.size).toBeGreaterThan(0);
    let writes = 0;
    audit.isWritten = async () => {
      writes += 1;
      return writes <= 2;
    };
    const answer = await send('GET', '/Observation?code=x');
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  } finally {
    audit.isWritten = async () => true;
    audit.taken();
  }
});

test('attribution by context records only the patient of the token or the address, and reads nothing for it', async () => {
  const gateway: TestGateway = await startGateway(server.upstream.url, {}, { audit: { attribution: 'context' } });
  try {
    server.behave = (_request, response) => sendFhir(response, searchset([observationOf('p1'), observationOf('p2')]));
    const token = gateway.tokenFor('system/*.cruds');
    await gateway.fetch('/Observation?code=x', token);
    await gateway.fetch('/Patient/p3/Observation?code=x', token);
    await gateway.fetch('/Observation?code=x', gateway.tokenFor('system/*.rs', { patient: 'p4' }));
    await gateway.fetch('/Observation/o1', token, { method: 'DELETE' });
    expect(gateway.audit.taken().map(({ patients, seen }) => [patients, seen])).toEqual([
      [undefined, undefined],
      [['p3'], undefined],
      [['p4'], undefined],
      [undefined, undefined],
    ]);
    expect(server.upstream.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'DELETE']);
  } finally {
    await gateway.close();
  }
});
