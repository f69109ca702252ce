import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';

const key = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }),
  kid,
});
const unanswered = 'The address does not answer, or may not be asked from here.';

describe('the check of a JWKS URL', () => {
  let portal: AdminPortal;
  let host: Server;
  let port: number;
  let requests = 0;
  let answer: { status: number; body: string };

  beforeAll(async () => {
    host = createServer((_, response) => {
      requests += 1;
      response.writeHead(answer.status).end(answer.body);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    port = (host.address() as AddressInfo).port;
    portal = await startAdminPortal({ config: { outbound: { allowedPrivateHosts: ['localhost'] } } });
  });
  afterAll(async () => {
    await portal.close();
    await new Promise((resolve) => host.close(resolve));
  });
  beforeEach(() => {
    requests = 0;
  });

  const check = (url: string) => portal.api.post('/api/admin/client/check-keys').send({ url });
  const refusal = async (url: string) => (await check(url).expect(400)).body.errors;

  test('lists the usable keys', async () => {
    answer = { status: 200, body: JSON.stringify({ keys: [key('one'), { kty: 'OKP', kid: 'other' }] }) };
    const { body } = await check(`http://localhost:${port}/jwks`).expect(200);
    expect(body).toEqual({ keys: [{ kid: 'one', kty: 'EC' }] });
  });

  test.each([
    [404, '', 'The address answers with status 404.'],
    [200, '<html>', 'The address answers with a page or XML, and not with a key set.'],
    [200, '[{"kty":"EC"}]', 'The address has a list of keys, and not an object with the member keys.'],
    [200, '{"kty":"EC"}', 'The address has one key, and not an object with the member keys.'],
    [200, 'null', 'There is no key set at the address.'],
    [200, '{"keys":{}}', 'There is no key set at the address.'],
    [
      200,
      JSON.stringify({
        keys: Array(101)
          .fill(0)
          .map((_, i) => ({ kid: i })),
      }),
      'The key set holds more than 100 keys.',
    ],
    [
      200,
      JSON.stringify({ keys: [{ ...key('one'), d: 'x' }] }),
      'The key set holds a secret key, which must be replaced: anybody can read it.',
    ],
    [200, 'x'.repeat(70_000), unanswered],
  ])('names the problem of a response with status %d %#', async (status, body, message) => {
    answer = { status, body };
    expect(await refusal(`http://localhost:${port}/jwks`)).toEqual([{ field: 'url', messages: [message] }]);
  });

  test('M-01 sends no request into the own network, and does not reveal whether a host is down', async () => {
    const expected = [{ field: 'url', messages: [unanswered] }];
    expect(await refusal(`http://127.0.0.1:${port}/jwks`)).toEqual(expected);
    expect(await refusal('http://localhost:1/jwks')).toEqual(expected);
    expect(requests).toBe(0);
  });

  test('M-02 sends no request to an address that a client could not register', async () => {
    for (const url of ['file:///etc/passwd', 'https://user:word@app.example/jwks', 'http://localhost:5432/']) {
      expect(await refusal(url)).toEqual([{ field: 'url', messages: ['Please enter a valid value'] }]);
    }
  });
});
