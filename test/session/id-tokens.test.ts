import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { beginExternalSignIn } from '../support/providers/external-sign-in.js';
import { providerSecret } from '../support/providers/identity-provider.js';
import {
  type Deviations,
  kid,
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '../support/providers/misbehaving-provider.js';

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

let provider: MisbehavingProvider;
let portal: TestPortal;

beforeAll(async () => {
  provider = await startMisbehavingProvider();
  portal = await startPortal({ config: { identityProviders: [provider.entry('one')] } });
});

afterAll(async () => {
  await portal.close();
  await provider.close();
});

describe('K-03 An id_token of an identity provider', () => {
  const otherKey = generateKeyPair('RS256', { extractable: true });
  const now = () => Math.floor(Date.now() / 1000);
  const sign = async (claims: JWTPayload, header: object, key: Parameters<SignJWT['sign']>[0] = provider.key) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(key);

  const wrong: [string, () => Deviations][] = [
    ['is for another client', () => ({ claims: { aud: 'another-client' } })],
    ['is for several clients without an azp', () => ({ claims: { aud: ['gatehouse', 'another-client'] } })],
    ['has another client as azp', () => ({ claims: { azp: 'another-client' } })],
    ['is of another issuer', () => ({ claims: { iss: 'https://login.elsewhere.example' } })],
    ['has another nonce', () => ({ claims: { nonce: 'of-another-sign-in' } })],
    ['has no nonce', () => ({ claims: { nonce: undefined } })],
    ['has expired', () => ({ claims: { exp: now() - 1, iat: now() - 300 } })],
    ['never expires', () => ({ claims: { exp: undefined } })],
    ['has no iat', () => ({ claims: { iat: undefined } })],
    ['is not valid yet', () => ({ claims: { nbf: now() + 600 } })],
    ['has no sub', () => ({ claims: { sub: undefined } })],
    ['has a sub that cannot be stored', () => ({ claims: { sub: 'a\u0000b' } })],
    ['has a number as sub', () => ({ claims: { sub: 7 as never } })],
    ['is not signed', () => ({ idToken: (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.` })],
    [
      'is signed with the shared secret',
      () => ({ idToken: (claims) => sign(claims, { alg: 'HS256' }, Buffer.from(providerSecret)) }),
    ],
    [
      'is signed with the public key as if it were a secret',
      () => ({
        idToken: async (claims) => {
          const publicKey = (await importJWK(provider.jwk, 'RS256')) as Parameters<typeof exportSPKI>[0];
          return sign(claims, { alg: 'HS256' }, Buffer.from(await exportSPKI(publicKey)));
        },
      }),
    ],
    [
      'is signed with another key',
      () => ({ idToken: async (claims) => sign(claims, {}, (await otherKey).privateKey) }),
    ],
    ['is signed with a key that is not published', () => ({ idToken: (claims) => sign(claims, { kid: 'unknown' }) })],
    [
      'was changed',
      () => ({
        idToken: async (claims) =>
          (await sign(claims, {})).replace(/\.[^.]+\./, `.${encode({ ...claims, sub: 'another-user' })}.`),
      }),
    ],
    ['has a critical header', () => ({ idToken: (claims) => sign(claims, { crit: ['exp'] }).catch(() => 'a.b.c') })],
    ['is not a JWT', () => ({ idToken: () => 'not a token' })],
    ['is not a string', () => ({ idToken: () => 42 })],
    ['is missing', () => ({ idToken: () => undefined })],
  ];

  it.each(wrong)('is refused when it %s', async (_, deviation) => {
    const browser = new Agent(portal.issuer);
    const { location = '' } = await beginExternalSignIn(browser, 'one');
    provider.deviations.one = deviation();
    const answer = await browser.get(provider.callbackFor(location));
    expect([answer.status, answer.location]).toEqual([303, `${portal.issuer}/login?error=provider-failed`]);
    expect((await browser.get('/api/session')).status).toBe(401);
    expect(await portal.query('SELECT FROM account')).toEqual([]);
  });

  it('is accepted with any key that the provider publishes by now', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const fresh = await startPortal({ config: { identityProviders: [provider.entry('another')] } });
    try {
      const keys = { keys: [provider.jwk, { ...(await exportJWK(publicKey)), kid: 'new', alg: 'ES256' }] };
      provider.deviations.another = {
        keys: (response) => response.writeHead(200).end(JSON.stringify(keys)),
        idToken: (claims) => sign(claims, { alg: 'ES256', kid: 'new' }, privateKey),
      };
      const browser = new Agent(fresh.issuer);
      const { location = '' } = await beginExternalSignIn(browser, 'another');
      expect((await browser.get(provider.callbackFor(location))).location).toBe(`${fresh.issuer}/`);
    } finally {
      await fresh.close();
    }
  });

  it('is accepted with a newer key, and keys are not fetched again for every unknown one', async () => {
    const next = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(next.publicKey)), kid: 'next', alg: 'ES256' };
    const fresh = await startPortal({ config: { identityProviders: [provider.entry('rotating')] } });
    try {
      let reads = 0;
      const publish = (keys: object[]) => {
        provider.deviations.rotating = {
          ...provider.deviations.rotating,
          keys: (response) => {
            reads += 1;
            response.writeHead(200).end(JSON.stringify({ keys }));
          },
        };
      };
      const signIn = async () => {
        const browser = new Agent(fresh.issuer);
        const { location = '' } = await beginExternalSignIn(browser, 'rotating');
        return (await browser.get(provider.callbackFor(location))).location;
      };
      publish([provider.jwk]);
      expect(await signIn()).toBe(`${fresh.issuer}/`);
      const idToken = (claims: JWTPayload) => sign(claims, { alg: 'ES256', kid: 'next' }, next.privateKey);
      provider.deviations.rotating = { ...provider.deviations.rotating, idToken };
      publish([provider.jwk, jwk]);
      expect(await signIn()).toBe(`${fresh.issuer}/`);
      expect(reads).toBe(2);
      provider.deviations.rotating = {
        ...provider.deviations.rotating,
        idToken: (claims) => sign(claims, { kid: 'unknown' }),
      };
      for (let times = 0; times < 8; times += 1) expect(await signIn()).toContain('/login?error=');
      expect(reads).toBe(6);
    } finally {
      await fresh.close();
    }
  });
});
