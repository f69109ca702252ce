import fc from 'fast-check';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { plainServiceRequest } from '../../../src/oidc/engine/grants/client-credentials.js';
import { basicAuthorization } from '../../support/apps/smart-app.js';
import {
  type AssertionParts,
  assertionType,
  type ClientKey,
  clientAssertion,
  makeClientKey,
  nowSeconds,
  serviceWithKeys,
} from '../../support/clients/assertions.js';
import { backendService, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { withoutReference } from '../../support/http/references.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { runs } from '../../support/runs.js';

const algorithms = ['RS256', 'RS384', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const;
const keys = await Promise.all(algorithms.map((alg) => makeClientKey(alg, alg)));
const otherKeys = await Promise.all(algorithms.map((alg) => makeClientKey(alg, alg)));
const keyed = serviceWithKeys('keyed', keys, sharedSecret);
const claiming = {
  ...backendService,
  clientId: 'claiming',
  accessTokenLifetime: '00:07:00',
  clientClaimPrefix: 'ward_',
  clientClaims: [{ name: 'unit', value: 'north' }],
};
const special = {
  'with reference tokens': { accessTokenType: 'Reference' },
  'that manages the portal': { clientType: 'ManagementApi' },
  'of one tenant': { allowedTenants: ['north'] },
};

let portal: TestPortal;

beforeAll(async () => {
  const services = Object.entries(special).map(([name, settings]) => ({
    ...backendService,
    clientId: name.replaceAll(' ', '-'),
    ...settings,
  }));
  portal = await startPortal({
    config: {
      clients: [
        backendService,
        keyed,
        claiming,
        { ...backendService, clientId: 'disabled', enabled: false },
        ...services,
      ],
      fhir: {
        baseUrl: 'http://localhost:1',
        tenants: [{ id: 'north', name: 'North', baseUrl: 'http://localhost:1', credentials: { type: 'none' } }],
      },
    },
  });
});

afterAll(() => portal.close());

const usual = { grant_type: 'client_credentials', scope: 'system/*.rs' };
/** A parameter that means nothing, and takes the request to the engine. */
const unusual = { unknown: '1' };

function ask(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
  return new Agent(portal.issuer).postForm('/connect/token', { ...usual, ...form }, { headers });
}

const bySecret = (clientId: string, form: Record<string, string> = {}) =>
  ask(form, basicAuthorization(clientId, sharedSecret));

async function byAssertion(parts: Partial<AssertionParts>, form: Record<string, string> = {}): Promise<Answer> {
  const [key] = keys;
  const audience = `${portal.issuer}/connect/token`;
  const assertion = await clientAssertion({ clientId: 'keyed', audience, key: key as (typeof keys)[0], ...parts });
  return ask({ client_assertion_type: assertionType, client_assertion: assertion, ...form });
}

const isUuid = (jti: unknown) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(jti));

/** The answer without what differs between any two tokens; and whether the engine issued the token. */
function read(answer: Answer): { said: unknown; isFromEngine: boolean } {
  const { status, text, headers } = withoutReference(answer);
  const { access_token: token, ...members } = JSON.parse(text) as Record<string, unknown>;
  const { 'x-correlation-id': _, date: __, 'content-length': ___, 'retry-after': ____, ...otherHeaders } = headers;
  if (typeof token !== 'string') return { said: { status, members, otherHeaders }, isFromEngine: true };
  const { jti, iat, exp, ...claims } = decodeJwt(token);
  const seconds = Number(exp) - Number(iat);
  const names = Object.keys(decodeJwt(token));
  const said = { status, members, otherHeaders, header: decodeProtectedHeader(token), claims, names, seconds };
  return { said, isFromEngine: !isUuid(jti) };
}

describe.each([
  ['a secret', (form?: Record<string, string>) => bySecret('backend-service', form)],
  ['a secret and claims of its own', (form?: Record<string, string>) => bySecret('claiming', form)],
  ...keys.map(
    (key) => [`an ${key.alg} assertion`, (form?: Record<string, string>) => byAssertion({ key }, form)] as const,
  ),
] as const)('A service with %s', (_, send) => {
  it('gets from a request in the usual form what it gets from the engine', async () => {
    await send();
    const [plain, byEngine] = [read(await send()), read(await send(unusual))];
    expect([plain.isFromEngine, byEngine.isFromEngine]).toEqual([false, true]);
    expect(plain.said).toEqual(byEngine.said);
  });
});

describe('A request that the engine alone answers', () => {
  it.each(Object.keys(special))('is one of a service %s', async (name) => {
    const clientId = name.replaceAll(' ', '-');
    const scope = name.includes('manages') ? 'http://server.fire.ly/auth/scope/authmanagement' : usual.scope;
    const { access_token: token } = (await bySecret(clientId, { scope })).json<{ access_token?: string }>();
    expect(token === undefined || !token.includes('.') || !isUuid(decodeJwt(token).jti)).toBe(true);
  });

  const text = (form: object) => new URLSearchParams(form as Record<string, string>).toString();
  const type = 'application/x-www-form-urlencoded';
  const basic = basicAuthorization('backend-service', sharedSecret);
  const credentials = (value: string) => ({ authorization: `Basic ${Buffer.from(value).toString('base64')}` });
  const named = { 'content-type': type, ...basic };

  it('is not one in the usual form', () => {
    expect(plainServiceRequest(named, text(usual))).toMatchObject({
      clientId: 'backend-service',
      secret: sharedSecret,
    });
    const inUtf8 = { ...named, 'content-type': `${type}; charset=UTF-8` };
    expect(plainServiceRequest(inUtf8, text({ ...usual, client_id: 'backend-service' }))).toBeDefined();
  });

  it.each<[string, Record<string, string>, string]>([
    ['another content type', { ...named, 'content-type': 'application/json' }, text(usual)],
    ['another charset', { ...named, 'content-type': `${type}; charset=utf-16` }, text(usual)],
    ['no content type', basic, text(usual)],
    ['a DPoP proof', { ...named, dpop: 'x' }, text(usual)],
    ['an origin', { ...named, origin: 'https://app.example' }, text(usual)],
    ['an unknown parameter', named, text({ ...usual, ...unusual })],
    ['a resource', named, text({ ...usual, resource: 'https://x' })],
    ['a parameter twice', named, `${text(usual)}&scope=system/*.rs`],
    ['an empty parameter', named, text({ ...usual, client_id: '' })],
    ['no scope', named, text({ grant_type: 'client_credentials' })],
    ['two spaces between scopes', named, text({ ...usual, scope: 'system/*.rs  system/*.s' })],
    ['a quote in the scope', named, text({ ...usual, scope: '"' })],
    ['another grant type', named, text({ ...usual, grant_type: 'refresh_token' })],
    ['another client id', named, text({ ...usual, client_id: 'other' })],
    ['no credentials', { 'content-type': type }, text({ ...usual, client_id: 'backend-service' })],
    ['a bearer token', { 'content-type': type, authorization: 'Bearer x' }, text(usual)],
    ['credentials without a colon', { 'content-type': type, ...credentials('backend-service') }, text(usual)],
    ['an encoded secret', { 'content-type': type, ...credentials('a:%41') }, text(usual)],
    ['a plus in the secret', { 'content-type': type, ...credentials('a:b+c') }, text(usual)],
    ['a control character', { 'content-type': type, ...credentials('a:b\n') }, text(usual)],
    ['credentials that are not base64', { 'content-type': type, authorization: 'Basic a:b' }, text(usual)],
    ['a secret in the form', { 'content-type': type }, text({ ...usual, client_id: 'a', client_secret: 'b' })],
    [
      'a secret and an assertion',
      named,
      text({ ...usual, client_assertion_type: assertionType, client_assertion: 'a.b.c' }),
    ],
    [
      'an assertion that is no JWT',
      { 'content-type': type },
      text({ ...usual, client_assertion_type: assertionType, client_assertion: 'e30.e30.x' }),
    ],
    [
      'another type of assertion',
      { 'content-type': type },
      text({ ...usual, client_assertion_type: 'x', client_assertion: 'e30.e30.x' }),
    ],
  ])('is one with %s', (_, headers, body) => {
    expect(plainServiceRequest(headers, body)).toBeUndefined();
  });
});

describe('The answer to any request of a service', () => {
  const anyScope = fc.oneof(
    fc.constantFrom(
      'system/*.rs',
      'system/Patient.rs system/Patient.rs',
      'patient/*.rs',
      'openid',
      'x',
      '',
      'system/*.cruds',
    ),
    fc
      .array(fc.constantFrom('system/Slot.rs', 'system/*.read', 'openid', 'system/Patient.r?a=b', ' '), {
        maxLength: 4,
      })
      .map((parts) => parts.join(' ')),
  );

  it('is the one of the engine, by secret', async () => {
    const anyClient = fc.constantFrom('backend-service', 'claiming', 'disabled', 'unknown', 'of-one-tenant', 'keyed');
    await fc.assert(
      fc.asyncProperty(anyClient, anyScope, fc.boolean(), async (clientId, scope, isNamed) => {
        const form = { scope, ...(isNamed && { client_id: clientId }) };
        const [plain, byEngine] = [await bySecret(clientId, form), await bySecret(clientId, { ...form, ...unusual })];
        expect(read(plain).said).toEqual(read(byEngine).said);
      }),
      runs(40, 1000),
    );
  });

  it('is the one of the engine, by assertion', async () => {
    const now = nowSeconds();
    const times = [undefined, now - 100, now + 100, now + 200, now + 10_000, '1', 0, null, now + 0.5];
    const texts = [undefined, 'keyed', 'other', '', 7, null, ['keyed'], {}];
    const values: Record<string, unknown[]> = {
      iss: texts,
      sub: texts,
      exp: times,
      nbf: times,
      iat: times,
      jti: texts,
      aud: ['token', 'issuer', ['token'], ['issuer', 'x'], 'issuer/', 'https://x.example', '', undefined, 1],
      kid: [...algorithms, 'other', undefined, 1],
      typ: ['JWT', 'x', undefined],
      jku: ['https://x.example/keys', undefined],
    };
    const all = Object.entries(values).flatMap(([name, each]) => each.map((value) => ({ [name]: value })));
    const addressOf = (aud: unknown): unknown =>
      Array.isArray(aud)
        ? aud.map(addressOf)
        : ({ token: `${portal.issuer}/connect/token`, issuer: portal.issuer, 'issuer/': `${portal.issuer}/` }[
            String(aud)
          ] ?? aud);
    const compare = async (key: ClientKey, ...changes: Record<string, unknown>[]) => {
      const { kid, typ, jku, ...claims }: Record<string, unknown> = Object.assign({}, ...changes);
      const named = Object.keys(Object.assign({}, ...changes));
      const header = Object.fromEntries(Object.entries({ kid, typ, jku }).filter(([name]) => named.includes(name)));
      const told = { ...claims, ...('aud' in claims && { aud: addressOf(claims.aud) }) };
      const send = (form: Record<string, string>) => {
        // A `jti` of its own for each: an assertion counts once in either way.
        const own = typeof claims.jti === 'string' && claims.jti !== '' ? { jti: `any ${Math.random()}` } : {};
        return byAssertion({ key, claims: { ...told, ...own }, header } as Partial<AssertionParts>, form);
      };
      const [plain, byEngine] = [await send({}), await send(unusual)];
      expect({ changes, said: read(plain).said }).toEqual({ changes, said: read(byEngine).said });
    };
    const [first] = keys as [ClientKey];
    for (const change of all) await compare(first, change);
    const anyKey = fc.oneof({ arbitrary: fc.constantFrom(...keys), weight: 6 }, fc.constantFrom(...otherKeys));
    const anyChange = fc.constantFrom(...all);
    await fc.assert(fc.asyncProperty(anyKey, anyChange, anyChange, compare), runs(60, 1500));
  });
});

describe('An assertion', () => {
  it.each([
    ['in the usual form, then by the engine', {}, unusual],
    ['by the engine, then in the usual form', unusual, {}],
    ['in the usual form twice', {}, {}],
  ])('C-04 is used once: %s', async (_, first, second) => {
    const parts = { claims: { jti: `once ${Math.random()}` } };
    expect((await byAssertion(parts, first)).status).toBe(200);
    expect((await byAssertion(parts, second)).status).toBe(401);
  });

  it('C-04 is used once by twenty requests at the same time, of both kinds', async () => {
    const parts = { claims: { jti: 'burst' } };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => byAssertion(parts, index % 2 === 0 ? {} : unusual)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
