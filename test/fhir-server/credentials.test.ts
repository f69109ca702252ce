import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mock } from 'node:test';
import jwt from 'jsonwebtoken';
import { UndiciConnections } from '../../src/fhir-server/infrastructure/undici-connection.js';
import { configSchema } from '../../src/platform/config/config.js';
import { Outbound } from '../../src/platform/http/outbound.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => response.end());
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(() => upstream.close());

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys = {
  RS384: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
};

/** The `Authorization` headers of consecutive requests with these configured credentials. */
async function presented(
  credentials: object,
  before: (index: number) => void = () => undefined,
  count = 1,
): Promise<(string | undefined)[]> {
  const { fhir } = configSchema.parse({ fhir: { baseUrl: upstream.url, credentials } });
  const connection = new UndiciConnections(new Outbound([])).connectionTo(fhir, 5_000);
  for (let index = 0; index < count; index += 1) {
    before(index);
    await (await connection.send({ method: 'GET', path: '/Patient/1', headers: {} })).text(0);
  }
  await connection.close();
  return upstream.requests.map(({ headers }) => headers.authorization);
}

describe('the portal authenticates at the FHIR server', () => {
  test.each<[object, string]>([
    [{ type: 'basic', username: 'portal', password: 'pass:word' }, `Basic ${btoa('portal:pass:word')}`],
    [{ type: 'bearer', token: 'long-lived' }, 'Bearer long-lived'],
  ])('with %j', async (credentials, expected) => {
    expect(await presented(credentials)).toEqual([expected]);
  });

  test('without credentials', async () => {
    expect(await presented({ type: 'none' })).toEqual([undefined]);
  });

  test.each(Object.entries(keys))('with a short-lived token that it signs itself (%s)', async (algorithm, key) => {
    const credentials = { type: 'jwt', privateKey: pem(key.privateKey), keyId: 'k1', issuer: 'https://login.example' };
    const [header = ''] = await presented(credentials);
    const { payload, header: protectedHeader } = jwt.verify(header.replace('Bearer ', ''), publicPem(key.publicKey), {
      complete: true,
      algorithms: [algorithm as jwt.Algorithm],
      issuer: 'https://login.example',
      audience: upstream.url,
    });
    const { exp = 0, iat = 0, scope, sub, jti } = payload as jwt.JwtPayload;
    expect([exp - iat, scope, sub, typeof jti]).toEqual([300, 'system/*.rs', 'https://login.example', 'string']);
    expect(protectedHeader.kid).toBe('k1');
  });

  test('with the same token for four minutes, then with another', async () => {
    const credentials = {
      type: 'jwt',
      privateKey: pem(keys.ES256.privateKey),
      issuer: 'portal',
      audience: 'https://fhir.example',
      scope: 'system/*.cruds',
    };
    const clock = mock.method(Date, 'now');
    const began = Date.now();
    const times = [began, began + 130_000, began + 241_000];
    const setClock = (index: number) => clock.mock.mockImplementation(() => times[index] ?? 0);
    const [first, second, third] = await presented(credentials, setClock, 3);
    clock.mock.restore();
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(jwt.decode((third ?? '').replace('Bearer ', ''))).toMatchObject({
      aud: 'https://fhir.example',
      scope: 'system/*.cruds',
    });
  });

  test.each([
    ['no key', 'secret'],
    ['a short key', pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)],
    ['a curve that no server takes', pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey)],
    ['a public key', publicPem(keys.ES256.publicKey)],
  ])('never with %s: the start is refused', (_what, privateKey) => {
    const fhir = { credentials: { type: 'jwt', privateKey, issuer: 'portal' } };
    expect(configSchema.safeParse({ fhir }).success).toBe(false);
  });
});

function publicPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}
