import type { ServerResponse } from 'node:http';
import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { beginExternalSignIn } from '../support/providers/external-sign-in.js';
import {
  type Deviations,
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '../support/providers/misbehaving-provider.js';

const schemes = [
  'one',
  'another',
  'garbage',
  'html',
  'other-issuer',
  'no-keys-named',
  'silent',
  'with-iss',
  'plain-http',
];
const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end('{}');
const silence = () => undefined;

let provider: MisbehavingProvider;
let portal: TestPortal;

beforeAll(async () => {
  provider = await startMisbehavingProvider();
  Object.assign(provider.deviations, {
    garbage: { discovery: (response) => response.writeHead(200).end('{"issuer":') },
    html: { discovery: (response) => response.writeHead(200).end('<html>Down for maintenance</html>') },
    'other-issuer': { metadata: { issuer: 'https://login.elsewhere.example' } },
    'no-keys-named': { metadata: { jwks_uri: undefined } },
    silent: { discovery: silence },
    'with-iss': { metadata: { authorization_response_iss_parameter_supported: true } },
    'plain-http': { metadata: { token_endpoint: 'ftp://localhost/token' } },
  } satisfies Record<string, Deviations>);
  portal = await startPortal({
    nodes: 2,
    config: {
      clients: [publicApp],
      identityProviders: [
        ...schemes.map((scheme) => provider.entry(scheme)),
        // No server listens there.
        { ...provider.entry('down'), authority: 'http://localhost:9' },
      ],
    },
  });
});

beforeEach(() => {
  for (const scheme of ['one', 'another']) provider.deviations[scheme] = {};
});

afterAll(async () => {
  await portal.close();
  await provider.close();
});

interface Begun {
  browser: Agent;
  location: string;
}

async function begun(scheme = 'one', returnUrl?: string, browser = new Agent(portal.issuer)): Promise<Begun> {
  const { location = '' } = await beginExternalSignIn(browser, scheme, returnUrl);
  expect(location).toContain(`${provider.authority(scheme)}/authorize?`);
  return { browser, location };
}

/** Expects that the callback redirects to the sign-in page with this error and starts no session. */
async function expectRefused(browser: Agent, callback: string, error: string): Promise<void> {
  const answer = await browser.get(callback);
  expect([answer.status, answer.location]).toEqual([303, `${portal.issuer}/login?error=${error}`]);
  expect((await browser.get('/api/session')).status).toBe(401);
}

async function expectPage400(browser: Agent, address: string): Promise<void> {
  const answer = await browser.get(address);
  expect([answer.status, answer.location, answer.headers['content-type']]).toEqual([
    400,
    undefined,
    'text/html; charset=utf-8',
  ]);
  expect(answer.text).toContain('<meta name="gatehouse-error" content="400">');
  expect((await browser.get('/api/session')).status).toBe(401);
}

describe('The redirect to an identity provider', () => {
  it('K-01 D-06 has PKCE, state and nonce, and not the return URL', async () => {
    const app = new SmartApp(portal);
    const { location } = await begun('one', await app.begin(), app.browser);
    const asked = Object.fromEntries(new URL(location).searchParams);
    expect(asked).toEqual({
      response_type: 'code',
      client_id: 'gatehouse',
      redirect_uri: `${portal.issuer}/federation/one/signin`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const again = Object.fromEntries(new URL((await begun()).location).searchParams);
    for (const name of ['state', 'nonce', 'code_challenge']) expect(again[name]).not.toBe(asked[name]);
  });

  it('stores no value with which another browser could finish the sign-in', async () => {
    const { location } = await begun();
    const { state = '', nonce = '' } = Object.fromEntries(new URL(location).searchParams);
    const [row] = await portal.query<{ text: string }>(
      "SELECT string_agg(t::text, E'\\n') AS text FROM external_sign_in t",
    );
    expect(row?.text).toContain('one');
    expect(row?.text).not.toContain(state);
    expect(row?.text).not.toContain(nonce);
  });

  it.each([
    ['unknown', 'scheme=none'],
    ['missing', ''],
    ['given twice', 'scheme=one&scheme=another'],
    ['sent with a foreign code', 'scheme=one&code=stolen&state=any'],
    ['sent with an error', 'scheme=one&error=access_denied'],
  ])('K-10 is refused for a scheme that is %s', async (_, query) => {
    const answer = await new Agent(portal.issuer).get(`/connect/authorize/external?${query}`);
    expect([answer.status, answer.json().title]).toEqual([400, 'Bad Request']);
    const page = await new Agent(portal.issuer).get(`/connect/authorize/external?${query}`, {
      headers: { accept: 'text/html,*/*' },
    });
    expect([page.status, page.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
  });

  it.each(['garbage', 'html', 'other-issuer', 'no-keys-named', 'silent', 'plain-http', 'down'])(
    'K-11 leads back to the sign-in page when the provider is %s',
    async (scheme) => {
      const app = new SmartApp(portal);
      const returnUrl = await app.begin();
      const answer = await beginExternalSignIn(app.browser, scheme, returnUrl);
      expect(answer.status).toBe(303);
      const { pathname, searchParams } = new URL(answer.location ?? '');
      expect([pathname, Object.fromEntries(searchParams)]).toEqual([
        '/login',
        { error: 'provider-unavailable', returnUrl },
      ]);
    },
  );

  it('M-01 leads to no address inside the own network that a provider names', async () => {
    const evil = provider.authority('another').replace('localhost', '127.0.0.1');
    provider.deviations.another = { metadata: { token_endpoint: `${evil}/token` } };
    const inside = await startPortal({ config: { identityProviders: [provider.entry('another')] } });
    try {
      const browser = new Agent(inside.issuer);
      const { location = '' } = await beginExternalSignIn(browser, 'another');
      const before = provider.requestedPaths.length;
      const answer = await browser.get(provider.callbackFor(location));
      expect(answer.location).toBe(`${inside.issuer}/login?error=provider-unavailable`);
      expect(provider.requestedPaths.slice(before)).toEqual([]);
    } finally {
      await inside.close();
    }
  });
});

describe('The state of a provider’s response', () => {
  it.each([
    ['missing', { state: undefined }],
    ['made up', { state: 'a'.repeat(43) }],
    ['empty', { state: '' }],
    ['enormous', { state: 'a'.repeat(8_000) }],
  ])('K-01 is refused when it is %s', async (_, query) => {
    const { browser, location } = await begun();
    await expectPage400(browser, provider.callbackFor(location, query));
  });

  it('K-01 works once', async () => {
    const { browser, location } = await begun();
    const callback = provider.callbackFor(location);
    expect((await browser.get(callback)).location).toBe(`${portal.issuer}/`);
    await browser.signOut();
    await expectPage400(browser, provider.callbackFor(location));
    await expectPage400(browser, callback);
  });

  it('K-01 works once of twenty simultaneous requests on two nodes', async () => {
    const { browser, location } = await begun();
    const callback = provider.callbackFor(location);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const one = new Agent(portal.issuer, portal.ports[index % 2]);
        for (const [name, value] of browser.cookies) one.cookies.set(name, value);
        return one.get(callback);
      }),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([303, ...Array(19).fill(400)]);
  });

  it('K-01 E-05 belongs to one browser', async () => {
    const { browser, location } = await begun();
    const callback = provider.callbackFor(location);
    await expectPage400(new Agent(portal.issuer), callback);
    await expectPage400((await begun()).browser, callback);
    // The failed attempts of other browsers have not consumed the sign-in.
    expect((await browser.get(callback)).location).toBe(`${portal.issuer}/`);
  });

  it('K-01 expires after ten minutes', async () => {
    const { browser, location } = await begun();
    const [row] = await portal.query<{ seconds: number }>(
      'SELECT max(extract(epoch FROM expires_at - begun_at))::int AS seconds FROM external_sign_in',
    );
    expect(row?.seconds).toBeGreaterThanOrEqual(600);
    expect(row?.seconds).toBeLessThan(660);
    await portal.query("UPDATE external_sign_in SET expires_at = now() - interval '1 second'");
    await expectPage400(browser, provider.callbackFor(location));
  });

  it('K-01 belongs to the provider for which it was created', async () => {
    const { browser, location } = await begun('one');
    const callback = provider.callbackFor(location).replace('/federation/one/', '/federation/another/');
    await expectPage400(browser, callback);
    await expectPage400(browser, provider.callbackFor(location).replace('/federation/one/', '/federation/none/'));
  });
});

describe('The issuer of a provider’s response (RFC 9207)', () => {
  it('must be the requested provider when it is present', async () => {
    const right = await begun();
    const callback = provider.callbackFor(right.location, { iss: provider.authority('one') });
    expect((await right.browser.get(callback)).location).toBe(`${portal.issuer}/`);
    for (const iss of [provider.authority('another'), '']) {
      const { browser, location } = await begun();
      await expectRefused(browser, provider.callbackFor(location, { iss }), 'provider-failed');
    }
  });

  it('must be present for a provider that advertises it', async () => {
    const { browser, location } = await begun('with-iss');
    await expectRefused(browser, provider.callbackFor(location), 'provider-failed');
    const again = await begun('with-iss');
    const iss = provider.authority('with-iss');
    expect((await again.browser.get(provider.callbackFor(again.location, { iss }))).location).toBe(`${portal.issuer}/`);
  });
});

describe('A-26 An app that requires a new sign-in', () => {
  const now = () => Math.floor(Date.now() / 1000);

  it.each([
    ['refuses a sign-in of an hour ago', () => now() - 3_600, 'refused'],
    ['accepts a sign-in of now', now, 'taken'],
    // Glewlwyd sends this value.
    ['accepts a provider that does not know the time', () => 0, 'taken'],
  ])('%s', async (_, time, outcome) => {
    const app = new SmartApp(portal, { parameters: { prompt: 'login' } });
    const returnUrl = await app.begin();
    const { browser, location } = await begun('one', returnUrl, app.browser);
    expect(new URL(location).searchParams.get('prompt')).toBe('login');
    provider.deviations.one = { claims: { auth_time: time() } };
    const answer = await browser.get(provider.callbackFor(location));
    const login = `/login?${new URLSearchParams({ error: 'provider-failed', returnUrl })}`;
    expect(answer.location).toBe(portal.issuer + (outcome === 'taken' ? returnUrl : login));
    expect((await browser.get('/api/session')).status).toBe(outcome === 'taken' ? 200 : 401);
  });
});

describe('A provider’s response without a code', () => {
  it.each([
    ['access_denied', 'access-denied'],
    ['server_error', 'provider-failed'],
    ['<script>', 'provider-failed'],
  ])('with the error %s leads to the sign-in page, which shows the reason', async (error, reason) => {
    const { browser, location } = await begun();
    const before = provider.requestedPaths.length;
    await expectRefused(browser, provider.callbackFor(location, { code: undefined, error }), reason);
    expect(provider.requestedPaths.slice(before)).toEqual([]);
  });

  it('and without an error leads to the sign-in page', async () => {
    const { browser, location } = await begun();
    await expectRefused(browser, provider.callbackFor(location, { code: undefined }), 'provider-failed');
  });
});

describe('K-11 An identity provider', () => {
  it.each<[string, Deviations, string]>([
    ['refuses the code', { tokens: status(400) }, 'provider-failed'],
    ['fails at the token endpoint', { tokens: status(503) }, 'provider-unavailable'],
    ['never answers at the token endpoint', { tokens: silence }, 'provider-unavailable'],
    ['returns HTML for tokens', { tokens: (response) => response.writeHead(200).end('<html>') }, 'provider-failed'],
    [
      'returns an endless token response',
      { tokens: (response) => response.writeHead(200).end(`"${'x'.repeat(600_000)}"`) },
      'provider-unavailable',
    ],
    [
      'redirects the token request',
      { tokens: (response) => response.writeHead(307, { location: '/two/token' }).end() },
      'provider-failed',
    ],
    ['fails at userinfo', { userInfo: status(500) }, 'provider-unavailable'],
    [
      'returns invalid user info',
      { userInfo: (response: ServerResponse) => response.writeHead(200).end('null') },
      'provider-failed',
    ],
    ['returns the user info of another user', { userInfo: { sub: 'another-user' } }, 'provider-failed'],
  ])('that %s leads back to the sign-in page', async (_, deviation, reason) => {
    const { browser, location } = await begun();
    provider.deviations.one = deviation;
    await expectRefused(browser, provider.callbackFor(location), reason);
  });

  it('without keys leads back to the sign-in page', async () => {
    provider.deviations.another = { keys: status(404) };
    const fresh = await startPortal({ config: { identityProviders: [provider.entry('another')] } });
    try {
      const browser = new Agent(fresh.issuer);
      const { location = '' } = await beginExternalSignIn(browser, 'another');
      const answer = await browser.get(provider.callbackFor(location));
      expect(answer.location).toBe(`${fresh.issuer}/login?error=provider-failed`);
    } finally {
      await fresh.close();
    }
  });

  it('N-04 that is refused is recorded, and refusals are limited', async () => {
    const { browser, location } = await begun();
    await expectRefused(
      browser,
      provider.callbackFor(location, { code: undefined, error: 'access_denied' }),
      'access-denied',
    );
    const rows = await portal.query<{ outcome: string; detail: object }>(
      "SELECT outcome, detail - 'launch' AS detail FROM audit_event WHERE type = 'login' ORDER BY id DESC LIMIT 1",
    );
    expect(rows).toEqual([{ outcome: 'failure', detail: { identityProvider: 'one', reason: 'access-denied' } }]);
    let last = 0;
    for (let tries = 0; tries < 120 && last !== 429; tries += 1) {
      last = (await browser.get('/federation/one/signin?state=made-up&code=any')).status;
    }
    expect(last).toBe(429);
  });
});
