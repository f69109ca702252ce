import { createHmac, randomUUID } from 'node:crypto';
import { exportSPKI } from 'jose';
import { basicAuthorization, SmartApp } from '../../support/apps/smart-app.js';
import {
  type AssertionParts,
  assertionType,
  type ClientKey,
  clientAssertion,
  makeClientKey,
  nowSeconds,
  serviceWithKeys,
} from '../../support/clients/assertions.js';
import { clientKinds, confidentialKinds, kindsWithSecret } from '../../support/clients/client-kinds.js';
import { backendService, publicApp, redirectUri, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { withoutReference } from '../../support/http/references.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const ec = await makeClientKey('ES384', 'ec-key');
const rsa = await makeClientKey('RS384', 'rsa-key');
/** Not registered, but with the ids of registered keys. */
const foreignKeys = { ES384: await makeClientKey('ES384', 'ec-key'), RS384: await makeClientKey('RS384', 'rsa-key') };
const otherSecret = 'another-typed-secret-of-this-service';

const keyed = serviceWithKeys('keyed-service', [ec, rsa]);
const mixed = serviceWithKeys('mixed-service', [ec, rsa], sharedSecret);
const oneKey = [ec, rsa].map((key) => serviceWithKeys(`${key.alg}-service`, [key]));
const twoSecrets = {
  ...backendService,
  clientId: 'two-secrets',
  clientSecrets: [sharedSecret, otherSecret].map((secret) => ({ secretType: 'SharedSecret', secret, description: '' })),
};

const services = confidentialKinds.map((kind) => kind.service('service'));
const apps = clientKinds.map((kind) => kind.client('app'));

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: {
      users: [people.patient],
      clients: [publicApp, backendService, keyed, mixed, ...oneKey, twoSecrets, ...services, ...apps],
    },
  });
});

afterAll(() => portal.close());

const audience = () => `${portal.issuer}/connect/token`;

function request(form: Record<string, string>, headers: Record<string, string> = {}, node = 0): Promise<Answer> {
  return new Agent(portal.issuer, portal.ports[node]).postForm(
    '/connect/token',
    { grant_type: 'client_credentials', scope: 'system/*.rs', ...form },
    { headers },
  );
}

const withAssertion = (assertion: string, node = 0) =>
  request({ client_assertion_type: assertionType, client_assertion: assertion }, {}, node);

async function assertedBy(key: ClientKey, parts: Partial<AssertionParts> = {}): Promise<Answer> {
  const clientId = parts.clientId ?? 'keyed-service';
  return withAssertion(await clientAssertion({ clientId, audience: audience(), key, ...parts }));
}

function expectInvalidClient(answer: Answer, status = 401): void {
  expect([answer.status, answer.json().error]).toEqual([status, 'invalid_client']);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
}

const encode = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

// A public client has no credentials that could be wrong.
describe.each(confidentialKinds)('A client with wrong credentials ($name)', (kind) => {
  it('C-01 gets the same error whether it exists or not', async () => {
    const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
    const send = (clientId: string) =>
      kind.post(new Agent(portal.issuer), '/connect/token', { clientId }, form, { secret: 'not-its-secret' });
    const unknown = await send('unknown');
    // `keyed` has registered other keys with the same ids.
    const [wrong, without] = await Promise.all(
      (kind.bySecret ? [backendService, keyed] : [keyed, backendService]).map(({ clientId }) => send(clientId)),
    );
    if (!wrong || !without) throw new Error('no answer');
    for (const answer of [unknown, wrong, without]) expectInvalidClient(answer);
    const comparable = (answer: Answer) => {
      const { text, headers } = withoutReference(answer);
      return { text, headers: { ...headers, 'x-correlation-id': '', date: '' } };
    };
    expect(comparable(wrong)).toEqual(comparable(unknown));
    expect(comparable(without)).toEqual(comparable(unknown));
  });
});

describe.each(clientKinds)('A client without its credentials ($name)', (kind) => {
  it('C-13 is refused if it is confidential, and a public client is refused with a secret', async () => {
    const { clientId } = kind.client('app');
    const code = { grant_type: 'authorization_code', code: 'x', redirect_uri: redirectUri };
    const send = (form: object, headers = {}) =>
      new Agent(portal.issuer).postForm('/connect/token', { ...code, ...form }, { headers });
    if (kind.isPublic) {
      expectInvalidClient(await send({ client_id: clientId, client_secret: 'made-up' }));
      expectInvalidClient(await send({}, basicAuthorization(clientId, 'made-up')));
    } else {
      expectInvalidClient(await send({ client_id: clientId }));
      expectInvalidClient(await request({ client_id: kind.service('service').clientId }));
    }
  });
});

describe('A client with a secret', () => {
  it('SMART client-symmetric C-12 may use any of its secrets, in the header or in the body', async () => {
    const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
    for (const kind of kindsWithSecret) {
      const send = (secret: string) =>
        kind.post(new Agent(portal.issuer), '/connect/token', { clientId: 'two-secrets' }, form, { secret });
      for (const secret of [sharedSecret, otherSecret]) {
        expect([kind.name, (await send(secret)).status]).toEqual([kind.name, 200]);
      }
      expectInvalidClient(await send('neither'));
    }
  });

  it('C-12 may use its key instead', async () => {
    for (const key of [ec, rsa]) expect((await assertedBy(key, { clientId: 'mixed-service' })).status).toBe(200);
    expect((await request({}, basicAuthorization('mixed-service', sharedSecret))).status).toBe(200);
    expectInvalidClient(await request({}, basicAuthorization('keyed-service', sharedSecret)));
    expectInvalidClient(await request({ client_id: 'keyed-service' }));
  });

  it('is refused with two authentication methods at once', async () => {
    const both = await request(
      { client_id: 'two-secrets', client_secret: sharedSecret },
      basicAuthorization('two-secrets', sharedSecret),
    );
    expect(both.status).toBe(400);
    const mismatch = await request({ client_id: 'mixed-service' }, basicAuthorization('two-secrets', sharedSecret));
    expect([400, 401]).toContain(mismatch.status);
  });

  it('is refused with a client error for credentials that the database cannot store', async () => {
    for (const [id, secret] of [
      ['%00', 'x'],
      ['two-secrets', '%00'],
      ['%ED%A0%80', 'x'],
      ['x'.repeat(5000), 'x'],
      ['two-secrets', 'x'.repeat(20_000)],
      ['', ''],
    ] as const) {
      expect([400, 401, 431]).toContain((await request({}, basicAuthorization(id, secret))).status);
    }
  });
});

const bothKeys = [
  { alg: 'ES384', key: ec, other: rsa, foreign: foreignKeys.ES384 },
  { alg: 'RS384', key: rsa, other: ec, foreign: foreignKeys.RS384 },
];

describe.each(bothKeys)('A client with a key ($alg)', ({ alg, key, other, foreign }) => {
  const kid = String(key.jwk.kid);
  const asserted = (parts: Partial<AssertionParts> = {}) => assertedBy(key, parts);

  /** Signs any text as the payload, also invalid JSON. */
  async function signRaw(payload: string, header: object = {}): Promise<string> {
    const head = `${encode({ alg, kid, typ: 'JWT', ...header })}.${encode(payload)}`;
    const name = alg === 'ES384' ? 'ECDSA' : 'RSASSA-PKCS1-v1_5';
    const signature = await crypto.subtle.sign({ name, hash: 'SHA-384' }, key.privateKey, Buffer.from(head));
    return `${head}.${Buffer.from(signature).toString('base64url')}`;
  }

  it('SMART asymmetric-algorithms SMART backend-assertion may use RS384 and ES384, and the issuer or the token endpoint as audience', async () => {
    expect((await asserted()).status).toBe(200);
    expect((await asserted({ audience: portal.issuer })).status).toBe(200);
    expect((await asserted({ claims: { aud: [audience()] } })).status).toBe(200);
  });

  it('may have an audience that contains us among others (RFC 7523 §3)', async () => {
    for (const ours of [audience(), portal.issuer]) {
      for (const aud of [
        [ours, 'https://elsewhere.example/token'],
        ['https://elsewhere.example', ours],
        [portal.issuer, audience()],
      ]) {
        expect([aud, (await asserted({ claims: { aud } })).status]).toEqual([aud, 200]);
      }
    }
  });

  it('C-04 is refused with an algorithm that does not match its key', async () => {
    const claims = { iss: 'keyed-service', sub: 'keyed-service', aud: audience(), exp: nowSeconds() + 60 };
    const unsigned = `${encode({ alg: 'none', kid })}.${encode({ ...claims, jti: randomUUID() })}.`;
    expectInvalidClient(await withAssertion(unsigned));
    const publicPem = await exportSPKI(key.publicKey);
    const head = `${encode({ alg: 'HS256', kid })}.${encode({ ...claims, jti: randomUUID() })}`;
    expectInvalidClient(
      await withAssertion(`${head}.${createHmac('sha256', publicPem).update(head).digest('base64url')}`),
    );
    const clientId = `${alg}-service`;
    expect((await asserted({ clientId })).status).toBe(200);
    expectInvalidClient(await assertedBy(other, { clientId }));
    expectInvalidClient(await assertedBy(other, { clientId, header: { kid } }));
    expectInvalidClient(await asserted({ key: foreign }));
  });

  it('SMART asymmetric-jku C-04 is refused for critical members, embedded keys and repeated members', async () => {
    expectInvalidClient(await asserted({ key: foreign, header: { jwk: foreign.jwk } }));
    expectInvalidClient(await asserted({ header: { jku: 'https://keys.example.org/jwks.json' } }));
    const good = await clientAssertion({ clientId: 'keyed-service', audience: audience(), key });
    const [header = '', payload = '', signature = ''] = good.split('.');
    const twice = Buffer.from(payload, 'base64url').toString().replace('{', '{"iss":"another-client",');
    expectInvalidClient(await withAssertion(`${header}.${encode(twice)}.${signature}`));
    expectInvalidClient(await withAssertion(await signRaw(twice)));
    const fresh = JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), jti: randomUUID() });
    expectInvalidClient(await withAssertion(await signRaw(fresh, { crit: ['exp'], exp: 1 })));
    expectInvalidClient(await withAssertion(await signRaw(fresh, { crit: ['b64'], b64: true })));
    expect((await withAssertion(await signRaw(fresh))).status).toBe(200);
  });

  it('SMART asymmetric-claims C-05 is refused when a claim is missing, wrong, too far in the future or past', async () => {
    const now = nowSeconds();
    for (const claims of [
      { exp: now + 300 + 60 },
      { exp: now - 60 },
      { exp: undefined },
      { exp: 'soon' as unknown as number },
      { jti: undefined },
      { iss: undefined },
      { sub: undefined },
      { aud: undefined },
      { iss: 'mixed-service' },
      { sub: 'mixed-service' },
      { iss: 'two-secrets', sub: 'two-secrets' },
      { aud: 'https://elsewhere.example/token' },
      { aud: `${portal.issuer}/connect/authorize` },
      { aud: ['https://elsewhere.example', 'https://elsewhere.example/token'] },
      { aud: [] },
      { aud: [audience(), 7] as never },
      { nbf: now + 120 },
    ]) {
      expect([JSON.stringify(claims), (await asserted({ claims })).status]).toEqual([JSON.stringify(claims), 401]);
    }
    for (const header of [{ kid: undefined }, { kid: 'unknown' }]) expectInvalidClient(await asserted({ header }));
  });

  it('C-05 is accepted with the allowed clock skew', async () => {
    expect((await asserted({ claims: { nbf: nowSeconds() + 8, iat: nowSeconds() + 8 } })).status).toBe(200);
    expect((await asserted({ claims: { exp: nowSeconds() + 308 } })).status).toBe(200);
  });

  it('C-05 is refused when the audience comes from the Host of the request', async () => {
    const evil = await clientAssertion({
      clientId: 'keyed-service',
      audience: 'http://evil.example/connect/token',
      key,
    });
    const answer = await new Agent(portal.issuer).postForm(
      '/connect/token',
      { grant_type: 'client_credentials', client_assertion_type: assertionType, client_assertion: evil },
      { headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } },
    );
    expect(answer.status).toBe(421);
    const forwarded = await request(
      { client_assertion_type: assertionType, client_assertion: evil },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
    );
    expectInvalidClient(forwarded);
  });

  it('SMART asymmetric-replay C-06 may use an assertion once, on any node', async () => {
    const assertion = await clientAssertion({ clientId: 'keyed-service', audience: audience(), key });
    expect((await withAssertion(assertion)).status).toBe(200);
    expectInvalidClient(await withAssertion(assertion));
    expectInvalidClient(await withAssertion(assertion, 1));
  });

  it('C-06 may use an assertion once, also of 20 simultaneous requests on two nodes', async () => {
    const assertion = await clientAssertion({ clientId: 'keyed-service', audience: audience(), key });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => withAssertion(assertion, index % 2)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
  });

  it('C-06 may use a jti that another client has used', async () => {
    const claims = { jti: randomUUID() };
    expect((await asserted({ claims })).status).toBe(200);
    expect((await asserted({ clientId: 'mixed-service', claims })).status).toBe(200);
    expectInvalidClient(await asserted({ claims: { ...claims, exp: nowSeconds() + 200 } }));
  });

  it('SMART backend-assertion-type is refused with 400 and invalid_client for an unknown assertion type or a malformed assertion', async () => {
    const assertion = await clientAssertion({ clientId: 'keyed-service', audience: audience(), key });
    for (const form of [
      { client_assertion_type: 'not_an_assertion_type', client_assertion: assertion },
      { client_assertion: assertion },
      { client_assertion_type: assertionType, client_assertion: 'not.a.jwt' },
    ]) {
      expectInvalidClient(await request(form as Record<string, string>), 400);
    }
  });
});

describe.each(confidentialKinds)('A back-end service ($name)', (kind) => {
  const service = (form: Record<string, string>) =>
    kind.post(new Agent(portal.issuer), '/connect/token', kind.service('service'), {
      grant_type: 'client_credentials',
      scope: 'system/*.rs',
      ...form,
    });

  it('SMART backend-token gets an access token for its scopes, and no other token', async () => {
    const answer = await service({ scope: 'system/*.rs system/Patient.read' });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ scope: 'system/*.rs system/Patient.read', token_type: kind.tokenType });
    expect(Object.keys(answer.json()).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });

  it.each([
    'patient/*.rs',
    'user/*.rs',
    'openid',
    'launch/patient',
    'offline_access',
    'system/*.rs user/*.rs',
    '',
    'made-up',
  ])('SMART backend-scope B-16 is refused the scope %p, which requires a user or is unknown', async (scope) => {
    const answer = await service({ scope });
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_scope']);
  });

  it.each([
    'not_a_grant_type',
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:token-exchange',
  ])('SMART backend-grant-type B-17 is refused the grant type %p with 400', async (grant_type) => {
    const answer = await service({ grant_type });
    expect([answer.status, answer.json().error]).toEqual([400, 'unsupported_grant_type']);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });

  it('B-17 is refused without a grant type, and for one that it may not use', async () => {
    expect((await service({ grant_type: '' })).json().error).toMatch(/^(invalid_request|unsupported_grant_type)$/);
    for (const grant_type of ['authorization_code', 'refresh_token']) {
      expect((await service({ grant_type })).json().error).toBe('invalid_request');
    }
    const app = kind.app(portal, kind.client('app'));
    const answer = await app.token({ grant_type: 'client_credentials', scope: 'system/*.rs' });
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request']);
  });

  it('cannot send a user to the authorization endpoint', async () => {
    const answer = await new SmartApp(portal, { client: backendService }).authorize();
    expect(answer.status).toBe(400);
    expect(answer.location).toBeUndefined();
  });
});
