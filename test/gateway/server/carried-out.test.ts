import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { OperationOutcome } from '@medplum/fhirtypes';
import { observationOf, sendFhir, useScriptedServer } from '../../support/fhir/scripted-server.js';

const server = useScriptedServer();
const labs = { category: [{ coding: [{ code: 'laboratory' }] }] };
const observation = observationOf('p1', labs);
const json = { 'content-type': 'application/fhir+json' };

/** A token of each kind. */
let tokens: Record<string, string>;
beforeAll(() => {
  const { gateway, systemToken } = server;
  tokens = {
    everything: systemToken,
    'one patient': gateway.tokenFor('patient/*.cruds', { patient: 'p1' }),
    categories: gateway.tokenFor('patient/Observation.cruds?category=laboratory', { patient: 'p1' }),
    'a practitioner': gateway.tokenFor('user/*.cruds', { fhirUser: `${gateway.base}/Practitioner/d` }),
    'a service with a list of types': gateway.tokenFor('system/Observation.cruds system/Patient.rs'),
  };
});
const tokenKinds = ['everything', 'one patient', 'categories', 'a practitioner', 'a service with a list of types'];

const bundle = (type: string) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ resource: { ...observation, id: undefined }, request: { method: 'POST', url: 'Observation' } }],
});

/** Changes, and the status with which the server carries them out. */
const changes: readonly [what: string, method: string, path: string, body: unknown, status: number][] = [
  ['a create', 'POST', '/Observation', { ...observation, id: undefined }, 201],
  ['an update', 'PUT', '/Observation/o1', observation, 200],
  ['a patch', 'PATCH', '/Observation/o1', [{ op: 'add', path: '/status', value: 'final' }], 200],
  ['a deletion', 'DELETE', '/Observation/o1', undefined, 200],
  ['a transaction', 'POST', '/', bundle('transaction'), 200],
];

/** What becomes of the answer after the server has carried the change out. */
const faults: readonly [
  what: string,
  fail: (response: ServerResponse, status: number, headers: Record<string, string>) => void,
][] = [
  [
    'broken JSON',
    (response, status, headers) => sendFhir(response, '{"resourceType":"Observation","id":"o1"', status, headers),
  ],
  [
    'HTML',
    (response, status, headers) =>
      response.writeHead(status, { ...headers, 'Content-Type': 'text/html' }).end('<html>'),
  ],
  ['a body without a type', (response, status, headers) => response.writeHead(status, headers).end('x')],
  [
    'an unknown coding',
    (response, status, headers) => sendFhir(response, 'x', status, { ...headers, 'Content-Encoding': 'compress' }),
  ],
  [
    'a coding that is cut off',
    (response, status, headers) => {
      response.writeHead(status, { ...json, ...headers, 'Content-Encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(observation)).subarray(0, 40));
    },
  ],
  [
    'a resource of another type',
    (response, status, headers) => sendFhir(response, { resourceType: 'Basic', id: 'x' }, status, headers),
  ],
  [
    'a connection that breaks after the head',
    (response, status, headers) => {
      response.writeHead(status, { ...json, ...headers, 'Content-Length': '1000' });
      response.write('{"resourceType":"Obs', () => response.destroy());
    },
  ],
  [
    'a connection that breaks in the midst of chunks',
    (response, status, headers) => {
      response.writeHead(status, { ...json, ...headers });
      response.write('{"resourceType":"Obs', () => response.destroy());
    },
  ],
];

function send([, method, path, body]: (typeof changes)[number], token: string): Promise<Response> {
  const type = method === 'PATCH' ? 'application/json-patch+json' : json['content-type'];
  const init =
    body === undefined ? { method } : { method, body: JSON.stringify(body), headers: { 'content-type': type } };
  return server.gateway.fetch(path, token, init);
}

/** Answers reads by the resource, and changes by `change`. */
function behave(change: (response: ServerResponse) => void): void {
  server.behave = (request, response) => {
    if (request.method === 'GET') sendFhir(response, observation, 200, { ETag: 'W/"1"' });
    else change(response);
  };
}

const changesSent = () => server.upstream.requests.filter(({ method }) => method !== 'GET').length;

describe.each(tokenKinds)('With a token for %s', (kind) => {
  test.each(faults)('%s in the answer to a change is not told as a failure', async (_what, fail) => {
    for (const change of changes) {
      const [what, , , , status] = change;
      server.upstream.requests.length = 0;
      const address = 'Observation/o1/_history/2';
      behave((response) => fail(response, status, { Location: `${server.upstream.url}/${address}`, ETag: 'W/"2"' }));
      const response = await send(change, tokens[kind] ?? '');
      const told = (await response.json()) as OperationOutcome;
      // Everything is permitted, so the type of the answer does not count.
      if (told.resourceType !== 'OperationOutcome') {
        expect([what, told.resourceType, kind]).toEqual([
          what,
          'Basic',
          expect.stringMatching(/everything|practitioner/),
        ]);
        continue;
      }
      expect([what, response.status, response.headers.get('location'), response.headers.get('etag')]).toEqual([
        what,
        status,
        `${server.gateway.base}/${address}`,
        'W/"2"',
      ]);
      expect(told.issue[0]).toMatchObject({
        severity: expect.stringMatching(/^(warning|information)$/),
        diagnostics: expect.stringContaining('carried the request out'),
      });
      expect(changesSent()).toBe(1);
    }
  });

  test('a connection that breaks before the answer leaves the outcome of a change open', async () => {
    for (const change of changes) {
      server.upstream.requests.length = 0;
      behave((response) => response.destroy());
      const response = await send(change, tokens[kind] ?? '');
      const told = (await response.json()) as OperationOutcome;
      expect([change[0], response.status, told.issue[0]?.diagnostics]).toEqual([
        change[0],
        502,
        'The connection to the FHIR server broke. It is not known whether the change was made.',
      ]);
      expect(changesSent()).toBe(1);
    }
  });

  test.each([
    [500, 502],
    [502, 502],
    [504, 504],
  ])('a %s leaves the outcome of a change open', async (status, expected) => {
    for (const change of changes) {
      behave((response) => response.writeHead(status).end());
      const response = await send(change, tokens[kind] ?? '');
      const told = (await response.json()) as OperationOutcome;
      expect([change[0], response.status]).toEqual([change[0], expected]);
      expect(told.issue[0]?.diagnostics).toContain('It is not known whether the change was made.');
    }
  });

  test('an answer without content is passed on as it is', async () => {
    for (const [status, headers] of [
      [204, json],
      [200, { ...json, 'Content-Length': '0' }],
      [200, json],
      [202, {}],
    ] as const) {
      for (const change of changes) {
        behave((response) => {
          response.writeProcessing();
          response.writeHead(status, { ...headers, ETag: 'W/"2"' }).end();
        });
        const response = await send(change, tokens[kind] ?? '');
        expect([change[0], response.status, response.headers.get('etag'), await response.text()]).toEqual([
          change[0],
          status,
          'W/"2"',
          '',
        ]);
      }
    }
  });
});

test('a server that does not answer a change in time leaves its outcome open', async () => {
  behave(() => undefined);
  const response = await send(['', 'POST', '/Observation', observation, 201], tokens['one patient'] ?? '');
  const told = (await response.json()) as OperationOutcome;
  expect([response.status, told.issue[0]?.diagnostics]).toEqual([
    504,
    'The FHIR server did not answer in time. It is not known whether the change was made.',
  ]);
});

test('an answer to a change that never ends is given up, and not told as a failure', async () => {
  behave((response) => {
    response.writeHead(201, { ...json, ETag: 'W/"1"' });
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
  });
  const response = await send(['', 'POST', '/Observation', observation, 201], tokens.everything ?? '');
  expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([
    201,
    'W/"1"',
    expect.stringContaining('carried the request out'),
  ]);
});

test('a change in a batch is told like one of its own', async () => {
  behave((response) =>
    response
      .writeHead(201, { 'Content-Type': 'text/html', Location: `${server.upstream.url}/Observation/n` })
      .end('<html>'),
  );
  const response = await send(['', 'POST', '/', bundle('batch'), 200], tokens['one patient'] ?? '');
  const { entry } = (await response.json()) as { entry: unknown[] };
  expect(entry).toEqual([
    {
      response: {
        status: '201',
        location: `${server.gateway.base}/Observation/n`,
        outcome: expect.objectContaining({ resourceType: 'OperationOutcome' }),
      },
    },
  ]);
});

describe('An answer that is compressed unasked', () => {
  const codings = { gzip: gzipSync, br: brotliCompressSync };

  test.each(Object.entries(codings))('by %s is read, with each kind of token', async (coding, compress) => {
    const compressed = (response: ServerResponse, body: unknown, status: number) => {
      response.writeHead(status, {
        'Content-Type': 'Application/JSON+FHIR; Charset="UTF-8"',
        'Content-Encoding': coding,
        ETag: 'W/"1"',
      });
      response.end(compress(`\uFEFF${JSON.stringify(body)}`));
    };
    const searchset = { resourceType: 'Bundle', type: 'searchset', entry: [{ resource: observation }] };
    for (const kind of tokenKinds) {
      const token = tokens[kind] ?? '';
      server.behave = (_request, response) => compressed(response, observation, 200);
      expect(await (await server.gateway.fetch('/Observation/o1', token)).json()).toEqual(observation);
      server.behave = (_request, response) => compressed(response, searchset, 200);
      expect(await (await server.gateway.fetch('/Observation', token)).json()).toMatchObject({
        entry: [{ resource: { id: 'o1' } }],
      });
      behave((response) => compressed(response, observation, 201));
      const created = await send(['', 'POST', '/Observation', { ...observation, id: undefined }, 201], token);
      expect([created.status, await created.json()]).toEqual([201, observation]);
      const outcome = { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'duplicate' }] };
      behave((response) => compressed(response, outcome, 409));
      expect((await send(['', 'POST', '/Observation', { ...observation, id: undefined }, 201], token)).status).toBe(
        409,
      );
    }
  });
});
