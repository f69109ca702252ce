import { exportJWK, generateKeyPair } from 'jose';
import { tokenGrantTypes } from '../../src/contract/rules/client-values.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import { confidentialApp, publicApp, redirectUri, sharedSecret } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const quietApp = { ...publicApp, clientId: 'quiet-app', requireConsent: false };
const appOrigin = new URL(redirectUri).origin;

let portal: TestPortal;
let agent: Agent;
let document: Record<string, unknown>;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], clients: [publicApp, quietApp, confidentialApp] },
  });
  agent = new Agent(portal.issuer);
  document = (await agent.get('/.well-known/openid-configuration')).json();
});

afterAll(() => portal.close());

describe('The discovery document', () => {
  it('SMART openid-discovery oidcc-discovery-endpoint-verification oidcc-rp-initiated-logout-discovery-endpoint-verification has the required members', async () => {
    const answer = await agent.get('/.well-known/openid-configuration');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(document).toMatchObject({
      issuer: portal.issuer,
      authorization_endpoint: `${portal.issuer}/connect/authorize`,
      token_endpoint: `${portal.issuer}/connect/token`,
      userinfo_endpoint: `${portal.issuer}/connect/userinfo`,
      end_session_endpoint: `${portal.issuer}/connect/endsession`,
      introspection_endpoint: `${portal.issuer}/connect/introspect`,
      revocation_endpoint: `${portal.issuer}/connect/revocation`,
      jwks_uri: `${portal.issuer}/.well-known/openid-configuration/jwks`,
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token', 'client_credentials']),
      code_challenge_methods_supported: ['S256'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['RS384', 'ES384']),
      token_endpoint_auth_methods_supported: expect.arrayContaining(['private_key_jwt', 'client_secret_basic', 'none']),
      scopes_supported: expect.arrayContaining([
        'openid',
        'fhirUser',
        'email',
        'phone',
        'launch/patient',
        'offline_access',
      ]),
      claims_parameter_supported: true,
      request_uri_parameter_supported: false,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('SMART discovery-bare-get names only existing endpoints', async () => {
    for (const [name, url] of Object.entries(document)) {
      if (!/(_endpoint|_uri)$/.test(name)) continue;
      const path = new URL(String(url)).pathname;
      const [get, post] = [await new Agent(portal.issuer).get(path), await new Agent(portal.issuer).postForm(path, {})];
      expect([name, Math.min(get.status, post.status)]).not.toEqual([name, 404]);
      expect([name, get.status < 500 && post.status < 500]).toEqual([name, true]);
    }
  });

  it('advertises only supported features', () => {
    const [grants, methods] = [document.grant_types_supported, document.token_endpoint_auth_methods_supported];
    // The engine lists those that are registered with it.
    expect([...(grants as string[])].sort()).toEqual([...tokenGrantTypes].sort());
    expect(methods).not.toContain('client_secret_jwt');
    for (const name of Object.keys(document).filter((one) => one.endsWith('alg_values_supported'))) {
      expect([name, document[name]]).not.toEqual([name, expect.arrayContaining([expect.stringMatching(/^(HS|none)/)])]);
    }
    for (const name of ['check_session_iframe', 'registration_endpoint', 'device_authorization_endpoint']) {
      expect(document).not.toHaveProperty(name);
    }
  });

  it('ignores the Host and forwarded headers of a request', async () => {
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' };
    expect((await agent.get('/.well-known/openid-configuration', { headers: forged })).json()).toEqual(document);
    const answer = await agent.get('/.well-known/openid-configuration', { headers: { host: 'evil.example' } });
    expect([answer.status, answer.text.includes('evil')]).toEqual([421, false]);
  });
});

describe('The published key set', () => {
  it('SMART openid-jwks Q-03 has public keys with ids, which verify all tokens', async () => {
    const answer = await agent.get('/.well-known/openid-configuration/jwks');
    const { keys } = answer.json<{ keys: Record<string, string>[] }>();
    expect(keys.map(({ kty }) => kty).sort()).toEqual(expect.arrayContaining(['EC', 'RSA']));
    for (const key of keys) {
      expect(Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'].includes(name))).toEqual(
        [],
      );
      expect(key).toMatchObject({ kid: expect.any(String), alg: expect.any(String), use: 'sig' });
    }
    // T-05: clients notice a replaced key soon.
    expect(Number(/max-age=(\d+)/.exec(String(answer.headers['cache-control']))?.[1] ?? 0)).toBeLessThanOrEqual(600);
  });
});

describe('T-04 A page of another origin', () => {
  const preflight = (path: string, origin: string, method = 'POST') =>
    agent.send(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
    });
  const allowed = (headers: Record<string, unknown>) => headers['access-control-allow-origin'];

  it.each(['/.well-known/openid-configuration', '/.well-known/openid-configuration/jwks'])(
    'may read %s from any origin, without credentials',
    async (path) => {
      for (const origin of ['https://anybody.example', 'null']) {
        const answer = await agent.get(path, { headers: { origin } });
        expect([answer.status, allowed(answer.headers)]).toEqual([200, '*']);
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
        const asked = await preflight(path, origin, 'GET');
        expect(allowed(asked.headers)).toBe('*');
        expect(Number(asked.headers['access-control-max-age'])).toBeLessThanOrEqual(600);
      }
    },
  );

  it('SMART token-cors may use the token endpoint when it is one of the app’s origins', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    const form = {
      grant_type: 'authorization_code',
      client_id: quietApp.clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: app.verifier,
    };
    const foreign = await agent.postForm('/connect/token', form, { headers: { origin: 'https://evil.example' } });
    expect([foreign.status, allowed(foreign.headers)]).toEqual([400, undefined]);
    const opaque = await agent.postForm('/connect/token', form, { headers: { origin: 'null' } });
    expect([opaque.status, allowed(opaque.headers)]).toEqual([400, undefined]);
    const own = await agent.postForm('/connect/token', form, { headers: { origin: appOrigin } });
    expect([own.status, allowed(own.headers)]).toEqual([200, appOrigin]);
    expect(own.headers).not.toHaveProperty('access-control-allow-credentials');
    // Only the answer to a preflight request has a maximum age.
    expect(own.headers).not.toHaveProperty('access-control-max-age');
    expect(own.headers.vary).toMatch(/origin/i);
    const authorization = `Bearer ${own.json().access_token}`;
    const read = (origin: string) => agent.get('/connect/userinfo', { headers: { authorization, origin } });
    expect([(await read(appOrigin)).status, allowed((await read(appOrigin)).headers)]).toEqual([200, appOrigin]);
    expect((await read('https://evil.example')).status).toBe(400);
    expect(allowed((await read('https://evil.example')).headers)).toBeUndefined();
  });

  it('gets a preflight response for the token endpoint, valid for at most ten minutes', async () => {
    for (const path of ['/connect/token', '/connect/userinfo', '/connect/revocation']) {
      const answer = await preflight(path, appOrigin);
      expect([path, answer.status, allowed(answer.headers)]).toEqual([path, 204, appOrigin]);
      expect(Number(answer.headers['access-control-max-age'])).toBeLessThanOrEqual(600);
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      expect(allowed((await preflight(path, 'null')).headers)).toBeUndefined();
    }
  });

  it('cannot read the portal’s own API and pages', async () => {
    for (const path of ['/api/session', '/api/settings', '/login', '/connect/authorize', '/connect/endsession']) {
      for (const answer of [
        await agent.get(path, { headers: { origin: 'https://evil.example' } }),
        await preflight(path, 'https://evil.example', 'GET'),
      ]) {
        expect([path, allowed(answer.headers)]).toEqual([path, undefined]);
      }
    }
  });
});

describe('T-05 A response with personal data', () => {
  it('is not cached', async () => {
    const tokens = await new SmartApp(portal, { client: quietApp }).tokens(people.patient);
    const bearer = { authorization: `Bearer ${tokens.access_token}` };
    for (const answer of [
      await agent.get('/connect/userinfo', { headers: bearer }),
      await agent.get('/connect/userinfo'),
      await agent.postForm(
        '/connect/introspect',
        { token: 'x' },
        { headers: basicAuthorization(confidentialApp.clientId, sharedSecret) },
      ),
      await agent.postForm(
        '/connect/revocation',
        { token: 'x' },
        { headers: basicAuthorization(confidentialApp.clientId, sharedSecret) },
      ),
      await new SmartApp(portal).authorize(),
      await agent.get('/api/session'),
      await agent.get('/api/session/login'),
      await agent.get('/connect/endsession'),
      await agent.signOut(),
    ]) {
      expect(answer.headers['cache-control']).toContain('no-store');
    }
  });
});

describe('T-01 Every response', () => {
  const ofDocuments = {
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'permissions-policy': expect.stringContaining('camera=()'),
  };

  it('has the security headers, and none that names the software', async () => {
    const { publicKey } = await generateKeyPair('ES256');
    const odd = Buffer.from(JSON.stringify(await exportJWK(publicKey))).toString('base64url');
    for (const path of [
      '/',
      '/connect/authorize',
      '/connect/token',
      '/connect/endsession',
      '/.well-known/openid-configuration',
      '/api/session',
      '/api/no-such-call',
      '/connect/no-such-path',
      `/${odd}`,
      '/connect/authorize?%00',
    ]) {
      const { headers, text } = await agent.get(path, { headers: { accept: 'text/html' } });
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-correlation-id': expect.any(String),
      });
      const isData = String(headers['content-type']).startsWith('application/json');
      expect(headers).toMatchObject(isData ? {} : ofDocuments);
      for (const name of isData ? Object.keys(ofDocuments) : []) expect(headers).not.toHaveProperty(name);
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(text).not.toMatch(/oidc-provider|node_modules|at \w+ \(/);
      if (String(headers['content-type']).startsWith('text/html')) {
        const policy = String(headers['content-security-policy']);
        expect(policy).toContain("default-src 'none'");
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).toContain("base-uri 'none'");
        expect(policy).not.toMatch(/unsafe-/);
      }
    }
  });
});

describe('T-02 T-03 A response by form post', () => {
  it('may lead on from the app to any origin, and runs its own script only', async () => {
    const app = new SmartApp(portal, { client: quietApp, parameters: { response_mode: 'form_post', state: '"><b>' } });
    await app.signIn(people.patient);
    const answer = await app.authorize();
    expect(answer.status).toBe(200);
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).not.toContain('form-action');
    expect(policy).toMatch(/script-src [^;]*'sha256-[^']+'/);
    expect(policy).not.toMatch(/unsafe-/);
    expect(answer.headers['cache-control']).toContain('no-store');
    expect(answer.text).toContain(`action="${redirectUri}"`);
    expect(answer.text).not.toContain('"><b>');
    const code = /name="code" value="([^"]+)"/.exec(answer.text)?.[1] ?? '';
    expect((await app.exchange(code)).status).toBe(200);
  });

  it('carries errors as well, to the registered address only', async () => {
    const asked = await new SmartApp(portal, {
      client: quietApp,
      parameters: { response_mode: 'form_post', prompt: 'none' },
    }).authorize();
    expect(asked.text).toContain('value="login_required"');
    expect(String(asked.headers['content-security-policy'])).not.toContain('form-action');
    const foreign = await new SmartApp(portal, {
      client: quietApp,
      parameters: { response_mode: 'form_post', redirect_uri: 'https://evil.example/cb' },
    }).authorize();
    expect(foreign.status).toBe(400);
    expect(`${foreign.text}${foreign.headers['content-security-policy']}`).not.toContain('evil.example');
    expect(String(foreign.headers['content-security-policy'])).toContain("form-action 'self'");
  });
});
