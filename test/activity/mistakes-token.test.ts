/** Mistakes at the token endpoint: each is made over HTTP and found in its launch, or at its client, with what differs. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { clientsChanged } from '../../src/clients/domain/client.js';
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, nowSeconds } from '../support/clients/assertions.js';
import { clientKinds, confidentialKinds, kindsWithSecret } from '../support/clients/client-kinds.js';
import { alterClient, backendService, publicApp, redirectUri, sharedSecret } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { allWritten, entriesOf, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal, tellNodes } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const [key, expiredKey, strangeKey] = await Promise.all([
  makeClientKey('ES384', 'current-key'),
  makeClientKey('ES384', 'old-key'),
  makeClientKey('ES384', 'strange-key'),
]);
const rsaKey = await makeClientKey('RS384', 'current-key');
const jwkSecret = ({ jwk }: typeof key) => ({
  secretType: 'JWK',
  secret: JSON.stringify(jwk),
  description: `Key ${jwk.kid}`,
});
const service = { ...backendService, clientId: 'key-service', clientSecrets: [key, expiredKey].map(jwkSecret) };
const mixed = {
  ...backendService,
  clientId: 'secret-service',
  clientSecrets: [
    { secretType: 'SharedSecret', secret: 'the-current-secret-of-the-service', description: 'Current' },
    { secretType: 'SharedSecret', secret: 'the-expired-secret-of-the-service', description: 'From last year' },
  ],
};
const disabled = { ...backendService, clientId: 'disabled-service' };
const dpopApp = { ...publicApp, clientId: 'dpop-app', requireConsent: false, requireDpop: true };
const plainApp = { ...publicApp, clientId: 'plain-app', requireConsent: false };
const noPkceApp = {
  ...plainApp,
  clientId: 'no-pkce-app',
  requireClientSecret: true,
  requirePkce: false,
  clientSecrets: mixed.clientSecrets,
};
const published = (clientId: string, secretUrl: string) => ({
  ...backendService,
  clientId,
  clientSecrets: [{ secretType: 'JWK', secretUrl, description: 'published' }],
});
const appOfKind = (kind: (typeof clientKinds)[number]) => kind.client('mistaken');
const serviceOfKind = (kind: (typeof clientKinds)[number]) => kind.service('mistaken-service');

let portal: TestPortal;
let host: Server;
let plainHost: string;
let expected: { token: string };

beforeAll(async () => {
  host = createServer((request, response) => {
    if (request.url === '/error') response.writeHead(503).end();
    else if (request.url === '/text') response.end('<html>');
    // Any other address gets no answer.
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  plainHost = `localhost:${(host.address() as AddressInfo).port}`;
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [
        ...[service, mixed, disabled, dpopApp, plainApp, noPkceApp],
        published('failing-keys', `http://${plainHost}/error`),
        published('silent-keys', `http://${plainHost}/silent`),
        published('unreadable-keys', `http://${plainHost}/text`),
        published('tls-keys', `https://${plainHost}/keys`),
        published('private-keys', 'http://127.0.0.1:9/keys'),
        published('closed-keys', 'http://localhost:9/keys'),
        ...clientKinds.map(appOfKind),
        ...confidentialKinds.map(serviceOfKind),
      ],
      outbound: { allowedPrivateHosts: ['localhost'] },
    },
  });
  expected = { token: `${portal.issuer}/connect/token` };
  await portal.query(
    "UPDATE client_secret SET expires_at = now() - interval '40 days' WHERE description IN ('From last year', 'Key old-key')",
  );
  await alterClient(portal, disabled.clientId, { enabled: false });
  await tellNodes(portal, clientsChanged);
});
afterAll(async () => {
  await portal.close();
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
});

const longAgo = () => new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
const services = { grant_type: 'client_credentials', scope: 'system/*.rs' };

function send(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
  return new Agent(portal.issuer).postForm('/connect/token', form, { headers });
}

interface Changes {
  clientId?: string;
  by?: typeof key;
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
}

async function assert({ clientId = service.clientId, by = key, claims = {}, header = {} }: Changes): Promise<Answer> {
  const parts = { clientId, audience: expected.token, key: by, claims, header };
  return send({ ...services, client_assertion_type: assertionType, client_assertion: await clientAssertion(parts) });
}

const appFor = (client: object, parameters = {}) =>
  new SmartApp(portal, { client: client as { clientId: string }, parameters });

async function codeOf(app: SmartApp): Promise<string> {
  return (await app.complete(people.patient)).searchParams.get('code') ?? '';
}

async function expectCause(answer: Answer, code: CauseCode, detail: object, field?: string) {
  const launch = await launchOf(portal, answer);
  const [entry] = entriesOf(launch, code);
  expect({ found: Object.keys(launch?.entries ?? {}), detail: entry?.detail }).toEqual({
    found: expect.arrayContaining([expect.stringMatching(new RegExp(`^${code}(\n|$)`))]),
    detail: expect.objectContaining(detail),
  });
  expect(entry?.change?.field).toBe(field);
  for (const text of [entry?.decidedBy, entry?.developer, entry?.change?.text]) expect(text).toMatch(/^[^{]+$/);
  expect(answer.json().error_description).toMatch(/Reference: \S+$/);
  return launch;
}

describe.each(clientKinds)('At the launch of a client ($name)', (kind) => {
  const start = () => kind.app(portal, appOfKind(kind), { scope: 'openid launch/patient patient/*.rs offline_access' });

  it('a code that was exchanged before is code-used, with what it ended', async () => {
    const app = start();
    const code = await codeOf(app);
    await app.exchange(code);
    const launch = await expectCause(await app.exchange(code), 'code-used', {
      ended: 'the access that it gave was ended',
    });
    expect(launch).toMatchObject({ kind: 'launch', outcome: 'refused', cause: 'code-used' });
    expect(Object.keys(launch?.entries ?? {})).toContain('tokens-issued');
  });

  it('a code that has expired is code-expired, with the seconds', async () => {
    const app = start();
    const code = await codeOf(app);
    await portal.query(
      "UPDATE oidc_record SET expires_at = expires_at - interval '100 seconds' WHERE model = 'AuthorizationCode'",
    );
    const answer = await app.exchange(code);
    const seconds = expect.any(Number);
    const launch = await expectCause(answer, 'code-expired', { seconds });
    expect(Math.abs(Number(launch?.entries['code-expired']?.detail.seconds) - 40)).toBeLessThan(20);
    expect(launch?.kind).toBe('launch');
  });

  it('another redirect URI is code-redirect-uri, with both, and without the values of its query', async () => {
    const app = start();
    const answer = await app.exchange(await codeOf(app), { redirect_uri: `${redirectUri}/?tenant=hidden` });
    const detail = { sent: `${redirectUri}/?tenant=…`, expected: redirectUri };
    await expectCause(answer, 'code-redirect-uri', detail, 'redirectUris');
  });

  it('another verifier is code-verifier-wrong', async () => {
    const app = start();
    const other = randomBytes(32).toString('base64url');
    await expectCause(await app.exchange(await codeOf(app), { code_verifier: other }), 'code-verifier-wrong', {});
  });

  it('a refresh token that was used long ago is refresh-token-used, with what it ended', async () => {
    const app = start();
    const tokens = (await app.exchange(await codeOf(app))).json<Tokens>();
    await app.refresh(tokens.refresh_token ?? '');
    await portal.query("UPDATE refresh_answer SET expires_at = now() - interval '1 second'");
    const answer = await app.refresh(tokens.refresh_token ?? '');
    const launch = await expectCause(answer, 'refresh-token-used', { ended: 'the access that it gave was ended' });
    expect(launch?.kind).toBe('launch');
  });
});

describe.each(kindsWithSecret)('A client with a secret ($name)', (kind) => {
  it('is told at its launch that the secret of the token request is wrong', async () => {
    const app = kind.app(portal, appOfKind(kind));
    const code = await codeOf(app);
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: app.verifier };
    const answer = await kind.post(new Agent(portal.issuer), '/connect/token', appOfKind(kind), form, { secret: 'x' });
    expect(answer.status).toBe(401);
    const launch = await expectCause(answer, 'token-secret-wrong', { count: 1 }, 'clientSecrets');
    expect(launch).toMatchObject({ kind: 'launch', outcome: 'refused', client_id: appOfKind(kind).clientId });
    expect(Object.keys(launch?.entries ?? {})).toContain('code-issued');
  });
});

describe.each(confidentialKinds)('A back-end service ($name)', (kind) => {
  it('has its last success and its refusals, counted by cause, in one place each per day', async () => {
    const registered = serviceOfKind(kind);
    const ask = (form: object) =>
      kind.post(new Agent(portal.issuer), '/connect/token', registered, { ...services, ...form });
    const success = await launchOf(portal, await ask({}));
    expect(success).toMatchObject({ kind: 'service', outcome: 'completed', client_id: registered.clientId });
    await ask({ scope: 'nothing' });
    const refused = await expectCause(
      await ask({ scope: 'nothing' }),
      'token-scope',
      { scope: 'nothing' },
      'allowedSmartActions',
    );
    expect(refused).toMatchObject({ kind: 'service', client_id: registered.clientId });
    expect(refused?.entries['token-scope']?.count).toBe(2);
  });
});

const secretOf = (secret: string) => basicAuthorization(mixed.clientId, secret);
const current = () => secretOf('the-current-secret-of-the-service');

/** The mistake, its cause, the values that differ, the request, and the field to change. */
type Mistake = [string, CauseCode, () => object, () => Promise<Answer>, string?];

const authenticationMistakes: Mistake[] = [
  [
    'a client id that is not registered',
    'token-client-unknown',
    () => ({ clientId: 'unregistered-client' }),
    () => send({ ...services, client_id: 'unregistered-client', client_secret: 'x' }),
  ],
  [
    'a client id that is not registered, by Basic',
    'token-client-unknown',
    () => ({ clientId: 'unregistered-client' }),
    () => send(services, basicAuthorization('unregistered-client', 'x')),
  ],
  [
    'a disabled client',
    'token-client-disabled',
    () => ({ clientId: disabled.clientId }),
    () => send(services, basicAuthorization(disabled.clientId, sharedSecret)),
    'enabled',
  ],
  ['no client at all', 'token-client-missing', () => ({}), () => send(services)],
  [
    'two client ids',
    'token-client-differs',
    () => ({}),
    () => send({ ...services, client_id: plainApp.clientId }, current()),
  ],
  [
    'a secret where keys are registered',
    'token-authentication-method',
    () => ({ used: 'client_secret_basic', registered: 'private_key_jwt' }),
    () => send(services, basicAuthorization(service.clientId, 'x')),
    'clientSecrets',
  ],
  [
    'an assertion where secrets are registered',
    'token-authentication-method',
    () => ({ used: 'private_key_jwt', registered: 'client_secret_basic, client_secret_post' }),
    () => assert({ clientId: mixed.clientId }),
    'clientSecrets',
  ],
  [
    'a secret of a public client',
    'token-authentication-method',
    () => ({ used: 'client_secret_post', registered: 'none (a public client)' }),
    () => send({ ...services, client_id: plainApp.clientId, client_secret: 'x' }),
    'clientSecrets',
  ],
  [
    'no credentials where they are needed',
    'token-authentication-method',
    () => ({ used: 'none', registered: 'client_secret_basic, client_secret_post' }),
    () => send({ ...services, client_id: mixed.clientId }),
    'clientSecrets',
  ],
  [
    'two authentication methods at once',
    'token-authentication-twice',
    () => ({ used: 'client_secret_basic and client_secret_post' }),
    () => send({ ...services, client_id: mixed.clientId, client_secret: 'x' }, current()),
  ],
  [
    'an Authorization header that is no Basic',
    'token-credentials-unreadable',
    () => ({ reason: 'invalid authorization header value format' }),
    () => send(services, { authorization: 'Bearer x' }),
  ],
  [
    'a wrong secret',
    'token-secret-wrong',
    () => ({ count: 1 }),
    () => send(services, secretOf('wrong')),
    'clientSecrets',
  ],
  [
    'an expired secret',
    'token-secret-expired',
    () => ({ secret: 'From last year', expired: longAgo() }),
    () => send(services, secretOf('the-expired-secret-of-the-service')),
    'clientSecrets',
  ],
];

const tampered = async () => {
  const text = await clientAssertion({
    clientId: service.clientId,
    audience: expected.token,
    key: { ...strangeKey, jwk: key.jwk },
  });
  return send({ ...services, client_assertion_type: assertionType, client_assertion: text });
};
let reused: string;

const assertionMistakes: Mistake[] = [
  [
    'an unknown kid',
    'assertion-key-unknown',
    () => ({ kid: 'strange-key', known: 'current-key' }),
    () => assert({ by: strangeKey }),
    'clientSecrets',
  ],
  [
    'an expired key',
    'assertion-key-expired',
    () => ({ kid: 'old-key', secret: 'Key old-key', expired: longAgo() }),
    () => assert({ by: expiredKey }),
    'clientSecrets',
  ],
  ['no kid', 'assertion-key-missing', () => ({}), () => assert({ header: { kid: undefined } })],
  [
    'a key that does not fit its algorithm',
    'assertion-key-unfit',
    () => ({ kid: 'current-key', used: 'RS384' }),
    () => assert({ by: rsaKey }),
    'clientSecrets',
  ],
  ['a signature by another key', 'assertion-signature', () => ({ kid: 'current-key' }), tampered, 'clientSecrets'],
  [
    'an algorithm that is not supported',
    'assertion-algorithm',
    () => ({ used: 'HS256' }),
    async () => {
      const claims = {
        iss: service.clientId,
        sub: service.clientId,
        aud: expected.token,
        jti: randomUUID(),
        exp: nowSeconds() + 60,
      };
      const text = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(randomBytes(32));
      return send({ ...services, client_assertion_type: assertionType, client_assertion: text });
    },
  ],
  [
    'another audience',
    'assertion-audience',
    () => ({ sent: 'https://elsewhere.test/token', expected: expected.token }),
    () => assert({ claims: { aud: 'https://elsewhere.test/token' } }),
  ],
  [
    'an audience with a slash more',
    'assertion-audience',
    () => ({ sent: `${expected.token}/`, expected: expected.token }),
    () => assert({ claims: { aud: `${expected.token}/` } }),
  ],
  [
    'an issuer that is not the client',
    'assertion-issuer',
    () => ({ iss: 'https://app.test', sub: service.clientId }),
    () => assert({ claims: { iss: 'https://app.test' } }),
  ],
  [
    'an assertion that has expired',
    'assertion-expired',
    () => ({ seconds: expect.closeTo(100, -1) }),
    () => assert({ claims: { exp: nowSeconds() - 100 } }),
  ],
  [
    'an assertion of a clock that is ahead',
    'assertion-from-future',
    () => ({ seconds: expect.closeTo(600, -1) }),
    () => assert({ claims: { iat: nowSeconds() + 600, exp: nowSeconds() + 900 } }),
  ],
  [
    'an assertion that is not valid yet',
    'assertion-from-future',
    () => ({ seconds: expect.closeTo(120, -1) }),
    () => assert({ claims: { nbf: nowSeconds() + 120 } }),
  ],
  [
    'an assertion that lives too long',
    'assertion-lifetime',
    () => ({ seconds: expect.closeTo(3600, -1), allowed: 300 }),
    () => assert({ claims: { exp: nowSeconds() + 3600 } }),
  ],
  ['no jti', 'assertion-claim-missing', () => ({ claim: 'jti' }), () => assert({ claims: { jti: undefined } })],
  [
    'an assertion that was used before',
    'assertion-reused',
    () => ({}),
    async () => {
      reused = await clientAssertion({ clientId: service.clientId, audience: expected.token, key });
      const form = { ...services, client_assertion_type: assertionType, client_assertion: reused };
      expect((await send(form)).status).toBe(200);
      return send(form);
    },
  ],
  [
    'an assertion that is no JWT',
    'assertion-unreadable',
    () => ({ reason: 'invalid client_assertion format' }),
    () => send({ ...services, client_assertion_type: assertionType, client_assertion: 'none' }),
  ],
  [
    'an assertion of another type',
    'assertion-unreadable',
    () => ({ reason: `client_assertion_type must have value ${assertionType}` }),
    async () =>
      send({
        ...services,
        client_assertion_type: 'jwt',
        client_assertion: await clientAssertion({ clientId: service.clientId, audience: expected.token, key }),
      }),
  ],
  ...(
    [
      ['failing-keys', () => plainHost, /status 503|503/],
      ['silent-keys', () => plainHost, /did not answer in time/],
      ['unreadable-keys', () => plainHost, /./],
      ['tls-keys', () => plainHost, /TLS/],
      ['private-keys', () => '127.0.0.1:9', /address is private/],
      ['closed-keys', () => 'localhost:9', /refuses the connection/],
    ] as const
  ).map(
    ([clientId, at, reason]): Mistake => [
      `keys that cannot be read (${clientId})`,
      'assertion-key-set-unreachable',
      () => ({ host: at(), reason: expect.stringMatching(reason) }),
      () => assert({ clientId }),
      'clientSecrets',
    ],
  ),
];

const proofKey = await generateKeyPair('ES256', { extractable: true });
const otherProofKey = await generateKeyPair('ES256', { extractable: true });
interface ProofChanges {
  claims?: Record<string, unknown>;
  by?: typeof proofKey;
  typ?: string;
}
async function proof({ claims = {}, by = proofKey, typ = 'dpop+jwt' }: ProofChanges = {}): Promise<{ dpop: string }> {
  const payload = { htm: 'POST', htu: expected.token, jti: randomUUID(), iat: nowSeconds(), ...claims };
  const jwk = await exportJWK(by.publicKey);
  return {
    dpop: await new SignJWT(payload as never).setProtectedHeader({ alg: 'ES256', typ, jwk }).sign(by.privateKey),
  };
}

async function exchange(client: { clientId: string }, form: Record<string, string>, headers = {}, parameters = {}) {
  const app = appFor(client, parameters);
  const code = await codeOf(app);
  const whole = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: app.verifier };
  const sent = Object.entries({ client_id: client.clientId, ...whole, ...form }).filter(([, value]) => value !== '');
  return send(Object.fromEntries(sent), headers);
}

const grantMistakes: Mistake[] = [
  ['a code that was never issued', 'code-unknown', () => ({}), () => exchange(plainApp, { code: 'a'.repeat(43) })],
  [
    'a code of another client',
    'code-of-other-client',
    () => ({ other: plainApp.clientId, clientId: dpopApp.clientId }),
    async () => exchange(plainApp, { client_id: dpopApp.clientId }, await proof()),
  ],
  ['no verifier', 'code-verifier-missing', () => ({}), () => exchange(plainApp, { code_verifier: '' })],
  [
    'a verifier that is too short',
    'code-verifier-malformed',
    () => ({ length: 9 }),
    () => exchange(plainApp, { code_verifier: 'too-short' }),
  ],
  [
    'a verifier without a challenge',
    'code-verifier-unexpected',
    () => ({}),
    () =>
      exchange(
        noPkceApp,
        { client_secret: 'the-current-secret-of-the-service' },
        {},
        {
          code_challenge: undefined,
          code_challenge_method: undefined,
        },
      ),
    'requirePkce',
  ],
  [
    'no redirect URI',
    'token-parameters',
    () => ({ description: "missing required parameter 'redirect_uri'" }),
    () => exchange(plainApp, { redirect_uri: '' }),
  ],
  [
    'a grant type of others',
    'token-grant-type',
    () => ({ used: 'client_credentials', registered: 'authorization_code, refresh_token' }),
    () => exchange(plainApp, { grant_type: 'client_credentials' }),
  ],
  [
    'a grant type that does not exist',
    'token-grant-type',
    () => ({ used: 'password', registered: 'authorization_code, refresh_token' }),
    () => exchange(plainApp, { grant_type: 'password' }),
  ],
  ['no DPoP proof', 'dpop-missing', () => ({}), () => exchange(dpopApp, {}), 'requireDpop'],
  [
    'a DPoP proof that is old',
    'dpop-time',
    () => ({ seconds: expect.closeTo(1000, -1), direction: 'old', allowed: 300 }),
    async () => exchange(dpopApp, {}, await proof({ claims: { iat: nowSeconds() - 1000 } })),
  ],
  [
    'a DPoP proof of a clock that is ahead',
    'dpop-time',
    () => ({ direction: 'in the future' }),
    async () => exchange(dpopApp, {}, await proof({ claims: { iat: nowSeconds() + 1000 } })),
  ],
  [
    'a DPoP proof for another address',
    'dpop-target',
    () => ({ claim: 'htu', sent: 'https://elsewhere.test/token', expected: expected.token }),
    async () => exchange(dpopApp, {}, await proof({ claims: { htu: 'https://elsewhere.test/token?x=hidden' } })),
  ],
  [
    'a DPoP proof for another method',
    'dpop-target',
    () => ({ claim: 'htm', sent: 'GET', expected: 'POST' }),
    async () => exchange(dpopApp, {}, await proof({ claims: { htm: 'GET' } })),
  ],
  [
    'a DPoP proof of another type',
    'dpop-unreadable',
    () => ({ reason: 'invalid DPoP key binding' }),
    async () => exchange(dpopApp, {}, await proof({ typ: 'JWT' })),
  ],
  [
    'a DPoP proof that was used before',
    'dpop-replayed',
    () => ({}),
    async () => {
      const used = await proof();
      expect((await exchange(dpopApp, {}, used)).status).toBe(200);
      return exchange(dpopApp, {}, used);
    },
  ],
  [
    'a DPoP proof by another key than announced',
    'dpop-key',
    () => ({ what: 'code' }),
    async () => {
      const { x, y, crv, kty } = await exportJWK(otherProofKey.publicKey);
      const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
      return exchange(dpopApp, {}, await proof(), { dpop_jkt: thumbprint });
    },
  ],
  [
    'a refresh token that was never issued',
    'refresh-token-unknown',
    () => ({}),
    () => send({ grant_type: 'refresh_token', client_id: plainApp.clientId, refresh_token: 'r'.repeat(43) }),
  ],
  [
    'a refresh token that has expired',
    'refresh-token-expired',
    () => ({ seconds: expect.closeTo(30, -1) }),
    async () => {
      const app = appFor(plainApp);
      const { refresh_token: token = '' } = await app.tokens(people.patient);
      await portal.query(
        "UPDATE oidc_record SET expires_at = now() - interval '30 seconds' WHERE model = 'RefreshToken'",
      );
      return app.refresh(token);
    },
    'refreshTokenLifetime',
  ],
  [
    'a refresh token of another client',
    'refresh-token-of-other-client',
    () => ({ clientId: dpopApp.clientId }),
    async () => {
      const { refresh_token: token = '' } = await appFor(plainApp).tokens(people.patient);
      const form = { grant_type: 'refresh_token', client_id: dpopApp.clientId, refresh_token: token };
      return send(form, await proof());
    },
  ],
  [
    'a refresh for more than was granted',
    'refresh-scope',
    () => ({ scope: 'user/*.cruds' }),
    async () => {
      const app = appFor(plainApp);
      const { refresh_token: token = '' } = await app.tokens(people.patient);
      return app.refresh(token, { scope: 'user/*.cruds' });
    },
  ],
];

describe('A token request is explained', () => {
  it.each([...authenticationMistakes, ...assertionMistakes, ...grantMistakes])(
    'with %s: %s',
    async (_, code, detail, make, ...[field]) => {
      const answer = await make();
      expect(answer.status).toBeGreaterThanOrEqual(400);
      await expectCause(answer, code, detail(), field);
    },
  );

  it('at its launch when a wrong secret comes with a code whose record was removed', async () => {
    const app = appFor(noPkceApp);
    const code = await codeOf(app);
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: app.verifier };
    await allWritten(portal);
    await portal.query("DELETE FROM oidc_record WHERE model = 'AuthorizationCode'");
    const answer = await send(form, basicAuthorization(noPkceApp.clientId, 'wrong'));
    expect((await expectCause(answer, 'token-secret-wrong', {}, 'clientSecrets'))?.kind).toBe('launch');
  });

  it('with too many wrong secrets: token-secrets-throttled', async () => {
    let answer = await send(services, secretOf('wrong'));
    for (let attempt = 0; attempt < 60 && answer.status !== 429; attempt += 1)
      answer = await send(services, secretOf('wrong'));
    expect(answer.status).toBe(429);
    await expectCause(answer, 'token-secrets-throttled', { seconds: expect.stringMatching(/^\d+$/) });
  });

  it('in the same words to the caller, whether the client exists or not', async () => {
    const answers = [
      await send(services, basicAuthorization('unregistered-client', 'x')),
      await send(services, basicAuthorization(service.clientId, 'x')),
      await send(services, basicAuthorization(disabled.clientId, sharedSecret)),
    ];
    const told = answers.map(({ status, text }) => [status, text.replace(/Reference: \S{10}/, '')]);
    expect(new Set(told.map(String)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers['x-launch-reference'])).size).toBe(3);
  });
});
