import { randomUUID } from 'node:crypto';
import { CompactSign, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import {
  assertionType,
  type ClientKey,
  clientAssertion,
  makeClientKey,
  nowSeconds,
} from '../../support/clients/assertions.js';
import { confidentialApp, publicApp, redirectUri } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const keys = {
  RS256: await makeClientKey('RS256', 'rs256'),
  RS384: await makeClientKey('RS384', 'rs384'),
  ES256: await makeClientKey('ES256', 'es256'),
  ES384: await makeClientKey('ES384', 'es384'),
  PS256: await makeClientKey('PS256', 'ps256'),
  EdDSA: await makeClientKey('EdDSA', 'eddsa'),
};
const signingApp = {
  ...confidentialApp,
  clientId: 'signing-app',
  requireSignedRequestObject: true,
  clientSecrets: Object.values(keys).map(({ jwk }) => ({ secretType: 'JWK', secret: JSON.stringify(jwk) })),
};
/** Has registered keys, but does not require signed requests. */
const quietApp = { ...signingApp, clientId: 'quiet-app', requireSignedRequestObject: false };

const otherApp = { ...signingApp, clientId: 'other-signing-app' };

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], clients: [signingApp, otherApp, quietApp, publicApp] },
  });
});

afterAll(() => portal.close());

interface Parts {
  key?: ClientKey;
  /** Undefined leaves a claim out. */
  claims?: JWTPayload;
  header?: Partial<JWTHeaderParameters>;
}

const newApp = () => new SmartApp(portal, { client: signingApp });

/** The parameters of the app's request as claims. */
function claimsOf(app: SmartApp, claims: JWTPayload = {}): JWTPayload {
  const { aud: _aud, ...parameters } = Object.fromEntries(new URLSearchParams(app.query()));
  const now = nowSeconds();
  const registered = { iss: signingApp.clientId, aud: portal.issuer, nbf: now, exp: now + 60, jti: randomUUID() };
  return { ...parameters, ...registered, resource: portal.fhirBase, ...claims };
}

function objectOf(app: SmartApp, { key = keys.ES384, claims, header }: Parts = {}): Promise<string> {
  const fields = { alg: key.alg, kid: key.jwk.kid, typ: 'oauth-authz-req+jwt', ...header } as JWTHeaderParameters;
  return new SignJWT(claimsOf(app, claims)).setProtectedHeader(fields).sign(key.privateKey);
}

function addressFor(parameters: Record<string, string>): URL {
  return new URL(
    `/connect/authorize?${new URLSearchParams({ client_id: signingApp.clientId, ...parameters })}`,
    portal.issuer,
  );
}

/** Sends a request that has its redirect URI also outside the request object, where a refusal is then returned. */
const ask = (parameters: Record<string, string>): Promise<Answer> =>
  new Agent(portal.issuer).get(
    addressFor({ redirect_uri: redirectUri, response_type: 'code', state: 'outside', ...parameters }).href,
  );

const errorIn = ({ location = 'none:' }: Answer) => new URL(location).searchParams.get('error');

async function exchange(app: SmartApp, landed: URL): Promise<Tokens> {
  const audience = `${portal.issuer}/connect/token`;
  const assertion = await clientAssertion({ clientId: signingApp.clientId, audience, key: keys.RS384 });
  const proof = { client_assertion: assertion, client_assertion_type: assertionType };
  return (await app.exchange(landed.searchParams.get('code') ?? '', proof)).json<Tokens>();
}

describe('A signed request object (RFC 9101)', () => {
  it.each(Object.keys(keys) as (keyof typeof keys)[])(
    'is accepted as the whole request, with a key for %s',
    async (algorithm) => {
      const app = newApp();
      const request = await objectOf(app, { key: keys[algorithm] });
      const openly = { scope: 'openid user/*.cruds', state: 'outside', aud: 'https://elsewhere.example' };
      const landed = await app.complete(people.patient, undefined, addressFor({ request, ...openly }));
      expect(landed.searchParams.get('state')).toBe(app.state);
      expect(await exchange(app, landed)).toMatchObject({
        scope: 'openid fhirUser launch/patient patient/*.rs offline_access',
        patient: '1',
        refresh_token: expect.any(String),
      });
    },
  );

  it.each<[string, Parts]>([
    ['an audience in a list', { claims: { aud: 'list' } }],
    ['no typ (RFC 9101 §10.8.1 recommends one)', { header: { typ: undefined } }],
    ['the typ of any JWT', { header: { typ: 'JWT' } }],
    ['the typ of any JWT in small letters', { header: { typ: 'jwt' } }],
    ['the typ of any JWT with its media type', { header: { typ: 'application/jwt' } }],
    ['a typ in capitals (RFC 7515 §4.1.9)', { header: { typ: 'OAuth-AuthZ-Req+JWT' } }],
    ['a typ with its full media type (RFC 7515 §4.1.9)', { header: { typ: 'application/oauth-authz-req+jwt' } }],
    ['a lifetime of an hour', { claims: { nbf: nowSeconds() - 600, exp: nowSeconds() + 3000 } }],
    ['no jti', { claims: { jti: undefined } }],
  ])('is accepted with %s', async (_, { claims, header }) => {
    const app = newApp();
    const said = claims?.aud === 'list' ? { aud: [portal.issuer, 'https://elsewhere.example'] } : claims;
    const pushed = await push({ request: await objectOf(app, { claims: said, header }) });
    expect(pushed.status).toBe(201);
    const request = await objectOf(app, { claims: said && { ...said, jti: randomUUID() }, header });
    const landed = await app.complete(people.patient, undefined, addressFor({ request }));
    expect((await exchange(app, landed)).patient).toBe('1');
  });

  it('issues one code for its jti, and can be opened again until then', async () => {
    const app = newApp();
    const request = await objectOf(app);
    const address = addressFor({ request });
    // Reload and Back request the same address again.
    for (let visit = 0; visit < 2; visit += 1) {
      expect((await app.browser.get(address.href)).location).toContain('/login?');
    }
    const landed = await app.complete(people.patient, undefined, address);
    expect(landed.searchParams.get('code')).not.toBeNull();
    expect(errorIn(await app.browser.get(address.href))).toBe('invalid_request_object');
    expect(errorIn(await ask({ request }))).toBe('invalid_request_object');
    expect((await push({ request })).json()).toMatchObject({ error: 'invalid_request_object' });
    expect((await exchange(app, landed)).patient).toBe('1');
  });

  it('issues one code when several sign-ins with one jti finish at the same moment', async () => {
    const request = await objectOf(newApp());
    const landings = await Promise.all(
      Array.from({ length: 4 }, () => newApp().complete(people.patient, undefined, addressFor({ request }))),
    );
    expect(landings.filter(({ searchParams }) => searchParams.has('code'))).toHaveLength(1);
    const errors = landings.map(({ searchParams }) => searchParams.get('error')).filter((error) => error !== null);
    expect(errors).toEqual(['invalid_request_object', 'invalid_request_object', 'invalid_request_object']);
  });

  it('can be pushed once for its jti, and is refused at the authorization endpoint afterwards', async () => {
    const request = await objectOf(newApp());
    const answers = await Promise.all([push({ request }), push({ request }), push({ request })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect(errorIn(await ask({ request }))).toBe('invalid_request_object');
  });

  it('does not use up its jti with a wrong signature, or for another client', async () => {
    const app = newApp();
    const jti = randomUUID();
    const stranger = await objectOf(app, { key: await makeClientKey('ES384', 'es384'), claims: { jti } });
    expect((await push({ request: stranger })).json()).toMatchObject({ error: 'invalid_request_object' });
    const theirs = { jti, iss: otherApp.clientId, client_id: otherApp.clientId };
    expect((await push({ request: await objectOf(app, { claims: theirs }) }, otherApp.clientId)).status).toBe(201);
    expect((await push({ request: await objectOf(app, { claims: { jti } }) })).status).toBe(201);
  });

  it('can be posted by a form', async () => {
    const app = newApp();
    const form = { client_id: signingApp.clientId, request: await objectOf(app) };
    const { location } = await app.browser.postForm('/connect/authorize', form);
    const landed = await app.complete(people.patient, undefined, new URL(location ?? '', portal.issuer));
    expect((await exchange(app, landed)).patient).toBe('1');
  });

  it('can be pushed, and works once then', async () => {
    const app = newApp();
    const pushed = await push({ request: await objectOf(app) });
    expect(pushed.status).toBe(201);
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const landed = await app.complete(people.patient, undefined, addressFor({ request_uri }));
    expect((await exchange(app, landed)).scope).toContain('patient/*.rs offline_access');
    const again = await app.browser.get(addressFor({ request_uri }).href);
    expect(again.location ?? '').not.toContain('code=');
  });

  it('is required from such a client', async () => {
    const openly = Object.fromEntries(new URLSearchParams(newApp().query()));
    expect(errorIn(await ask(openly))).toBe('invalid_request');
    expect((await push(openly)).json()).toMatchObject({ error: 'invalid_request' });
  });

  it('A-10 names the FHIR base by resource', async () => {
    const refusal = async (claims: JWTPayload) => errorIn(await ask({ request: await objectOf(newApp(), { claims }) }));
    expect(await refusal({ resource: undefined })).toBe('invalid_request');
    expect(await refusal({ resource: 'https://elsewhere.example/fhir' })).toBe('invalid_target');
  });

  it.each<[string, Parts]>([
    ['is called a proof', { header: { typ: 'dpop+jwt' } }],
    ['has a type that is not a text', { header: { typ: 7 } as never }],
    ['has an empty type', { header: { typ: '' } }],
    ['names no key', { header: { kid: undefined } }],
    ['names another key', { header: { kid: 'rs384' } }],
    ['is for another server', { claims: { aud: 'https://elsewhere.example' } }],
    ['has no audience', { claims: { aud: undefined } }],
    ['is issued by another client', { claims: { iss: publicApp.clientId } }],
    ['speaks for another client', { claims: { client_id: publicApp.clientId } }],
    ['names no client', { claims: { client_id: undefined } }],
    ['could prove who the client is', { claims: { sub: signingApp.clientId } }],
    ['has expired', { claims: { exp: nowSeconds() - 60 } }],
    ['never expires', { claims: { exp: undefined } }],
    ['lives for two hours', { claims: { exp: nowSeconds() + 7200 } }],
    ['lives for more than an hour from its nbf', { claims: { nbf: nowSeconds() - 600, exp: nowSeconds() + 3060 } }],
    ['has no nbf', { claims: { nbf: undefined } }],
    ['has an nbf of more than an hour ago', { claims: { nbf: nowSeconds() - 3700 } }],
    ['is of the future', { claims: { nbf: nowSeconds() + 600 } }],
    ['is for several others', { claims: { aud: ['https://a.example', 'https://b.example'] } }],
    ['is of another media type', { header: { typ: 'text/oauth-authz-req+jwt' } }],
    ['holds another one', { claims: { request: 'e30.e30.e30' } }],
    ['leads elsewhere', { claims: { request_uri: 'http://127.0.0.1:1/request' } }],
    ['says what is not a text', { claims: { state: { toString: 1 } } }],
    ['A-18 has a NUL', { claims: { login_hint: 'a\0b' } }],
    ['A-18 has half of a character', { claims: { login_hint: 'a\ud800b' } }],
  ])('is refused when it %s', async (_, parts) => {
    expect(errorIn(await ask({ request: await objectOf(newApp(), parts) }))).toBe('invalid_request_object');
  });

  it('is refused without a signature, or with that of another client', async () => {
    const app = newApp();
    const [signed, other] = [await objectOf(app), await objectOf(app, { claims: { scope: 'openid' } })];
    const [, body] = other.split('.');
    const swapped = signed.replace(/\.[^.]+\./, `.${body}.`);
    const stranger = await objectOf(app, { key: await makeClientKey('ES384', 'es384') });
    const unsigned = new UnsecuredJWT(claimsOf(app)).encode();
    for (const request of [swapped, stranger, unsigned, signed.replace(/[^.]+$/, ''), 'nonsense', '..']) {
      expect(errorIn(await ask({ request }))).toBe('invalid_request_object');
    }
  });

  it('is refused with a repeated member', async () => {
    const claims = JSON.stringify(claimsOf(newApp())).replace('{', '{"scope":"openid",');
    const { alg, jwk, privateKey } = keys.ES384;
    const request = await new CompactSign(Buffer.from(claims))
      .setProtectedHeader({ alg, kid: String(jwk.kid), typ: 'oauth-authz-req+jwt' })
      .sign(privateKey);
    expect(errorIn(await ask({ request }))).toBe('invalid_request_object');
  });

  it('is refused with too deep nesting, signed or not', async () => {
    const nested = `{"x":${'['.repeat(4000)}${']'.repeat(4000)},`;
    const claims = JSON.stringify(claimsOf(newApp())).replace('{', nested);
    const [head] = (await objectOf(newApp())).split('.');
    const request = `${head}.${Buffer.from(claims).toString('base64url')}.AAAA`;
    expect(errorIn(await ask({ request }))).toBe('invalid_request_object');
    expect((await push({ request })).json()).toMatchObject({ error: 'invalid_request_object' });
  });

  it('is not accepted as a client assertion, nor the reverse', async () => {
    const assertion = await clientAssertion({
      clientId: signingApp.clientId,
      audience: portal.issuer,
      key: keys.ES384,
      claims: claimsOf(newApp()),
    });
    expect(errorIn(await ask({ request: assertion }))).toBe('invalid_request_object');
    const answer = await new Agent(portal.issuer).postForm('/connect/token', {
      grant_type: 'refresh_token',
      refresh_token: 'unknown',
      client_assertion: await objectOf(newApp()),
      client_assertion_type: assertionType,
    });
    expect(answer.json()).toMatchObject({ error: 'invalid_client' });
  });

  it('A-12 is refused for a client that is not set up for it, whatever it contains', async () => {
    const object = await objectOf(newApp(), { claims: { client_id: quietApp.clientId, iss: quietApp.clientId } });
    for (const clientId of [quietApp.clientId, publicApp.clientId]) {
      for (const request of [object, 'nonsense']) {
        const answer = await ask({ client_id: clientId, request });
        expect(new URL(answer.location ?? '').searchParams.get('state')).toBe('outside');
        expect(errorIn(answer)).toBe('request_not_supported');
      }
    }
    const pushed = await new Agent(portal.issuer).postForm('/connect/par', {
      client_id: publicApp.clientId,
      request: object,
    });
    expect(pushed.json()).toMatchObject({ error: 'request_not_supported' });
  });

  it('is advertised, by value only', async () => {
    const document = (await new Agent(portal.issuer).get('/.well-known/openid-configuration')).json();
    expect(document).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
      request_object_signing_alg_values_supported: expect.arrayContaining(Object.keys(keys)),
    });
    expect(JSON.stringify(document.request_object_signing_alg_values_supported)).not.toMatch(/none|HS/);
    expect(document).not.toHaveProperty('require_signed_request_object');
  });
});

async function push(parameters: Record<string, string>, clientId = signingApp.clientId): Promise<Answer> {
  const assertion = await clientAssertion({ clientId, audience: portal.issuer, key: keys.RS256 });
  return new Agent(portal.issuer).postForm('/connect/par', {
    client_id: clientId,
    ...parameters,
    client_assertion: assertion,
    client_assertion_type: assertionType,
  });
}
