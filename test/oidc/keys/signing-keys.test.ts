import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose';
import { createPortal } from '../../../src/app.setup.js';
import { SigningKeys } from '../../../src/oidc/engine/keys/signing-keys.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import { basicAuthorization, SmartApp } from '../../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { mintServiceToken, signingKeyOf } from '../../support/clients/minted-tokens.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const clients = [{ ...backendService, accessTokenType: 'Jwt' }];
/** Clients cache the key set for two seconds, and a node is at most one second late. */
const announceSeconds = 4;
let portal: TestPortal;
afterEach(() => portal.close());

const keysOf = async (port?: number) => {
  const answer = await new Agent(portal.issuer, port).get('/.well-known/openid-configuration/jwks');
  const maxAge = Number(/^public, max-age=(\d+)$/.exec(String(answer.headers['cache-control']))?.[1]);
  return { keys: answer.json<{ keys: JWK[] }>().keys, maxAge };
};

async function token(port?: number): Promise<string> {
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  const headers = basicAuthorization(backendService.clientId, sharedSecret);
  const answer = await new Agent(portal.issuer, port).postForm('/connect/token', form, { headers });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json<{ access_token: string }>().access_token;
}

async function isActive(accessToken: string, port?: number): Promise<boolean> {
  const headers = basicAuthorization(backendService.clientId, sharedSecret);
  const agent = new Agent(portal.issuer, port);
  const answer = await agent.postForm('/connect/introspect', { token: accessToken }, { headers });
  return answer.json<{ active: boolean }>().active;
}

/** A client that caches the key set for the longest permitted time. */
class CachingParty {
  private keys: ReturnType<typeof createLocalJWKSet> | undefined;
  private freshUntil = 0;

  constructor(private readonly port: number) {}

  async verify(accessToken: string): Promise<void> {
    if (!this.keys || Date.now() >= this.freshUntil) {
      // The age of a response includes its transport (RFC 9111 §4.2.3).
      const asked = Date.now();
      const { keys, maxAge } = await keysOf(this.port);
      this.keys = createLocalJWKSet({ keys });
      this.freshUntil = asked + maxAge * 1000;
    }
    await jwtVerify(accessToken, this.keys, { issuer: portal.issuer });
  }
}

const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid;
const signingKeys = (node = 0) => portal.apps[node]?.get(SigningKeys, { strict: false }) as SigningKeys;

describe('Signing keys', () => {
  it('Q-01 are replaced on two nodes without a failed verification, and tokens of the old ones stay valid', async () => {
    portal = await startPortal({ nodes: 2, config: { clients, keys: { announceSeconds } } });
    const [first = 0, second = 0] = portal.ports;
    const parties = [new CachingParty(first), new CachingParty(second)];
    const old = await token(first);
    const signedBy = new Map<number, Set<unknown>>([
      [first, new Set()],
      [second, new Set()],
    ]);
    let verified = 0;
    let running = true;
    const load = portal.ports.map(async (port) => {
      while (running) {
        const fresh = await token(port);
        signedBy.get(port)?.add(kidOf(fresh));
        for (const party of parties) await party.verify(fresh);
        verified += 2;
      }
    });
    const verifiedSome = async () => {
      const before = verified;
      await until(() => verified >= before + 50);
    };
    await verifiedSome();
    await signingKeys().rotate();
    await until(() => [...signedBy.values()].every((kids) => kids.size === 2));
    await verifiedSome();
    running = false;
    await Promise.all(load);
    expect(kidOf(await token(second))).not.toBe(kidOf(old));
    for (const port of portal.ports) expect(await isActive(old, port)).toBe(true);
    for (const party of parties) await party.verify(old);
  });

  it('are published before they are used, for longer than the key set may be cached', async () => {
    portal = await startPortal({ config: { clients } });
    const before = kidOf(await token());
    await signingKeys().rotate();
    await until(async () => (await keysOf()).keys.length === 4);
    expect(kidOf(await token())).toBe(before);
    const waiting = (await signingKeys().list()).filter(({ state }) => state === 'published');
    expect(waiting).toHaveLength(2);
    const { maxAge } = await keysOf();
    expect(maxAge).toBeLessThanOrEqual(600);
    for (const { signsFrom } of waiting)
      expect(signsFrom.getTime() - Date.now()).toBeGreaterThan(maxAge * 1000 + 60_000);
  });

  it('are not replaced twice by two operators at once, and published ones are used at once on request', async () => {
    portal = await startPortal({ nodes: 2, config: { clients } });
    const before = kidOf(await token());
    await Promise.all([signingKeys(0).rotate(), signingKeys(1).rotate()]);
    expect(await signingKeys().list()).toHaveLength(4);
    await signingKeys().rotate({ immediately: true });
    const keys = await signingKeys().list();
    expect(keys.map(({ state }) => state).sort()).toEqual(['retired', 'retired', 'signing', 'signing']);
    const next = keys.find(({ alg, state }) => alg === 'ES256' && state === 'signing')?.kid;
    expect(next).not.toBe(before);
    for (const port of portal.ports) await until(async () => kidOf(await token(port)) === next);
  });

  it('are replaced by one of the nodes when they are old enough', async () => {
    portal = await startPortal({ nodes: 2, config: { clients, keys: { announceSeconds } } });
    await portal.query("UPDATE signing_key SET signs_from = now() - interval '91 days' WHERE alg = 'ES256'");
    await until(async () => (await signingKeys().list()).length > 2);
    await sleep(2_500);
    const keys = await signingKeys().list();
    expect(keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'ES256', 'RS256']);
  });

  it('are removed when all tokens that they signed have expired, for any lifetime of tokens', async () => {
    const longLived = [{ ...clients[0], accessTokenLifetime: '30' }];
    portal = await startPortal({ config: { clients: longLived, keys: { announceSeconds } } });
    const old = await token();
    await signingKeys().rotate({ immediately: true });
    const retiredFor = (days: number) =>
      portal.query(
        'UPDATE signing_key SET retires_at = now() - make_interval(days => $1) WHERE retires_at IS NOT NULL',
        [days],
      );
    await retiredFor(29);
    // The RS256 key signs id_tokens, which are accepted as hints for the maximum length of a session.
    await until(async () => (await keysOf()).keys.length === 3);
    expect(await isActive(old)).toBe(true);
    await retiredFor(31);
    await until(async () => (await keysOf()).keys.length === 2);
    expect(await isActive(old)).toBe(false);
    expect(await portal.query('SELECT FROM signing_key')).toHaveLength(2);
  });

  it('that leaked can be removed after their use, and all their tokens are invalid on every node', async () => {
    portal = await startPortal({ nodes: 2, config: { clients } });
    const old = await token();
    const kid = String(kidOf(old));
    await expect(signingKeys().remove(kid)).rejects.toThrow('rotate first');
    await signingKeys().rotate({ immediately: true });
    for (const port of portal.ports) expect(await isActive(old, port)).toBe(true);
    await signingKeys().remove(kid);
    for (const port of portal.ports) await until(async () => !(await isActive(old, port)));
    await expect(signingKeys().remove(kid)).rejects.toThrow('There is no signing key');
  });

  it('Q-02 that a node does not know yet are loaded when a token names them', async () => {
    portal = await startPortal({ config: { clients } });
    const { kid: _, ...jwk } = await signingKeyOf(portal);
    const kid = randomUUID();
    const secrets = portal.apps[0]?.get(Secrets) as Secrets;
    const sealed = secrets.seal('signing-keys', JSON.stringify({ ...jwk, kid }), kid);
    const minted = await mintServiceToken(portal, { key: { ...jwk, kid } });
    await portal.query("INSERT INTO signing_key (kid, alg, sealed) VALUES ($1, 'ES256', $2)", [kid, sealed]);
    expect(await isActive(minted)).toBe(true);
  });

  it('Q-02 that do not exist are not loaded for every token that names them', async () => {
    portal = await startPortal({ config: { clients } });
    const [header, ...rest] = (await token()).split('.');
    const forged = () => {
      const named = { ...JSON.parse(Buffer.from(header ?? '', 'base64url').toString()), kid: randomUUID() };
      return [Buffer.from(JSON.stringify(named)).toString('base64url'), ...rest].join('.');
    };
    expect(await isActive(forged())).toBe(false);
    await portal.query('ALTER TABLE signing_key RENAME TO signing_key_away');
    expect(await isActive(forged())).toBe(false);
    await portal.query('ALTER TABLE signing_key_away RENAME TO signing_key');
  });

  it('E-13 replace those of cookies as well: older cookies are valid as long as the old keys', async () => {
    portal = await startPortal({ config: { clients: [publicApp], users: [people.patient] } });
    const signIn = async () => {
      const browser = new Agent(portal.issuer);
      const { email: username, password } = people.patient;
      await browser.post('/api/session/login', { username, password, rememberLogin: true });
      const [value = '', signature = ''] = ['', '.sig'].map((part) => browser.cookies.get(`gatehouse_session${part}`));
      return { value, signature };
    };
    /** True if the portal accepts the session cookie with this signature, and does not replace it. */
    const isTaken = async ({ value, signature }: Awaited<ReturnType<typeof signIn>>) => {
      const browser = new Agent(portal.issuer);
      browser.cookies.set('gatehouse_session', value).set('gatehouse_session.sig', signature);
      const { status, headers } = await browser.get('/api/session');
      if (status === 200) expect(headers['set-cookie']).toBeUndefined();
      return status === 200;
    };
    const old = await signIn();
    expect(await isTaken(old)).toBe(true);
    expect(await isTaken({ ...old, signature: 'FiSfZq68t3xLNIW6YkC6bD7J2vM' })).toBe(false);
    await signingKeys().rotate({ immediately: true });
    await until(async () => (await keysOf()).keys.length === 4);
    expect(await isTaken(old)).toBe(true);
    const recent = await signIn();
    for (const { kid, state } of await signingKeys().list()) if (state === 'retired') await signingKeys().remove(kid);
    await until(async () => !(await isTaken(old)));
    expect(await isTaken(recent)).toBe(true);
  });

  it('Q-03 leave the portal as public keys only, and are sealed at rest', async () => {
    portal = await startPortal({ config: { clients } });
    const { keys } = await keysOf();
    expect(keys.map(({ kty, alg, use }) => ({ kty, alg, use }))).toEqual(
      expect.arrayContaining([
        { kty: 'RSA', alg: 'RS256', use: 'sig' },
        { kty: 'EC', alg: 'ES256', use: 'sig' },
      ]),
    );
    for (const key of keys)
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(secret);
    for (const { sealed } of await portal.query<{ sealed: Buffer }>('SELECT sealed FROM signing_key')) {
      expect(sealed.toString('latin1')).not.toContain('"kty"');
    }
  });

  it('Q-02 that are sealed with another master key stop the start', async () => {
    portal = await startPortal();
    const { config, connection } = portal;
    const secrets = new Secrets(randomBytes(32));
    await expect(createPortal({ config, secrets, connection })).rejects.toThrow('sealed with another master key');
  });

  it('sign with the configured algorithms', async () => {
    const keys = { idTokenAlgorithm: 'ES384', accessTokenAlgorithm: 'RS384' };
    portal = await startPortal({ config: { clients: [publicApp, ...clients], users: Object.values(people), keys } });
    const tokens = await new SmartApp(portal).tokens(people.patient);
    expect(decodeProtectedHeader(String(tokens.id_token)).alg).toBe('ES384');
    const access = await token();
    expect(decodeProtectedHeader(access).alg).toBe('RS384');
    expect(await isActive(access)).toBe(true);
    const discovery = await new Agent(portal.issuer).get('/.well-known/openid-configuration');
    expect(discovery.json().id_token_signing_alg_values_supported).toEqual(['ES256', 'ES384']);
  });
});
