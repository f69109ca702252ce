import type { ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway, startUpstream } from '../../support/fhir/gateway.js';
import {
  observationOf,
  refusalIn,
  searchset,
  sendFhir,
  useScriptedServer,
} from '../../support/fhir/scripted-server.js';
import { until } from '../../support/until.js';

const server = useScriptedServer();
let onePatient: string;

beforeAll(() => {
  onePatient = server.gateway.tokenFor('patient/*.cruds', { patient: 'p1' });
});

describe('a FHIR server that returns more than requested', () => {
  test('cannot return other patients, other types or a count through the gateway', async () => {
    server.behave = (_request, response) =>
      sendFhir(
        response,
        searchset([observationOf('p1'), observationOf('p2'), { resourceType: 'Patient', id: 'p1' }], { total: 3000 }),
      );
    const response = await server.gateway.fetch('/Observation', onePatient);
    expect(await response.json()).toEqual(searchset([observationOf('p1')]));
  });

  test('cannot return a count of more than what it answers, whatever it says that it searched for', async () => {
    const link = (condition: string) => [{ relation: 'self', url: `${server.upstream.url}/Observation?${condition}` }];
    const totalFor = async (condition: string) => {
      server.behave = (_request, response) =>
        sendFhir(response, searchset([observationOf('p1')], { total: 3000, link: link(condition) }));
      return ((await (await server.gateway.fetch('/Observation', onePatient)).json()) as { total?: number }).total;
    };
    for (const condition of ['_count=10', 'patient=Patient%2Fp1', `patient=${server.upstream.url}/Patient/p1`]) {
      expect([condition, await totalFor(condition)]).toEqual([condition, undefined]);
    }
  });

  test('cannot return another resource than the requested one', async () => {
    for (const other of [
      observationOf('p1', { id: 'o2' }),
      { resourceType: 'Patient', id: 'o1' },
      observationOf('p2'),
    ]) {
      server.behave = (_request, response) => sendFhir(response, other);
      expect((await refusalIn(await server.gateway.fetch('/Observation/o1', onePatient))).status).toBe(404);
    }
  });

  test('cannot send a cookie or an unknown header to the client', async () => {
    server.behave = (_request, response) =>
      sendFhir(response, observationOf('p1'), 200, {
        'Set-Cookie': 'a=b',
        'X-Powered-By': 'x',
        Server: 'y',
        ETag: 'W/"1"',
      });
    for (const token of [server.systemToken, onePatient]) {
      const { headers } = await server.gateway.fetch('/Observation/o1', token);
      expect([
        headers.get('etag'),
        headers.get('set-cookie'),
        headers.get('x-powered-by'),
        headers.get('server'),
      ]).toEqual(['W/"1"', null, null, null]);
    }
  });

  test('cannot redirect the client past the gateway', async () => {
    server.behave = (_request, response) =>
      sendFhir(response, observationOf('p1'), 201, { Location: 'http://10.0.0.7/r4/Observation/1' });
    const init = {
      method: 'POST',
      body: JSON.stringify(observationOf('p1')),
      headers: { 'content-type': 'application/fhir+json' },
    };
    const response = await server.gateway.fetch('/Observation', server.systemToken, init);
    expect([response.status, response.headers.get('location')]).toEqual([201, `${server.gateway.base}/Observation/1`]);
  });
});

describe('a failing FHIR server', () => {
  const html = '<html>secret stack trace</html>';

  test.each<[string, (response: ServerResponse) => void, number]>([
    ['HTML', (response) => response.setHeader('Content-Type', 'text/html').end(html), 502],
    ['a body without a type', (response) => response.end(html), 502],
    ['a redirect', (response) => response.writeHead(302, { Location: 'http://evil.example/' }).end(), 502],
    ['its own 401', (response) => sendFhir(response, { resourceType: 'OperationOutcome' }, 401), 502],
    ['a 500', (response) => sendFhir(response, { resourceType: 'OperationOutcome', text: { div: html } }, 500), 502],
    ['a 503', (response) => response.writeHead(503, { 'Retry-After': '7' }).end(html), 503],
    ['a 504', (response) => response.writeHead(504).end(html), 504],
    ['compressed data', (response) => sendFhir(response, 'x', 200, { 'Content-Encoding': 'gzip' }), 502],
    ['a 422 in HTML', (response) => response.writeHead(422, { 'Content-Type': 'text/html' }).end(html), 422],
    ['nothing at all', (response) => response.destroy(), 502],
    ['no answer in time', () => undefined, 504],
  ])('with %s is answered as an error', async (_what, fail, status) => {
    server.behave = (_request, response) => fail(response);
    for (const token of [server.systemToken, onePatient]) {
      for (const path of ['/Observation/o1', '/Observation']) {
        const response = await server.gateway.fetch(path, token);
        const { text, ...answer } = await refusalIn(response);
        // A 403 for one resource would reveal that it exists.
        const isHidden = token === onePatient && path === '/Observation/o1' && status < 500;
        expect([path, answer.status]).toEqual([path, isHidden ? 404 : status]);
        expect(text).not.toContain('secret');
      }
    }
  });

  test.each([
    ['broken JSON', '{"resourceType":"Observation","id":"o1"'],
    ['no object', 'null'],
    ['an empty body', ''],
  ])('with %s where the gateway has to check the response is answered as an error', async (_what, body) => {
    server.behave = (_request, response) => sendFhir(response, body);
    expect((await refusalIn(await server.gateway.fetch('/Observation', onePatient))).status).toBe(502);
    expect([404, 502]).toContain((await refusalIn(await server.gateway.fetch('/Observation/o1', onePatient))).status);
  });

  test.each([
    ['is nested without end', `{"x":${'['.repeat(5_000)}${']'.repeat(5_000)},`],
    ['has a member twice', '{"id":"a",'],
  ])('with a resource that %s where the gateway has to change it is answered as an error', async (_what, beginning) => {
    const text = JSON.stringify(searchset([observationOf('p1')], { total: 3000 }));
    server.behave = (_request, response) =>
      sendFhir(response, text.replace(/\{(?="resourceType":"Observation")/, beginning));
    expect((await refusalIn(await server.gateway.fetch('/Observation', onePatient))).status).toBe(502);
  });

  test('with more than the gateway can check is answered as an error', async () => {
    server.behave = (_request, response) =>
      sendFhir(response, searchset([observationOf('p1', { note: 'x'.repeat(3 * 1024 * 1024) })]));
    const inNoHurry = await startGateway(server.upstream.url, {}, { limits: { answerMegabytes: 2 } });
    const token = inNoHurry.tokenFor('patient/*.rs', { patient: 'p1' });
    const { status, text } = await refusalIn(await inNoHurry.fetch('/Observation', token));
    await inNoHurry.close();
    expect([status, text]).toEqual([502, expect.stringContaining('_count')]);
  });

  test('with an endless slow response where the gateway has to check it is answered as an error', async () => {
    server.behave = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' });
      const drip = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(drip));
    };
    expect((await refusalIn(await server.gateway.fetch('/Observation', onePatient))).status).toBe(504);
  });

  test('in the middle of a Bundle ends the connection, so that the client notices it', async () => {
    server.behave = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' });
      response.write(JSON.stringify(searchset([observationOf('p1'), observationOf('p2')])).slice(0, -2), () =>
        response.destroy(),
      );
    };
    const text = server.gateway.fetch('/Observation?code=x', server.systemToken).then((response) => response.text());
    await expect(text).rejects.toThrow();
  });

  test('in the middle of its first resource is answered as an error', async () => {
    server.behave = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' });
      response.write('{"resourceType":"Observation",', () => response.destroy());
    };
    expect((await refusalIn(await server.gateway.fetch('/Observation/o1', server.systemToken))).status).toBe(502);
  });

  test('in the middle of a small response of known length is answered as an error', async () => {
    const text = JSON.stringify(observationOf('p1'));
    server.behave = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json', 'Content-Length': text.length });
      response.write(text.slice(0, 20), () => response.destroy());
    };
    for (const token of [server.systemToken, onePatient]) {
      expect((await refusalIn(await server.gateway.fetch('/Observation/o1', token))).status).toBe(502);
    }
  });

  test('that sends a small Bundle slowly has its entries passed on while they arrive', async () => {
    const text = JSON.stringify(searchset(['p1', 'p2', 'p3'].map((id) => observationOf(id))));
    const first = text.lastIndexOf('},{');
    let finish: (() => void) | undefined;
    server.behave = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json', 'Content-Length': text.length });
      response.write(text.slice(0, first + 1));
      finish = () => response.end(text.slice(first + 1));
    };
    const inNoHurry = await startGateway(server.upstream.url);
    const response = await inNoHurry.fetch('/Observation?code=x', inNoHurry.tokenFor('system/*.rs'));
    finish?.();
    expect(await response.text()).toBe(text);
    await inNoHurry.close();
  });

  test('gets its request cancelled when the client has disconnected in the middle of a small response', async () => {
    let closed = false;
    server.behave = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json', 'Content-Length': 1000 });
      response.write('{"resourceType":');
      response.on('close', () => {
        closed = true;
      });
    };
    for (const token of [server.systemToken, onePatient]) {
      closed = false;
      const before = server.upstream.requests.length;
      const gone = new AbortController();
      const answer = server.gateway.fetch('/Observation/o1', token, { signal: gone.signal }).catch(() => undefined);
      await until(() => server.upstream.requests.length > before);
      gone.abort();
      await answer;
      await until(() => closed);
    }
  });

  test('is tried once more for a read, and not for a change', async () => {
    let reads = 0;
    const changes: string[] = [];
    server.behave = ({ method = '' }, response) => {
      if (method !== 'GET') changes.push(method);
      else reads += 1;
      if (method !== 'GET' || reads % 2 === 1) response.destroy();
      else sendFhir(response, observationOf('p1'));
    };
    expect((await server.gateway.fetch('/Observation/o1', server.systemToken)).status).toBe(200);
    const change = { method: 'DELETE' };
    expect((await refusalIn(await server.gateway.fetch('/Observation/o1', server.systemToken, change))).status).toBe(
      502,
    );
    // The resource is read before it is deleted.
    expect([reads, changes]).toEqual([4, ['DELETE']]);
  });

  test('gets its request cancelled when the client has disconnected', async () => {
    let closed = false;
    server.behave = (_request, response) =>
      response.on('close', () => {
        closed = true;
      });
    const gone = new AbortController();
    const answer = server.gateway
      .fetch('/Observation/o1', server.systemToken, { signal: gone.signal })
      .catch(() => undefined);
    await until(() => server.upstream.requests.length > 0);
    gone.abort();
    await answer;
    await until(() => closed);
  });

  test('that is unavailable leads to 502 for data, 503 for the CapabilityStatement, and leaves the SMART configuration available', async () => {
    const alone = await startGateway('http://127.0.0.1:9/r4');
    const token = alone.tokenFor('system/*.rs');
    expect((await refusalIn(await alone.fetch('/Patient/1', token))).status).toBe(502);
    expect((await refusalIn(await alone.fetch('/metadata'))).status).toBe(503);
    expect((await alone.fetch('/.well-known/smart-configuration')).status).toBe(200);
    await alone.close();
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['fails', (response) => response.writeHead(503).end()],
    ['breaks off', (response) => response.destroy()],
    ['answers garbage', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":')],
    ['does not answer', () => undefined],
  ])('whose CapabilityStatement was read once and that %s then leaves the last one', async (_what, fail) => {
    const statement = { resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest: [{ mode: 'server' }] };
    const answerWell = (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'application/fhir+json' }).end(JSON.stringify(statement));
    let behave: (response: ServerResponse) => unknown = answerWell;
    const upstream = await startUpstream((_request, response) => void behave(response));
    const alone = await startGateway(upstream.url);
    const first = await alone.fetch('/metadata');
    expect(first.status).toBe(200);
    behave = fail;
    const [now, ahead] = [Date.now, 60_000];
    const clock = mock.method(Date, 'now', () => now() + ahead);
    for (const _ of [1, 2]) {
      const again = await alone.fetch('/metadata');
      expect([again.status, again.headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
    }
    clock.mock.restore();
    upstream.close();
    await alone.close();
  });

  test('that is not configured is answered as an error', async () => {
    const alone = await startGateway(undefined);
    const token = alone.tokenFor('patient/*.rs system/Medication.rs', { patient: '1' });
    for (const path of ['/Patient/1', '/Observation', '/Medication', '/metadata']) {
      expect((await refusalIn(await alone.fetch(path, token))).status).toBe(503);
    }
    await alone.close();
  });
});

describe('a response', () => {
  const padded = (bytes: number) => {
    const resource = searchset([observationOf('p1', { note: `${server.upstream.url}/Patient/1 ` })]);
    return JSON.stringify(resource).replace('"note":"', `"note":"é${'x'.repeat(bytes)}`);
  };
  const framings: [string, (response: ServerResponse, text: string) => void][] = [
    ['with its length', (response, text) => response.setHeader('Content-Length', Buffer.byteLength(text)).end(text)],
    [
      'in chunks',
      (response, text) => {
        const bytes = Buffer.from(text);
        const send = (from: number) => {
          if (from >= bytes.length) response.end();
          else response.write(bytes.subarray(from, from + 50_000), () => setImmediate(send, from + 50_000));
        };
        send(0);
      },
    ],
  ];

  test.each(framings)(
    'of any size is passed on as it is, but for its addresses, when it is sent %s',
    async (_, send) => {
      const tokens = [server.systemToken, server.gateway.tokenFor('system/Observation.rs'), onePatient];
      for (const size of [0, 1_000, 63_000, 64_000, 66_000, 128_000, 132_000, 1_000_000]) {
        const text = padded(size);
        server.behave = (_request, response) => send(response.setHeader('Content-Type', 'application/fhir+json'), text);
        for (const token of tokens) {
          const response = await server.gateway.fetch('/Observation', token);
          expect((await response.text()) === text.replaceAll(server.upstream.url, server.gateway.base)).toBe(true);
        }
      }
    },
  );
});

describe('a large response', () => {
  test('is read from the server as fast as the client reads it, where no check is needed', async () => {
    const block = `${'x'.repeat(64 * 1024 - server.upstream.url.length - 1)}${server.upstream.url} `;
    const blocks = 800;
    let written = 0;
    server.behave = async (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/fhir+json' });
      for (; written < blocks; written += 1) {
        if (!response.write(block)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    };
    const inNoHurry = await startGateway(server.upstream.url);
    // Compressed, all of it would fit into the buffers.
    const headers = { 'accept-encoding': 'identity' };
    const response = await inNoHurry.fetch('/Observation', inNoHurry.tokenFor('system/*.rs'), { headers });
    await sleep(500);
    // Only the buffers of both connections have been filled.
    expect(written).toBeLessThan(blocks / 2);
    let size = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) size += chunk.length;
    expect(size).toBe(blocks * (block.length + inNoHurry.base.length - server.upstream.url.length));
    await inNoHurry.close();
  });
});

describe('a FHIR server whose CapabilityStatement has not been read', () => {
  const changes: readonly [string, string, RequestInit][] = [
    ['create', '/Observation', { method: 'POST', headers: { 'if-none-exist': 'identifier=1' } }],
    ['update', '/Observation?identifier=1', { method: 'PUT' }],
    ['delete', '/Observation?identifier=1', { method: 'DELETE' }],
  ];

  test.each(changes)('is told as such by a conditional %s, with each kind of token', async (_what, path, init) => {
    const { gateway, systemToken } = server;
    const practitioner = gateway.tokenFor('user/*.cruds', { fhirUser: `${gateway.base}/Practitioner/d` });
    const categories = gateway.tokenFor('patient/Observation.cruds?category=laboratory', { patient: 'p1' });
    const service = gateway.tokenFor('system/Observation.cruds');
    for (const token of [systemToken, onePatient, categories, practitioner, service]) {
      const body = init.method === 'DELETE' ? {} : { body: JSON.stringify(observationOf('p1', { id: undefined })) };
      const headers = { 'content-type': 'application/fhir+json', ...init.headers };
      const response = await gateway.fetch(path, token, { ...init, ...body, headers });
      const { status, text } = await refusalIn(response);
      expect([status, text]).toEqual([503, expect.stringContaining('have not been read yet')]);
      expect(response.headers.get('retry-after')).toBe('5');
    }
    expect(server.upstream.requests).toHaveLength(0);
  });
});
