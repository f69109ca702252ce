import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { SigningKeys } from '../../../src/oidc/engine/keys/signing-keys.js';
import { logoutJobs } from '../../../src/oidc-store/infrastructure/logout-queue.js';
import { Revocations } from '../../../src/oidc-store/infrastructure/revocations.js';
import { Database } from '../../../src/platform/database/database.js';
import { JobTable } from '../../../src/platform/jobs/job-table.js';
import { Agent, type Answer } from '../../support/agent.js';
import { clientKinds } from '../../support/client-kinds.js';
import { publicApp } from '../../support/clients.js';
import { people } from '../../support/people.js';
import { startPortal, type TestPortal } from '../../support/portal.js';
import { SmartApp } from '../../support/smart-app.js';
import { until } from '../../support/until.js';

const [postLogoutUri = ''] = publicApp.postLogoutRedirectUris;
const scope = 'openid fhirUser launch/patient patient/*.rs';

/** What an app's server gets to hear. */
let receiver: Server;
let tokens: { path: string; token: string; headers: IncomingMessage['headers'] }[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let portal: TestPortal;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const token = new URLSearchParams(body).get('logout_token') ?? '';
    tokens.push({ path: request.url ?? '', token, headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  tokens = [];
  answer = (_, response) => response.writeHead(200, { 'cache-control': 'no-store' }).end();
});
afterEach(() => portal.close());
afterAll(() => {
  receiver.closeAllConnections();
  return new Promise((resolve) => receiver.close(resolve));
});

const listening = () => {
  const backChannelLogoutUri = `http://localhost:${(receiver.address() as AddressInfo).port}/heart`;
  return { ...publicApp, backChannelLogoutUri };
};
const other = () => ({
  ...listening(),
  clientId: 'other-app',
  clientName: 'Bone Companion',
  backChannelLogoutUri: listening().backChannelLogoutUri.replace('heart', 'bone'),
});

async function start(
  options: { nodes?: number; allowedPrivateHosts?: string[]; further?: { clientId: string }[] } = {},
): Promise<void> {
  const { nodes = 1, allowedPrivateHosts = ['localhost'], further = [] } = options;
  const clients = [listening(), other(), ...further, { ...publicApp, clientId: 'silent-app', clientName: 'Silent' }];
  portal = await startPortal({
    nodes,
    config: { clients, users: Object.values(people), outbound: { allowedPrivateHosts } },
  });
}

const signIn = async (browser = new Agent(portal.issuer), clientId = publicApp.clientId) => {
  const app = new SmartApp(portal, { client: { clientId }, scope }, browser);
  return { browser, ...(await app.tokens(people.patient)) } as {
    browser: Agent;
    id_token: string;
    access_token: string;
  };
};
const leave = (browser: Agent) => browser.signOut();
const session = (browser: Agent) => browser.get('/api/session').then(({ status }) => status);
/** An attempt is leased for 30 s; that the first one failed shows by the next being due earlier. */
const queued = () =>
  portal.query<{ attempts: number; putOff: boolean }>(
    `SELECT attempts, attempts = 1 AND due_at < created_at + interval '25 seconds' AS "putOff" FROM job`,
  );
const tryAgainNow = () =>
  portal.query("WITH due AS (UPDATE job SET due_at = now()) SELECT pg_notify('gatehouse_jobs', 'backchannel-logout')");

async function verified(token: string): Promise<JWTPayload> {
  const jwks = await new Agent(portal.issuer).get('/.well-known/openid-configuration/jwks');
  const { payload } = await jwtVerify(token, createLocalJWKSet(jwks.json()), {
    issuer: portal.issuer,
    typ: 'logout+jwt',
    algorithms: ['RS256'],
  });
  return payload;
}

/** Asks as an app does, by sending the browser there. */
const ask = (browser: Agent, parameters: Record<string, string>) =>
  browser.get(`/connect/endsession?${new URLSearchParams(parameters)}`);

function confirm(browser: Agent, page: Answer): Promise<Answer> {
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? '';
  return browser.postForm(action, { xsrf, logout: 'yes' });
}

const changed = (page: Answer): Answer => ({
  ...page,
  text: page.text.replace(
    /(name="xsrf" value="[^"]{20})(.)/,
    (_, before, letter) => before + (letter === 'A' ? 'B' : 'A'),
  ),
});

describe('Signing out of the portal', () => {
  it('E-09 ends the session at once, and its cookie is invalid', async () => {
    await start();
    const { browser } = await signIn();
    const cookies = new Map(browser.cookies);
    expect(await session(browser)).toBe(200);
    expect((await leave(browser)).location).toBe(`${portal.issuer}/login?loggedOut=true`);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect(await session(browser)).toBe(401);
    expect(await portal.query("SELECT FROM oidc_record WHERE model = 'Session'")).toHaveLength(0);
  });

  it('oidcc-backchannel-rp-initiated-logout sends a logout token to each app of the session that has registered for it', async () => {
    await start();
    const { browser, id_token: idToken } = await signIn();
    await signIn(browser, 'other-app');
    await signIn(browser, 'silent-app');
    await leave(browser);
    await until(() => tokens.length === 2);
    const [heart] = tokens.filter(({ path }) => path === '/heart');
    expect(heart?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    const payload = await verified(heart?.token ?? '');
    const { sub, sid } = decodeJwt(idToken);
    expect(sid).toEqual(expect.any(String));
    expect(payload).toMatchObject({
      aud: publicApp.clientId,
      sub,
      sid,
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(payload).not.toHaveProperty('nonce');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120);
    await until(async () => (await queued()).length === 0);
  });

  it('sends no session id to apps that did not register for it', async () => {
    await start();
    const { id_token: idToken } = await signIn(undefined, 'silent-app');
    expect(decodeJwt(idToken)).not.toHaveProperty('sid');
  });

  it('does not wait for an app that does not respond', async () => {
    await start();
    answer = () => undefined;
    const { browser } = await signIn();
    // The app answers only at the end of this test.
    await leave(browser);
    expect(await session(browser)).toBe(401);
    await until(() => tokens.length === 1);
    receiver.closeAllConnections();
  });

  it.each([
    ['another site requests it', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site requests it', { 'sec-fetch-site': 'same-site' }],
    ['the browser does not name the requesting site', {}],
  ])('D-05 requires confirmation when %s', async (_, headers) => {
    await start();
    const { browser } = await signIn();
    const answered = await browser.get('/logout', { headers: headers as Record<string, string> });
    expect(answered.location).toBe(`${portal.issuer}/connect/endsession`);
    const page = await browser.get('/connect/endsession');
    expect(page.text).toContain('Sign out?');
    expect(page.text).not.toContain('<script');
    expect(await session(browser)).toBe(200);
    expect((await confirm(browser, page)).status).toBe(303);
    expect(await session(browser)).toBe(401);
  });
});

describe('A back-channel logout token', () => {
  it('is sent also when another user signs in to the same browser', async () => {
    await start();
    const { browser } = await signIn();
    await browser.post('/api/session/login', {
      username: people.otherPatient.email,
      password: people.otherPatient.password,
      rememberLogin: false,
    });
    await until(() => tokens.length === 1);
  });

  it('P-07 is sent also when an account loses all its sessions, for each of them', async () => {
    const { backChannelLogoutUri } = listening();
    await start({ further: clientKinds.map((kind) => kind.client('kind', { backChannelLogoutUri })) });
    const [first, second] = [new Agent(portal.issuer), new Agent(portal.issuer)];
    const idTokens: string[] = [];
    for (const kind of clientKinds) {
      for (const browser of [first, second]) {
        const app = kind.app(portal, kind.client('kind'), { scope }, browser);
        idTokens.push((await app.tokens(people.patient)).id_token ?? '');
      }
    }
    const { sub = '' } = decodeJwt(idTokens[0] ?? '');
    const [app] = portal.apps;
    await app?.get(Database).transaction(() => app.get(Revocations, { strict: false }).revokeAccount(sub));
    await until(() => tokens.length === idTokens.length);
    const endOf = (token: string) => `${decodeJwt(token).aud} ${decodeJwt(token).sid}`;
    expect(tokens.map(({ token }) => endOf(token)).sort()).toEqual(idTokens.map(endOf).sort());
    expect(new Set(idTokens.map(endOf)).size).toBe(2 * clientKinds.length);
  });

  it('is not sent when the end of the session is rolled back', async () => {
    await start();
    const { sub = '' } = decodeJwt((await signIn()).id_token);
    const [app] = portal.apps;
    const undone = app?.get(Database).transaction(async () => {
      await app.get(Revocations, { strict: false }).revokeAccount(sub);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await sleep(300);
    expect([tokens.length, (await queued()).length]).toEqual([0, 0]);
  });

  it.each([
    ['fails', 500],
    ['refuses', 400],
    ['redirects', 302],
  ])('is sent again, as a new token, when the app %s', async (_, status) => {
    await start();
    answer = (_request, response) => response.writeHead(status, { location: listening().backChannelLogoutUri }).end();
    const { browser } = await signIn();
    await leave(browser);
    await until(async () => (await queued())[0]?.attempts === 1 && tokens.length === 1);
    await sleep(200);
    expect(tokens).toHaveLength(1);
    answer = (_request, response) => response.writeHead(204).end();
    await tryAgainNow();
    await until(async () => (await queued()).length === 0);
    expect(tokens).toHaveLength(2);
    const [first, second] = tokens.map(({ token }) => decodeJwt(token));
    expect(second?.sid).toBe(first?.sid);
    expect(second?.jti).not.toBe(first?.jti);
  });

  it('is dropped a day after the session ended', async () => {
    await start();
    answer = (_, response) => response.writeHead(503).end();
    const { browser } = await signIn();
    await leave(browser);
    await until(async () => (await queued())[0]?.putOff === true);
    await portal.query("UPDATE job SET created_at = now() - interval '25 hours'");
    await tryAgainNow();
    await until(async () => (await queued()).length === 0);
    expect(tokens).toHaveLength(1);
  });

  const queue = (count: number) =>
    portal.query(
      `INSERT INTO job (kind, payload)
       SELECT 'backchannel-logout',
              jsonb_build_object('clientId', $1::text, 'accountId', 'user', 'sid', 'session-' || number)
         FROM generate_series(1, $2::int) AS number`,
      [publicApp.clientId, count],
    );

  it('is sent once by several nodes', async () => {
    await start({ nodes: 2 });
    await queue(50);
    await tryAgainNow();
    await until(async () => (await queued()).length === 0);
    await sleep(200);
    expect(new Set(tokens.map(({ token }) => decodeJwt(token).sid)).size).toBe(50);
    expect(tokens).toHaveLength(50);
  });

  it('is sent by one node each when all look for work at the same moment', async () => {
    await start({ nodes: 2 });
    await queue(200);
    const tables = portal.apps.map((app) => new JobTable(app.get(Database, { strict: false })));
    const taken = await Promise.all([...tables, ...tables, ...tables].map((one) => one.claim(logoutJobs)));
    const ids = taken.flat().map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(40);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('M-07 is not sent into the own network unless that is allowed', async () => {
    await start({ allowedPrivateHosts: [] });
    const { browser } = await signIn();
    await leave(browser);
    await until(async () => (await queued())[0]?.attempts === 1);
    await sleep(300);
    expect(tokens).toHaveLength(0);
  });

  it('oidcc-backchannel-logout-discovery-endpoint-verification is advertised in the discovery document', async () => {
    await start();
    const discovery = await new Agent(portal.issuer).get('/.well-known/openid-configuration');
    expect(discovery.json()).toMatchObject({
      end_session_endpoint: `${portal.issuer}/connect/endsession`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    expect(discovery.json()).not.toHaveProperty('frontchannel_logout_supported');
    expect(discovery.json()).not.toHaveProperty('check_session_iframe');
  });
});

describe('A sign-out that an app requests', () => {
  it('happens at once with its id_token, and returns to its registered address', async () => {
    await start();
    const { browser, id_token: hint } = await signIn();
    const page = await ask(browser, { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri, state: 'a b+c' });
    expect(page.text).toContain(".querySelector('button').click()");
    expect(page.headers['content-security-policy']).toContain("form-action 'self' http://localhost:4567;");
    const back = await confirm(browser, page);
    expect(back.location).toBe(`${postLogoutUri}?state=${encodeURIComponent('a b+c').replace('%20', '+')}`);
    expect(await session(browser)).toBe(401);
    await until(() => tokens.length === 1);
  });

  it('happens also with an id_token whose key was replaced since', async () => {
    await start();
    const { browser, id_token: hint } = await signIn();
    await portal.apps[0]?.get(SigningKeys, { strict: false }).rotate({ immediately: true });
    await until(async () => (await signIn()).id_token.split('.')[0] !== hint.split('.')[0]);
    const page = await ask(browser, { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri });
    expect((await confirm(browser, page)).location).toBe(postLogoutUri);
  });

  it('with two sign-out pages open returns from each to its own app', async () => {
    await start();
    const { browser, id_token: heartHint } = await signIn();
    const { id_token: boneHint } = await signIn(browser, 'other-app');
    const wish = { post_logout_redirect_uri: postLogoutUri };
    const heart = await ask(browser, { ...wish, id_token_hint: heartHint, state: 'heart' });
    const bone = await ask(browser, { ...wish, id_token_hint: boneHint, state: 'bone' });
    const own = await ask(browser, {});
    expect((await confirm(browser, heart)).location).toBe(`${postLogoutUri}?state=heart`);
    expect(await session(browser)).toBe(401);
    expect((await confirm(browser, bone)).location).toBe(`${postLogoutUri}?state=bone`);
    expect((await confirm(browser, own)).location).toBe(`${portal.issuer}/connect/endsession/success`);
    await until(() => tokens.length === 2);
  });

  it('without a session returns from each of two requests to its own app', async () => {
    await start();
    const { browser, id_token: hint } = await signIn();
    await leave(browser);
    const wish = { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri };
    const pages = [];
    for (const state of ['one', 'two']) pages.push(await ask(browser, { ...wish, state }));
    const targets = [];
    for (const page of pages) targets.push((await confirm(browser, page)).location);
    expect(targets).toEqual([`${postLogoutUri}?state=one`, `${postLogoutUri}?state=two`]);
  });

  it.each([
    ["another browser's page", async () => ask((await signIn()).browser, {})],
    ['a page of a browser without a session', () => ask(new Agent(portal.issuer), {})],
    ['no page', async () => ({ text: 'action="/connect/endsession/confirm"' }) as Answer],
    ['a page with a changed value', async (browser: Agent) => changed(await ask(browser, {}))],
  ])('E-03 is not confirmed by %s', async (_, pageFor) => {
    await start();
    const { browser } = await signIn();
    const refused = await confirm(browser, await pageFor(browser));
    expect([refused.status, refused.location]).toEqual([400, undefined]);
    expect(await session(browser)).toBe(200);
  });

  it('oidcc-rp-initiated-logout-no-params requires confirmation without parameters, and ends at the sign-in page', async () => {
    await start();
    const { browser } = await signIn();
    const page = await ask(browser, {});
    expect(page.text).not.toContain('<script');
    expect(await session(browser)).toBe(200);
    const confirmed = await confirm(browser, page);
    expect(await browser.get(confirmed.location ?? '').then(({ location }) => location)).toBe(
      `${portal.issuer}/login?loggedOut=true`,
    );
  });

  it('returns also without a session', async () => {
    await start();
    const { browser, id_token: hint } = await signIn();
    await leave(browser);
    const page = await ask(browser, { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri });
    expect(page.headers['content-security-policy']).toContain('http://localhost:4567');
    expect((await confirm(browser, page)).location).toBe(postLogoutUri);
  });

  it.each([
    [
      'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri is not registered',
      { hinted: true, uri: 'https://evil.example/out' },
    ],
    [
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri has an additional query',
      { hinted: true, uri: `${postLogoutUri}?x=1` },
    ],
    [
      'oidcc-rp-initiated-logout-no-id-token-hint comes without an id_token_hint',
      { hinted: false, uri: postLogoutUri },
    ],
  ])('D-04 requires confirmation, and does not return, when the address %s', async (_, { hinted, uri }) => {
    await start();
    const { browser, id_token: hint } = await signIn();
    const page = await ask(browser, { ...(hinted ? { id_token_hint: hint } : {}), post_logout_redirect_uri: uri });
    expect(page.text).toContain('Sign out?');
    expect(page.text).not.toContain('<script');
    expect(await session(browser)).toBe(200);
    expect((await confirm(browser, page)).location).toBe(`${portal.issuer}/connect/endsession/success`);
  });

  it.each([
    ['oidcc-rp-initiated-logout-modified-id-token-hint', (hint: string) => `${hint.slice(0, -8)}AAAAAAAA`],
    ['of no token at all', () => 'nonsense'],
    ['that names no client', () => `${btoa('{"alg":"none"}').replace(/=/g, '')}.e30.`],
  ])('D-04 is refused on the portal’s own page with a hint: %s', async (_, change) => {
    await start();
    const { browser, id_token: hint } = await signIn();
    const refused = await ask(browser, { id_token_hint: change(hint), post_logout_redirect_uri: postLogoutUri });
    expect([refused.status, refused.location]).toEqual([400, undefined]);
    expect(await session(browser)).toBe(200);
  });

  it('requires confirmation when the hint is about another user', async () => {
    await start();
    const { id_token: hint } = await signIn();
    const browser = new Agent(portal.issuer);
    await new SmartApp(portal, { scope }, browser).tokens(people.otherPatient);
    const page = await ask(browser, { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri });
    expect(page.text).not.toContain('<script');
    expect(await session(browser)).toBe(200);
  });
});
