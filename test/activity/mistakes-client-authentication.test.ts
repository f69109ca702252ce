/**
 * Clients that do not prove who they are at the token endpoint: each mistake is found in its launch, or at its client,
 * with what differs.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { clientsChanged } from '../../src/clients/domain/client.js';
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { basicAuthorization } from '../support/apps/smart-app.js';
import { assertionType, clientAssertion, nowSeconds } from '../support/clients/assertions.js';
import { confidentialKinds, kindsWithSecret } from '../support/clients/client-kinds.js';
import { redirectUri, sharedSecret } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { messageMistakes } from '../support/mistakes/token-messages.js';
import {
  appOfKind,
  disabled,
  expiredKey,
  key,
  mixed,
  noPkceApp,
  plainApp,
  removedKey,
  removing,
  rsaKey,
  service,
  serviceOfKind,
  services,
  startTokenPortal,
  strangeKey,
  type TokenPortal,
} from '../support/mistakes/token-mistakes.js';
import { allWritten, entriesOf, launchOf } from '../support/portal/launch-rows.js';
import { tellNodes } from '../support/portal/portal.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';

const longAgo = () => new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
let at: TokenPortal;
const secrets = SentSecrets.collect();

beforeAll(async () => {
  at = await startTokenPortal();
});
afterAll(() => at.close());

describe.each(kindsWithSecret)('A client with a secret ($name)', (kind) => {
  it('has the wrong secret of its token request in the record of its launch', async () => {
    const app = kind.app(at.portal, appOfKind(kind));
    const code = await at.codeOf(app);
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: app.verifier };
    const answer = await kind.post(new Agent(at.portal.issuer), '/connect/token', appOfKind(kind), form, {
      secret: 'x',
    });
    expect(answer.status).toBe(401);
    const launch = await at.expectCause(answer, 'token-secret-wrong', { count: 1 }, 'clientSecrets');
    expect(launch).toMatchObject({ kind: 'launch', outcome: 'refused', client_id: appOfKind(kind).clientId });
    expect(Object.keys(launch?.entries ?? {})).toContain('code-issued');
  });
});

describe.each(confidentialKinds)('A back-end service ($name)', (kind) => {
  it('has its last success and its refusals, counted by cause, in one row each per day', async () => {
    const registered = serviceOfKind(kind);
    const ask = (form: object) =>
      kind.post(new Agent(at.portal.issuer), '/connect/token', registered, { ...services, ...form });
    const success = await launchOf(at.portal, await ask({}));
    expect(success).toMatchObject({ kind: 'service', outcome: 'completed', client_id: registered.clientId });
    await ask({ scope: 'nothing' });
    const refused = await at.expectCause(await ask({ scope: 'nothing' }), 'scopes-none-left', {
      asked: 1,
      reason: 'The scope is not in the grammar',
    });
    expect(refused).toMatchObject({ kind: 'service', client_id: registered.clientId });
    expect(refused?.entries['scopes-none-left']?.count).toBe(2);
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
    () => ({ clientId: 'an-unregistered-client' }),
    () => at.send({ ...services, client_id: 'an-unregistered-client', client_secret: 'x' }),
  ],
  [
    'a client id that is not registered, by Basic',
    'token-client-unknown',
    () => ({ clientId: 'an-unregistered-client' }),
    () => at.send(services, basicAuthorization('an-unregistered-client', 'x')),
  ],
  [
    'a disabled client',
    'token-client-disabled',
    () => ({ clientId: disabled.clientId }),
    () => at.send(services, basicAuthorization(disabled.clientId, sharedSecret)),
    'enabled',
  ],
  ['no client at all', 'token-client-missing', () => ({ sent: 'grant_type, scope' }), () => at.send(services)],
  [
    'two client ids',
    'token-client-differs',
    () => ({ named: plainApp.clientId, proving: mixed.clientId }),
    () => at.send({ ...services, client_id: plainApp.clientId }, current()),
  ],
  [
    'a secret where keys are registered',
    'token-authentication-method',
    () => ({ used: 'client_secret_basic', registered: 'private_key_jwt' }),
    () => at.send(services, basicAuthorization(service.clientId, 'x')),
    'clientSecrets',
  ],
  [
    'an assertion where secrets are registered',
    'token-authentication-method',
    () => ({ used: 'private_key_jwt', registered: 'client_secret_basic, client_secret_post' }),
    () => at.assert({ clientId: mixed.clientId }),
    'clientSecrets',
  ],
  [
    'two authentication methods at once',
    'token-authentication-twice',
    () => ({ used: 'client_secret_basic and client_secret_post' }),
    () => at.send({ ...services, client_id: mixed.clientId, client_secret: 'x' }, current()),
  ],
  [
    'a wrong secret',
    'token-secret-wrong',
    () => ({ count: 1 }),
    () => at.send(services, secretOf('wrong')),
    'clientSecrets',
  ],
  [
    'an expired secret',
    'token-secret-expired',
    () => ({ secret: 'From last year', expired: longAgo() }),
    () => at.send(services, secretOf('the-expired-secret-of-the-service')),
    'clientSecrets',
  ],
];

const tampered = async () => {
  const text = await clientAssertion({
    clientId: service.clientId,
    audience: at.endpoint,
    key: { ...strangeKey, jwk: key.jwk },
  });
  return at.send({ ...services, client_assertion_type: assertionType, client_assertion: text });
};
let reused: string;

const assertionMistakes: Mistake[] = [
  [
    'an unknown kid',
    'assertion-key-unknown',
    () => ({ kid: 'strange-key', known: 'current-key' }),
    () => at.assert({ by: strangeKey }),
    'clientSecrets',
  ],
  [
    'an expired key',
    'assertion-key-expired',
    () => ({ kid: 'old-key', secret: 'Key old-key', expired: longAgo() }),
    () => at.assert({ by: expiredKey }),
    'clientSecrets',
  ],
  [
    'an assertion in the Authorization header',
    'assertion-misplaced',
    () => ({}),
    async () => {
      const text = await clientAssertion({ clientId: service.clientId, audience: at.endpoint, key });
      return at.send(services, { authorization: `Bearer ${text}` });
    },
  ],
  [
    'the kid of no key, and the signature of a registered one',
    'assertion-key-misnamed',
    () => ({ kid: 'Current-Key', right: 'current-key', from: 'registered here' }),
    () => at.assert({ header: { kid: 'Current-Key' } }),
  ],
  [
    'a kid that two keys have',
    'assertion-key-twice',
    () => ({ kid: 'double-key', keys: expect.stringMatching(/^EC P-384.+in the key set at .+; EC P-384/) }),
    () => at.assert({ clientId: 'double-keys', header: { kid: 'double-key' } }),
    'clientSecrets',
  ],
  ['no kid', 'assertion-key-missing', () => ({}), () => at.assert({ header: { kid: undefined } })],
  [
    'a key that does not fit its algorithm',
    'assertion-key-unfit',
    () => ({ kid: 'current-key', used: 'RS384', key: 'EC P-384 for ES384' }),
    () => at.assert({ by: rsaKey }),
    'clientSecrets',
  ],
  [
    'a signature by another key',
    'assertion-signature',
    () => ({ kid: 'current-key', from: 'registered here' }),
    tampered,
    'clientSecrets',
  ],
  [
    'an algorithm that is not supported',
    'assertion-algorithm',
    () => ({ used: 'HS256' }),
    async () => {
      const claims = {
        iss: service.clientId,
        sub: service.clientId,
        aud: at.endpoint,
        jti: randomUUID(),
        exp: nowSeconds() + 60,
      };
      const text = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(randomBytes(32));
      return at.send({ ...services, client_assertion_type: assertionType, client_assertion: text });
    },
  ],
  [
    'another audience',
    'assertion-audience',
    () => ({ sent: 'https://elsewhere.test/token', expected: at.endpoint }),
    () => at.assert({ claims: { aud: 'https://elsewhere.test/token' } }),
  ],
  [
    'an audience with a slash more',
    'assertion-audience',
    () => ({ sent: `${at.endpoint}/`, expected: at.endpoint, difference: 'the slash at the end of the path' }),
    () => at.assert({ claims: { aud: `${at.endpoint}/` } }),
  ],
  [
    'an issuer that is not the client',
    'assertion-issuer',
    () => ({ iss: 'https://app.test', sub: service.clientId }),
    () => at.assert({ claims: { iss: 'https://app.test' } }),
  ],
  [
    'an assertion that has expired',
    'assertion-expired',
    () => ({ seconds: expect.closeTo(100, -1) }),
    () => at.assert({ claims: { exp: nowSeconds() - 100 } }),
  ],
  [
    'an assertion of a clock that is ahead',
    'assertion-from-future',
    () => ({ seconds: expect.closeTo(600, -1) }),
    () => at.assert({ claims: { iat: nowSeconds() + 600, exp: nowSeconds() + 900 } }),
  ],
  [
    'an assertion that is not valid yet',
    'assertion-from-future',
    () => ({ seconds: expect.closeTo(120, -1) }),
    () => at.assert({ claims: { nbf: nowSeconds() + 120 } }),
  ],
  [
    'an assertion that lives too long',
    'assertion-lifetime',
    () => ({ seconds: expect.closeTo(3600, -1), allowed: 300 }),
    () => at.assert({ claims: { exp: nowSeconds() + 3600 } }),
  ],
  ['no jti', 'assertion-claim-missing', () => ({ claim: 'jti' }), () => at.assert({ claims: { jti: undefined } })],
  [
    'an assertion that was used before',
    'assertion-reused',
    () => ({}),
    async () => {
      reused = await clientAssertion({ clientId: service.clientId, audience: at.endpoint, key });
      const form = { ...services, client_assertion_type: assertionType, client_assertion: reused };
      expect((await at.send(form)).status).toBe(200);
      return at.send(form);
    },
  ],
  [
    'an assertion that is no JWT',
    'assertion-unreadable',
    () => ({ reason: 'it has no dots, and a signed JWT has three parts between dots' }),
    () => at.send({ ...services, client_assertion_type: assertionType, client_assertion: 'none' }),
  ],
  [
    'an assertion of another type',
    'assertion-type',
    () => ({ sent: 'another text', expected: assertionType }),
    async () =>
      at.send({
        ...services,
        client_assertion_type: 'jwt',
        client_assertion: await clientAssertion({ clientId: service.clientId, audience: at.endpoint, key }),
      }),
  ],
  ...(
    [
      ['failing-keys', () => at.keyHost, /status 503|503/],
      ['silent-keys', () => at.keyHost, /did not answer in time/],
      ['unreadable-keys', () => at.keyHost, /./],
      ['tls-keys', () => at.keyHost, /TLS/],
      ['private-keys', () => '127.0.0.1:9', /address is private/],
      ['closed-keys', () => 'localhost:9', /refuses the connection/],
    ] as const
  ).map(
    ([clientId, host, reason]): Mistake => [
      `keys that cannot be read (${clientId})`,
      'assertion-key-set-unreachable',
      () => ({ host: host(), reason: expect.stringMatching(reason) }),
      () => at.assert({ clientId }),
      'clientSecrets',
    ],
  ),
];

describe('A token request is explained', () => {
  it.each([...authenticationMistakes, ...assertionMistakes, ...messageMistakes(() => at)])(
    'with %s: %s',
    async (_, code, detail, make, ...[field]) => {
      const answer = await make();
      expect(answer.status).toBeGreaterThanOrEqual(400);
      await at.expectCause(answer, code, detail(), field);
    },
  );

  it('at its launch when a wrong secret comes with a code whose record was removed', async () => {
    const app = at.appFor(noPkceApp);
    const code = await at.codeOf(app);
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: app.verifier };
    await allWritten(at.portal);
    await at.portal.query("DELETE FROM oidc_record WHERE model = 'AuthorizationCode'");
    const answer = await at.send(form, basicAuthorization(noPkceApp.clientId, 'wrong'));
    expect((await at.expectCause(answer, 'token-secret-wrong', {}, 'clientSecrets'))?.kind).toBe('launch');
  });

  it('with too many wrong secrets: token-secrets-throttled', async () => {
    let answer = await at.send(services, secretOf('wrong'));
    for (let attempt = 0; attempt < 60 && answer.status !== 429; attempt += 1)
      answer = await at.send(services, secretOf('wrong'));
    expect(answer.status).toBe(429);
    await at.expectCause(answer, 'token-secrets-throttled', { seconds: expect.stringMatching(/^\d+$/) });
  });

  it('that cannot be read: endpoint-unreadable', async () => {
    const answer = await at.send({ ...services, client_id: mixed.clientId, client_secret: 'a-secret-with-\0' });
    const detail = { endpoint: 'token', fault: 'its body has a NUL character' };
    expect(entriesOf(await launchOf(at.portal, answer), 'endpoint-unreadable')).toMatchObject([{ detail }]);
  });

  it.each<[parameter: string, body: string]>([
    ['client id', `client_id=secret%E9service&client_secret=${sharedSecret}`],
    ['secret', 'client_id=removing-service&client_secret=planted-%E4-secret'],
    ['code', 'client_id=plain-app&grant_type=authorization_code&code_verifier=x&redirect_uri=x&code=%FFhidden'],
    ['refresh token', 'client_id=plain-app&grant_type=refresh_token&refresh_token=%FFhidden'],
  ])('in another encoding than UTF-8: token-encoding of the %s', async (parameter, body) => {
    const grant = body.includes('grant_type') ? '' : '&grant_type=client_credentials&scope=system/*.rs';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await new Agent(at.portal.issuer).send('/connect/token', {
      method: 'POST',
      body: body + grant,
      headers,
    });
    await at.expectCause(answer, 'token-encoding', { parameter });
  });

  describe.each([
    ['secret', 'secret', () => at.send(services, basicAuthorization(removing.clientId, 'the-removed-secret-of-this'))],
    ['key', 'key removed-key', () => at.assert({ clientId: removing.clientId, by: removedKey })],
  ] as const)('with a %s that was removed', (_, what, send) => {
    it('is told when it was removed: token-credential-removed', async () => {
      const [{ id } = { id: '' }] = await at.portal.query<{ id: string }>(
        'SELECT id FROM client WHERE client_id = $1',
        [removing.clientId],
      );
      await at.portal.query("DELETE FROM client_secret WHERE client = $1 AND description LIKE 'Removed%'", [id]);
      await tellNodes(at.portal, clientsChanged);
      const answer = await send();
      expect(answer.status).toBe(401);
      const removed = expect.stringMatching(/^\w+ \d+, 20\d\d, .* UTC$/);
      const detail = { what, removed, description: `Removed ${what.slice(0, 3)}` };
      await at.expectCause(answer, 'token-credential-removed', detail, 'clientSecrets');
    });
  });

  it('with the same text to the caller, whether the client exists or not', async () => {
    const answers = [
      await at.send(services, basicAuthorization('an-unregistered-client', 'x')),
      await at.send(services, basicAuthorization(service.clientId, 'x')),
      await at.send(services, basicAuthorization(disabled.clientId, sharedSecret)),
    ];
    const told = answers.map(({ status, text }) => [status, text.replace(/Reference: \S{10}/, '')]);
    expect(new Set(told.map(String)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers['x-launch-reference'])).size).toBe(3);
  });
});

it('No secret of these requests is recorded, whichever cause they have', () =>
  secrets.expectNoneRecorded(at.portal, 'client-authentication', [mixed.clientId]));
