import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Launch, SmartApp } from '../../support/apps/smart-app.js';
import { confidentialApp, publicApp, redirectUri } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { withoutReference } from '../../support/http/references.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const disabledApp = { ...publicApp, clientId: 'disabled-app', enabled: false };
const loopbackApp = { ...publicApp, clientId: 'loopback-app', redirectUris: ['http://127.0.0.1/cb'] };
/** PKCE is optional for it. */
const relaxedApp = confidentialApp;

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], clients: [publicApp, relaxedApp, disabledApp, loopbackApp] },
  });
});

afterAll(() => portal.close());

const ask = (parameters: Launch['parameters'], launch: Launch = {}) =>
  new SmartApp(portal, { ...launch, parameters }).authorize();

/** Answers differ in their nonces. */
const withoutNonces = (answer: Answer) => withoutReference(answer).text.replace(/nonce(="|-)[\w+/=]+/g, 'nonce');

function expectPage400(answer: Answer): void {
  expect(answer.status).toBe(400);
  expect(answer.location).toBeUndefined();
  expect(answer.headers['content-type']).toMatch(/^text\/html/);
  expect(answer.headers['cache-control']).toContain('no-store');
  expect(answer.text).toContain('<meta name="gatehouse-error" content="400">');
}

/** The app's registered address with exactly these parameters. */
function expectRedirect(answer: Answer, error: string, state?: string): URL {
  expect(answer.status).toBe(303);
  const url = new URL(answer.location ?? '');
  expect(url.origin + url.pathname).toBe(redirectUri);
  const parameters = new URLSearchParams(url.search || url.hash.slice(1));
  expect(parameters.get('error')).toBe(error);
  expect(parameters.get('iss')).toBe(portal.issuer);
  expect(parameters.has('code')).toBe(false);
  if (state !== undefined) expect(parameters.get('state')).toBe(state);
  return url;
}

describe('An authorization request that cannot redirect to the app', () => {
  it('A-01 shows the same page for a disabled client as for an unknown one', async () => {
    const [unknown, disabled] = await Promise.all([ask({ client_id: 'unknown' }), ask({ client_id: 'disabled-app' })]);
    expectPage400(unknown);
    expectPage400(disabled);
    expect(withoutNonces(disabled)).toBe(withoutNonces(unknown));
  });

  it('A-01 shows a page for a client id that the database cannot store', async () => {
    for (const id of ['x'.repeat(5000), 'ä', '\u0001', "' OR 1=1 --", '']) expectPage400(await ask({ client_id: id }));
  });

  it('A-03 shows a page without redirect_uri, even if only one is registered', async () => {
    expectPage400(await ask({ redirect_uri: undefined }));
  });

  it('A-04 neither redirects to nor shows an unregistered address', async () => {
    for (const other of [
      'https://evil.example/"><script>alert(1)</script>',
      `${redirectUri}/`,
      `${redirectUri}?x=1`,
      redirectUri.replace('localhost', 'localhost.evil.example'),
      redirectUri.replace('http:', 'https:'),
      'javascript:alert(1)',
      '//evil.example',
    ]) {
      const answer = await ask({ redirect_uri: other });
      expectPage400(answer);
      expect(answer.text).not.toContain('evil.example');
      expect(answer.text).not.toContain('alert(1)');
    }
  });

  it('A-06 of a web client is accepted on the registered port only', async () => {
    const { clientId } = loopbackApp;
    expectPage400(await ask({ client_id: clientId, redirect_uri: 'http://127.0.0.1:4567/cb' }));
    expect((await ask({ client_id: clientId, redirect_uri: 'http://127.0.0.1/cb' })).status).toBe(303);
  });

  it('A-18 shows a page for NUL, lone surrogates and invalid UTF-8, by GET and by POST', async () => {
    const html = { headers: { accept: 'text/html,*/*;q=0.8' } };
    for (const bad of ['%00', '%ED%A0%80', '%C3%28']) {
      const query = `${new SmartApp(portal).query()}&login_hint=${bad}`;
      const byGet = await new Agent(portal.issuer).get(`/connect/authorize?${query}`, html);
      expectPage400(byGet);
      const browser = new Agent(portal.issuer);
      const byPost = await browser.send('/connect/authorize', {
        method: 'POST',
        body: query,
        headers: { ...html.headers, 'content-type': 'application/x-www-form-urlencoded' },
      });
      expectPage400(byPost.status === 303 ? await browser.get(byPost.location ?? '', html) : byPost);
    }
  });

  it('is refused when a parameter is repeated', async () => {
    const query = new SmartApp(portal).query();
    expectPage400(await new Agent(portal.issuer).get(`/connect/authorize?${query}&redirect_uri=https://evil.example`));
    expectPage400(await new Agent(portal.issuer).get(`/connect/authorize?${query}&client_id=unknown`));
    expectRedirect(await new Agent(portal.issuer).get(`/connect/authorize?${query}&scope=openid`), 'invalid_request');
  });
});

describe('An authorization request that is refused by a redirect to the app', () => {
  const state = 'a state & more = ü%';

  it('SMART authorize-pkce A-07 has no PKCE although the client is public or requires it', async () => {
    const none = { code_challenge: undefined, code_challenge_method: undefined, state };
    expectRedirect(await ask(none), 'invalid_request', state);
    const relaxed = await ask(none, { client: relaxedApp });
    expect(new URL(relaxed.location ?? '').pathname).toBe('/login');
  });

  it('SMART authorize-pkce-s256 A-08 has a challenge that is plain, too short or too long', async () => {
    expectRedirect(await ask({ code_challenge_method: 'plain', state }), 'invalid_request', state);
    expectRedirect(await ask({ code_challenge_method: undefined, state }), 'invalid_request', state);
    for (const length of [42, 129]) {
      expectRedirect(await ask({ code_challenge: 'a'.repeat(length), state }), 'invalid_request', state);
    }
  });

  it('A-09 asks for another response type than code', async () => {
    for (const type of ['token', 'id_token', 'code id_token', 'none', 'code token', 'CODE']) {
      const answer = await ask({ response_type: type, nonce: 'n', state });
      expectRedirect(answer, 'unsupported_response_type', state);
    }
    expectRedirect(await ask({ response_type: undefined, state }), 'invalid_request', state);
  });

  it('SMART authorize-aud A-10 names another FHIR server, or none', async () => {
    for (const aud of [
      undefined,
      '',
      'https://inferno.healthit.gov/invalid_aud',
      `${portal.fhirBase}//`,
      `${portal.fhirBase}/Patient`,
      `${portal.fhirBase}?x`,
      portal.fhirBase.toUpperCase(),
      portal.issuer,
    ]) {
      expectRedirect(await ask({ aud, state }), 'invalid_request', state);
    }
    for (const aud of [portal.fhirBase, `${portal.fhirBase}/`]) {
      expect(new URL((await ask({ aud })).location ?? '').pathname).toBe('/login');
    }
  });

  it('A-10 needs a FHIR server, unless it asks for identity scopes only', async () => {
    const answer = await ask({ aud: undefined }, { scope: 'openid profile' });
    expect(new URL(answer.location ?? '').pathname).toBe('/login');
  });

  it('A-12 has a request object, and no address is fetched for it', async () => {
    let connections = 0;
    const host = createServer((_, response) => response.end()).on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const uri = `http://127.0.0.1:${(host.address() as AddressInfo).port}/request.jwt`;
    expectRedirect(await ask({ request_uri: uri, state }), 'request_uri_not_supported', state);
    expectRedirect(await ask({ request: 'e30.e30.', state }), 'request_not_supported', state);
    await new Promise((resolve) => host.close(resolve));
    expect(connections).toBe(0);
  });

  it('A-13 asks for an unknown response mode', async () => {
    for (const mode of ['fragment', 'web_message', 'jwt', 'query.jwt', 'x']) {
      const answer = await ask({ response_mode: mode, state });
      expect(new URL(answer.location ?? '').hash).toBe('');
      expect(['invalid_request', 'unsupported_response_mode']).toContain(
        new URL(answer.location ?? '').searchParams.get('error'),
      );
      expect(new URL(answer.location ?? '').searchParams.get('state')).toBe(state);
    }
  });

  it('has a launch value that no EHR registered', async () => {
    expectRedirect(await ask({ launch: 'made-up', state }, { scope: 'openid launch' }), 'invalid_request', state);
  });

  it('asks for prompt=none together with another prompt, or for an unknown prompt', async () => {
    expectRedirect(await ask({ prompt: 'none login', state }), 'invalid_request', state);
    expectRedirect(await ask({ prompt: 'create', state }), 'invalid_request', state);
  });
});

describe('The state of an authorization request', () => {
  it('SMART authorize-state A-16 is returned unchanged, also with 8 KB and line breaks', async () => {
    const long = `${'ü%&=+\r\nLocation: https://evil.example\r\n '.repeat(50)}${'s'.repeat(6000)}`;
    const app = new SmartApp(portal, { parameters: { state: long } });
    const landed = await app.complete(people.patient);
    expect(landed.searchParams.get('state')).toBe(long);
    const refused = await ask({ state: long, response_type: 'token' });
    const location = String(refused.headers.location);
    expect(location).not.toMatch(/[\r\n]/);
    expect(new URLSearchParams(new URL(location).hash.slice(1)).get('state')).toBe(long);
  });

  it('A-16 is limited: an address of more than 16 KB is answered 431', async () => {
    const answer = await ask({ state: 's'.repeat(17_000) });
    expect(answer.status).toBe(431);
    expect(answer.location).toBeUndefined();
  });
});

describe('An authorization request by POST', () => {
  it('SMART authorize-post is redirected to the same request by GET (SMART 2.2 authorize-post)', async () => {
    const app = new SmartApp(portal);
    const answer = await app.browser.postForm(
      '/connect/authorize',
      Object.fromEntries(new URLSearchParams(app.query())),
      { headers: { origin: 'http://localhost:4567', 'sec-fetch-site': 'cross-site' } },
    );
    expect(answer.status).toBe(303);
    expect(answer.location).toBe(`${portal.issuer}/connect/authorize?${app.query()}`);
    expect(new URL((await app.browser.get(answer.location ?? '')).location ?? '').pathname).toBe('/login');
  });

  it('shows a page when it is too long, and never redirects to another host', async () => {
    const post = (body: string) =>
      new Agent(portal.issuer).send('/connect/authorize', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expectPage400(await post(`state=${'s'.repeat(15_000)}`));
    const tricky = await post('a=b\r\nSet-Cookie: x=y');
    expect(tricky.headers['set-cookie']).toBeUndefined();
    expect([303, 400]).toContain(tricky.status);
  });
});
