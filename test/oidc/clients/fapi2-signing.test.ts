import { randomUUID } from 'node:crypto';
import { createRemoteJWKSet, exportJWK, importJWK, type JWTPayload, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { FapiApp, fapiClient, fapiRedirect, makeProofKey } from '../../support/apps/fapi-app.js';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { type ClientKey, makeClientKey, nowSeconds } from '../../support/clients/assertions.js';
import { publicApp, redirectUri } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const [key, otherKey] = await Promise.all([makeClientKey('PS256', 'first'), makeClientKey('ES256', 'second')]);
// The registered key does not say for which algorithm it is.
delete key.jwk.alg;
const rs256 = (await importJWK(await exportJWK(key.privateKey), 'RS256')) as ClientKey['privateKey'];
const proofKey = await makeProofKey();
const signing = fapiClient('signing-app', key, { requireSignedRequestObject: true, requireSignedResponse: true });
const other = fapiClient('other-app', otherKey);
/** Signed answers do not need the profile. */
const quiet = { ...publicApp, clientId: 'quiet-app', requireConsent: false, requireSignedResponse: true };

let portal: TestPortal;
let keys: ReturnType<typeof createRemoteJWKSet>;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: [signing, other, quiet] } });
  keys = createRemoteJWKSet(new URL(`${portal.issuer}/.well-known/openid-configuration/jwks`));
});

afterAll(() => portal.close());

interface Parts {
  claims?: JWTPayload | (() => JWTPayload);
  alg?: string;
  by?: ClientKey['privateKey'];
  /** The first client of the suite sends no `typ` and no `iat`, the second one both. */
  suiteClient?: 'first' | 'second';
}

const suiteClients = ['first', 'second'] as const;

const app = () => new FapiApp(portal, signing, key, proofKey);

function claimsOf(mine: FapiApp, { claims }: Parts): JWTPayload {
  const { aud: resource, ...parameters } = mine.request();
  const now = nowSeconds();
  const registered = { iss: signing.clientId, aud: portal.issuer, nbf: now, exp: now + 300, jti: randomUUID() };
  return { ...parameters, resource, ...registered, ...(typeof claims === 'function' ? claims() : claims) };
}

function objectOf(mine: FapiApp, { alg = 'PS256', by = key.privateKey, suiteClient, ...parts }: Parts = {}) {
  const isFirst = suiteClient === 'first';
  const claims = { ...(!isFirst && { iat: nowSeconds() }), ...claimsOf(mine, parts) };
  return new SignJWT(claims)
    .setProtectedHeader({ alg, kid: 'first', ...(!isFirst && { typ: 'oauth-authz-req+jwt' }) })
    .sign(by);
}

/** Pushes nothing but the request object and the client's assertion. */
const push = (mine: FapiApp, request: string, more: Record<string, string> = {}): Promise<Answer> =>
  mine.send('/connect/par', { request, ...more }, { proof: false });

async function answerTo(mine: FapiApp): Promise<JWTPayload> {
  const pushed = await push(mine, await objectOf(mine));
  const request = mine.authorization(pushed.json<{ request_uri: string }>().request_uri);
  const landed = await new SmartApp(portal, { client: signing }).complete(people.patient, undefined, request);
  return verified(landed, signing.clientId);
}

/** The content of a signed answer, which has nothing next to it. */
async function verified(landed: URL, audience: string, algorithms = ['ES256']): Promise<JWTPayload> {
  expect([...landed.searchParams.keys()]).toEqual(['response']);
  const response = landed.searchParams.get('response') ?? '';
  const { payload } = await jwtVerify(response, keys, { issuer: portal.issuer, audience, algorithms });
  return payload;
}

describe('FAPI 2.0 Message Signing', () => {
  it('gives a code in a signed answer to a signed request', async () => {
    const mine = app();
    const answer = await answerTo(mine);
    expect(answer).toMatchObject({ state: mine.state, code: expect.any(String), exp: expect.any(Number) });
    expect(answer.exp).toBeLessThanOrEqual(nowSeconds() + 600);
    const tokens = (await mine.exchange(String(answer.code))).json<Tokens>();
    expect(tokens).toMatchObject({ token_type: 'DPoP', patient: '1' });
  });

  it.each<[string, JWTPayload | (() => JWTPayload)]>([
    [
      'fapi2-security-profile-final-ensure-request-object-with-multiple-aud-succeeds',
      () => ({ aud: [portal.issuer, 'https://elsewhere.example'] }),
    ],
    [
      'fapi2-security-profile-final-ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted',
      () => ({ nbf: nowSeconds() + 8 }),
    ],
  ])('%s accepts the request object', async (_, claims) => {
    for (const suiteClient of suiteClients) {
      const mine = app();
      expect((await push(mine, await objectOf(mine, { claims, suiteClient }))).status).toBe(201);
    }
  });

  it.each<[string, Parts]>([
    ['fapi2-security-profile-final-ensure-request-object-without-exp-fails', { claims: { exp: undefined } }],
    ['fapi2-security-profile-final-ensure-request-object-without-nbf-fails', { claims: { nbf: undefined } }],
    [
      'fapi2-security-profile-final-ensure-expired-request-object-fails',
      { claims: () => ({ exp: nowSeconds() - 300 }) },
    ],
    [
      'fapi2-security-profile-final-ensure-request-object-with-bad-aud-fails',
      { claims: { aud: 'https://elsewhere.example' } },
    ],
    [
      'fapi2-security-profile-final-ensure-request-object-with-exp-over-60-fails',
      { claims: () => ({ exp: nowSeconds() + 4200 }) },
    ],
    [
      'fapi2-security-profile-final-ensure-request-object-with-nbf-over-60-fails',
      { claims: () => ({ nbf: nowSeconds() - 4200 }) },
    ],
    ['fapi2-security-profile-final-ensure-signed-request-object-with-RS256-fails', { alg: 'RS256', by: rs256 }],
    [
      'fapi2-security-profile-final-ensure-matching-key-in-authorization-request',
      { alg: 'ES256', by: otherKey.privateKey },
    ],
    [
      'fapi2-security-profile-final-par-authorization-request-containing-request_uri',
      { claims: { request_uri: 'urn:ietf:params:oauth:request_uri:x' } },
    ],
    ['a time of creation more than a minute ahead', { claims: () => ({ iat: nowSeconds() + 90 }) }],
  ])('%s refuses the request object', async (_, parts) => {
    for (const suiteClient of suiteClients) {
      const mine = app();
      const answer = await push(mine, await objectOf(mine, { ...parts, suiteClient }));
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request_object']);
    }
  });

  it('fapi2-security-profile-final-ensure-request-object-signature-algorithm-is-not-none refuses the request object', async () => {
    const mine = app();
    const answer = await push(mine, new UnsecuredJWT(claimsOf(mine, {})).encode());
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request_object']);
  });

  it('fapi2-security-profile-final-ensure-request-object-with-invalid-signature-fails refuses the request object', async () => {
    const mine = app();
    for (const suiteClient of suiteClients) {
      const [head, body] = (await objectOf(mine, { suiteClient })).split('.');
      const [, , signature] = (await objectOf(mine, { suiteClient })).split('.');
      const answer = await push(mine, [head, body, signature].join('.'));
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request_object']);
    }
  });

  it('fapi2-security-profile-final-ensure-unsigned-request-at-par-endpoint-fails refuses parameters without a request object', async () => {
    const answer = await app().send('/connect/par', app().request(), { proof: false });
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request']);
  });

  it('signs errors as well, and posts a signed answer', async () => {
    const mine = app();
    const silent = await push(mine, await objectOf(mine, { claims: { prompt: 'none' } }));
    const refused = await new Agent(portal.issuer).get(
      mine.authorization(silent.json<{ request_uri: string }>().request_uri).href,
    );
    const landed = new URL(refused.location ?? '');
    expect(landed.origin + landed.pathname).toBe(fapiRedirect);
    expect(await verified(landed, signing.clientId)).toMatchObject({ error: 'login_required', state: mine.state });

    const posting = app();
    const request = await objectOf(posting, { claims: { response_mode: 'form_post.jwt' } });
    const { request_uri: uri } = (await push(posting, request)).json<{ request_uri: string }>();
    const browser = new SmartApp(portal, { client: signing });
    const page = await browser.browser.get(posting.authorization(uri).href);
    const returnUrl = new URL(page.location ?? '').searchParams.get('returnUrl') ?? '';
    await browser.signIn(people.patient, returnUrl);
    const form = await browser.browser.get((await browser.browser.get(returnUrl)).location ?? '');
    const response = /name="response" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const { payload } = await jwtVerify(response, keys, { issuer: portal.issuer, audience: signing.clientId });
    expect(payload).toMatchObject({ state: posting.state, code: expect.any(String) });
  });

  it('honors max_age of a request object, as a number or a text', async () => {
    const browser = new SmartApp(portal, { client: signing });
    const begin = app();
    const pushed = await push(begin, await objectOf(begin));
    await browser.complete(
      people.patient,
      undefined,
      begin.authorization(pushed.json<{ request_uri: string }>().request_uri),
    );
    const opened = async (claims: JWTPayload) => {
      const mine = app();
      const answer = await push(mine, await objectOf(mine, { claims }));
      const uri = answer.json<{ request_uri: string }>().request_uri;
      return new URL((await browser.browser.get(mine.authorization(uri).href)).location ?? '');
    };
    expect((await opened({})).searchParams.has('response')).toBe(true);
    expect((await opened({ max_age: 3600 })).searchParams.has('response')).toBe(true);
    for (const max_age of [0, '0']) expect((await opened({ max_age })).pathname).toBe('/login');
    for (const max_age of [-1, 'soon', 1.5]) {
      const mine = app();
      const answer = await push(mine, await objectOf(mine, { claims: { max_age } }));
      expect([answer.status, max_age]).toEqual([400, max_age]);
    }
  });

  it('gives a client with signed answers no other one, and other clients none', async () => {
    for (const mode of ['query', 'form_post', 'fragment.jwt']) {
      const mine = app();
      const answer = await push(mine, await objectOf(mine, { claims: { response_mode: mode } }));
      expect([answer.status, answer.json().error]).toEqual([
        400,
        expect.stringMatching(/^(invalid_request|unsupported_response_mode)$/),
      ]);
    }
    const unsigned = new FapiApp(portal, other, otherKey, proofKey);
    for (const mode of ['jwt', 'query.jwt', 'form_post.jwt']) {
      expect((await unsigned.push({ response_mode: mode })).status).toBe(400);
    }
  });

  it('signs the answers to a client without the profile with the usual algorithm', async () => {
    const mine = new SmartApp(portal, { client: quiet });
    const landed = await mine.complete(people.patient);
    expect(landed.href.startsWith(redirectUri)).toBe(true);
    const answer = await verified(landed, quiet.clientId, ['RS256']);
    expect((await mine.exchange(String(answer.code))).status).toBe(200);
  });

  it('signs the answer of introspection where the caller accepts that (RFC 9701)', async () => {
    const mine = app();
    const { access_token: token } = (await mine.exchange(String((await answerTo(mine)).code))).json<Tokens>();
    const form = { token, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
    const ask = async (accept: string) =>
      new Agent(portal.issuer).postForm(
        '/connect/introspect',
        { ...form, client_assertion: await mine.assertion() },
        { headers: { accept } },
      );
    const signed = await ask('application/token-introspection+jwt');
    expect(signed.headers['content-type']).toMatch(/^application\/token-introspection\+jwt/);
    const { payload, protectedHeader } = await jwtVerify(signed.text, keys, { issuer: portal.issuer });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'token-introspection+jwt' });
    expect(payload).toMatchObject({
      aud: signing.clientId,
      iat: expect.any(Number),
      token_introspection: { active: true, client_id: signing.clientId, patient: '1' },
    });
    expect((await ask('*/*')).json()).toMatchObject({ active: true });
  });

  it('is advertised', async () => {
    const document = (await new Agent(portal.issuer).get('/.well-known/openid-configuration')).json();
    expect(document).toMatchObject({
      response_modes_supported: ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'],
      authorization_signing_alg_values_supported: expect.arrayContaining(['ES256']),
      introspection_signing_alg_values_supported: expect.arrayContaining(['ES256']),
      request_object_signing_alg_values_supported: expect.arrayContaining(['PS256', 'ES256', 'EdDSA']),
    });
  });
});
