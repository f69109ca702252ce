import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';

type Algorithm = 'ES384' | 'RS384';
type Key = { privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']; jwk: JWK };

async function makeKey(alg: Algorithm, kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, key_ops: ['verify'] } };
}

/** Only kinds of clients with a key can have a JWKS URL. */
const algorithms = ['ES384', 'RS384'] as const;
/** Each test has clients of its own, whose keys were not fetched before. */
const tests = 20;
let test = 0;
const nameOf = (alg: Algorithm, number = test) => `${alg}-${number}`;
const clientIdOf = (alg: Algorithm) => `published-${nameOf(alg)}`;
/** It may fetch keys from this machine. */
let shared: TestPortal;
/** That of the test. */
let portal: TestPortal;
let host: Server;
let url: string;
let requests = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

const publish = (keys: unknown[], cacheControl = 'max-age=600') => {
  answer = (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'cache-control': cacheControl })
      .end(JSON.stringify({ keys }));
};

async function token(key: Key, header: object = {}, clientId = clientIdOf(key.jwk.alg as Algorithm)): Promise<Answer> {
  const assertion = await new SignJWT({
    iss: clientId,
    sub: clientId,
    aud: `${portal.issuer}/connect/token`,
    jti: randomUUID(),
  })
    .setProtectedHeader({ alg: String(key.jwk.alg), kid: String(key.jwk.kid), typ: 'JWT', ...header })
    .setExpirationTime(Math.floor(Date.now() / 1000) + 300)
    .sign(key.privateKey);
  return new Agent(portal.issuer).postForm('/connect/token', {
    grant_type: 'client_credentials',
    scope: 'system/*.rs',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  });
}

function startWith(allowedPrivateHosts: string[], numbers: number[]): Promise<TestPortal> {
  const names = numbers.flatMap((number) => algorithms.map((alg) => nameOf(alg, number)));
  const clients = names.map((name) => ({
    clientId: `published-${name}`,
    clientName: 'Published keys',
    clientType: 'BackendService',
    enabled: true,
    clientSecrets: [{ secretType: 'JWK', secretUrl: `${url}?${name}`, description: 'keys' }],
  }));
  return startPortal({ config: { clients, outbound: { allowedPrivateHosts } } });
}

beforeAll(async () => {
  host = createServer((request, response) => {
    requests += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  url = `http://localhost:${(host.address() as AddressInfo).port}/jwks.json`;
  shared = await startWith(
    ['localhost'],
    Array.from({ length: tests }, (_, index) => index + 1),
  );
});

beforeEach(() => {
  requests = 0;
  test += 1;
  portal = shared;
});

afterAll(async () => {
  await shared.close();
  await new Promise((resolve) => host.close(resolve));
});

describe('A client with a JWKS URL', () => {
  it('SMART asymmetric-jwks-url is authenticated by the key at its URL, which is fetched once while it is fresh', async () => {
    const [ec, rsa] = [await makeKey('ES384', 'ec'), await makeKey('RS384', 'rsa')];
    publish([ec.jwk, rsa.jwk]);
    expect((await token(ec)).status).toBe(200);
    expect((await token(rsa, {}, clientIdOf('ES384'))).status).toBe(200);
    expect((await token(ec, { jku: `${url}?${nameOf('ES384')}` })).status).toBe(200);
    expect(requests).toBe(1);
  });

  it('is refused when the assertion names another key set (jku)', async () => {
    const key = await makeKey('ES384', 'ec');
    publish([key.jwk]);
    const refused = await token(key, { jku: 'https://elsewhere.example/jwks.json' });
    expect([refused.status, refused.json().error]).toEqual([401, 'invalid_client']);
  });

  it('C-09 has its keys fetched again for an unknown key at most once a minute', async () => {
    for (const alg of algorithms) {
      requests = 0;
      const key = await makeKey(alg, 'known');
      publish([key.jwk]);
      await token(key);
      const unknown = await makeKey(alg, 'new');
      for (let attempt = 0; attempt < 3; attempt += 1) expect((await token(unknown)).status).toBe(401);
      expect([alg, requests]).toEqual([alg, 2]);
      expect((await token(key)).status).toBe(200);
    }
  });

  it('has its keys fetched again at once for a key that was just added, once for all requests', async () => {
    const [old, added] = [await makeKey('ES384', 'old'), await makeKey('ES384', 'added')];
    publish([old.jwk]);
    expect((await token(old)).status).toBe(200);
    publish([old.jwk, added.jwk]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => token(added)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(requests).toBe(2);
  });

  it('has its keys cached for at most 15 minutes, also if the response permits more', async () => {
    const [key, stolen] = [await makeKey('ES384', 'kept'), await makeKey('ES384', 'stolen')];
    publish([key.jwk, stolen.jwk], 'max-age=86400');
    expect((await token(stolen)).status).toBe(200);
    publish([key.jwk], 'max-age=86400');
    const now = Date.now;
    const later = mock.method(Date, 'now', () => now() + 15 * 60_000 + 1);
    try {
      expect((await token(stolen)).status).toBe(401);
      expect((await token(key)).status).toBe(200);
    } finally {
      later.mock.restore();
    }
  });

  it('SMART asymmetric-cache has its keys fetched each time when the response forbids caching', async () => {
    const key = await makeKey('ES384', 'ec');
    publish([key.jwk], 'no-store');
    expect((await token(key)).status).toBe(200);
    expect((await token(key)).status).toBe(200);
    expect(requests).toBe(2);
  });

  it.each<[string, (key: Key) => void]>([
    [
      'a redirect',
      () => {
        answer = (_, response) => response.writeHead(302, { location: url }).end();
      },
    ],
    [
      'more than 64 KB',
      (key) => publish([key.jwk, ...Array.from({ length: 90 }, () => ({ padding: 'x'.repeat(1000) }))]),
    ],
    [
      'no JSON',
      () => {
        answer = (_, response) => response.end('<html>');
      },
    ],
    [
      'more than 100 keys',
      (key) => publish(Array.from({ length: 101 }, (_, index) => ({ ...key.jwk, kid: `key${index || ''}` }))),
    ],
    ['a private key', (key) => publish([{ ...key.jwk, d: 'secret' }])],
    ['a symmetric key', (key) => publish([key.jwk, { kty: 'oct', k: 'secret', kid: 'x' }])],
    [
      'an error',
      () => {
        answer = (_, response) => response.writeHead(500).end();
      },
    ],
  ])('C-09 is refused when its URL returns %s', async (_, prepare) => {
    for (const alg of algorithms) {
      const key = await makeKey(alg, 'key');
      prepare(key);
      const refused = await token(key);
      expect([alg, refused.status, refused.json().error]).toEqual([alg, 401, 'invalid_client']);
    }
  });

  it('C-10 is refused within three seconds when the host does not respond', async () => {
    answer = () => undefined;
    const keys = await Promise.all(algorithms.map((alg) => makeKey(alg, 'key')));
    const started = Date.now();
    const refused = await Promise.all(keys.map((key) => token(key)));
    expect(refused.map(({ status }) => status)).toEqual([401, 401]);
    // The rest is for a busy machine.
    expect(Date.now() - started).toBeLessThan(8_000);
    host.closeAllConnections();
  });

  it('M-01 has its keys never fetched when the URL leads into the own network', async () => {
    portal = await startWith([], [test]);
    const key = await makeKey('ES384', 'ec');
    publish([key.jwk]);
    expect((await token(key)).status).toBe(401);
    expect(requests).toBe(0);
    await portal.close();
  });
});
