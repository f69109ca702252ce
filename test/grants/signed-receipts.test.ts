import { createRemoteJWKSet, jwtVerify, SignJWT } from 'jose';
import type { Receipt } from '../../src/contract/own-record/receipts.js';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { assertionType, nowSeconds } from '../support/clients/assertions.js';
import { clientKinds, confidentialKinds } from '../support/clients/client-kinds.js';
import { publicApp } from '../support/clients/clients.js';
import { signingKeyOf } from '../support/clients/minted-tokens.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { appsOfKind, asBearer, asResourceServer, resourceServer, tokenScope } from '../support/portal/token-portal.js';
import { people } from '../support/users/people.js';

const diary = { ...publicApp, requireConsent: false, clientId: 'diary' };
const services = confidentialKinds.map((kind) => kind.service('service'));
let portal: TestPortal;
let sub: string;
let jwt: string;
let receipt: Receipt;
let type: string | undefined;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      // One key for everything that is signed.
      keys: { idTokenAlgorithm: 'ES256' },
      users: [people.patient],
      clients: [diary, resourceServer, ...services, ...clientKinds.flatMap(appsOfKind)],
    },
  });
  const [account] = await portal.query<{ id: string }>('SELECT id FROM account');
  sub = account?.id ?? '';
  const { browser } = await signedIn();
  const { location = '' } = await browser.send('/api/grant?clientId=diary', { method: 'DELETE' });
  receipt = (await browser.get(location)).json<Receipt & Record<string, unknown>>();
  const download = await browser.get(`${location}/jwt`);
  [jwt, type] = [download.text, download.headers['content-type']];
});

afterAll(() => portal.close());

async function signedIn(): Promise<{ browser: Agent; tokens: Tokens }> {
  const app = new SmartApp(portal, { client: diary, scope: tokenScope });
  return { tokens: await app.tokens(people.patient), browser: app.browser };
}

it('A receipt can be downloaded as a JWT that the published keys verify', async () => {
  expect(type).toMatch(/^application\/jwt/);
  const { jwks_uri: address } = (await new Agent(portal.issuer).get('/.well-known/openid-configuration')).json();
  const { payload, protectedHeader } = await jwtVerify(jwt, createRemoteJWKSet(new URL(String(address))), {
    issuer: portal.issuer,
    audience: sub,
    typ: 'receipt+jwt',
  });
  expect(protectedHeader).toEqual({ typ: 'receipt+jwt', alg: 'ES256', kid: expect.any(String) });
  const { id: jti, ...facts } = receipt;
  expect(payload).toEqual({ iss: portal.issuer, sub, aud: sub, iat: expect.any(Number), jti, receipt: facts });
});

/** A JWT of this type that has the claims of all tokens and is for a client: only its type refuses it. */
async function likeTokens(typ: string): Promise<string> {
  const key = await signingKeyOf(portal);
  const { grantId } =
    (await portal.query<{ grantId: string }>(`SELECT grant_id AS "grantId" FROM oidc_record`))[0] ?? {};
  const { clientId } = diary;
  const claims = {
    iss: portal.issuer,
    sub,
    aud: clientId,
    jti: 'r1',
    client_id: clientId,
    grant: grantId,
    scope: tokenScope,
  };
  return new SignJWT({ ...claims, iat: nowSeconds(), exp: nowSeconds() + 300, sid: 's1' })
    .setProtectedHeader({ alg: 'ES256', typ, kid: key.kid })
    .sign(key);
}

const signed = {
  'A signed receipt': async () => jwt,
  'A receipt with the claims of a token': () => likeTokens('receipt+jwt'),
  'A logout token': () => likeTokens('logout+jwt'),
};

describe.each(Object.keys(signed) as (keyof typeof signed)[])('%s is refused', (name) => {
  let token: string;
  let tokens: Tokens;
  let agent: Agent;

  beforeAll(async () => {
    ({ browser: agent, tokens } = await signedIn());
    token = await signed[name]();
  });

  it('as an access token by the gateway, userinfo and introspection', async () => {
    expect((await agent.get('/fhir/Patient/1', { headers: asBearer(token) })).status).toBe(401);
    expect((await agent.get('/connect/userinfo', { headers: asBearer(token) })).status).toBe(401);
    for (const hint of ['access_token', 'refresh_token']) {
      const form = { token, token_type_hint: hint };
      const { text } = await agent.postForm('/connect/introspect', form, { headers: asResourceServer() });
      expect(text).toBe('{"active":false}');
    }
    const asked = { token: tokens.access_token };
    expect((await agent.postForm('/connect/introspect', asked, { headers: asBearer(token) })).status).toBe(401);
  });

  it('as an id_token_hint by the authorization and the end of a session', async () => {
    const app = new SmartApp(portal, { client: diary, parameters: { id_token_hint: token, prompt: 'none' } }, agent);
    const { searchParams } = new URL((await app.authorize()).location ?? portal.issuer);
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['invalid_request', null]);
    expect((await agent.get(`/connect/endsession?id_token_hint=${token}`)).status).toBe(400);
    const hint = tokens.id_token ?? '';
    expect((await agent.get(`/connect/endsession?id_token_hint=${hint}`)).status).toBe(200);
  });

  it('as a client assertion, a request object, a code and a refresh token', async () => {
    for (const clientId of [sub, diary.clientId, ...services.map((service) => service.clientId)]) {
      const answer = await agent.postForm('/connect/token', {
        grant_type: 'client_credentials',
        scope: 'system/*.rs',
        client_id: clientId,
        client_assertion_type: assertionType,
        client_assertion: token,
      });
      expect([clientId, answer.status >= 400, answer.json().access_token]).toEqual([clientId, true, undefined]);
    }
    const asking = new SmartApp(portal, { client: diary, parameters: { request: token } }, agent);
    expect((await asking.authorize()).location ?? '').not.toContain('code=');
    const app = new SmartApp(portal, { client: diary });
    expect((await app.refresh(token)).json().error).toBe('invalid_grant');
    expect((await app.exchange(token)).json().error).toBe('invalid_grant');
  });

  it.each(clientKinds)('by the revocation endpoint, without an effect ($name)', async (kind) => {
    const [client = diary] = appsOfKind(kind);
    const answer = await kind.post(new Agent(portal.issuer), '/connect/revocation', client, { token });
    expect(answer.status).toBe(200);
    expect(await portal.query('SELECT FROM revoked_token')).toEqual([]);
  });
});
