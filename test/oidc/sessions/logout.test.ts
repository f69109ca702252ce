import { decodeJwt } from 'jose';
import { SigningKeys } from '../../../src/oidc/engine/keys/signing-keys.js';
import { useLogoutReceiver } from '../../support/apps/logout-receiver.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const [postLogoutUri = ''] = publicApp.postLogoutRedirectUris;
const scope = 'openid fhirUser launch/patient patient/*.rs';
const receiver = useLogoutReceiver();
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      clients: receiver.clients,
      users: Object.values(people),
      outbound: { allowedPrivateHosts: ['localhost'] },
    },
  });
});

afterAll(() => portal.close());

const signIn = async (browser = new Agent(portal.issuer), clientId = publicApp.clientId) => {
  const app = new SmartApp(portal, { client: { clientId }, scope }, browser);
  return { browser, ...(await app.tokens(people.patient)) } as {
    browser: Agent;
    id_token: string;
    access_token: string;
  };
};
const session = (browser: Agent) => browser.get('/api/session').then(({ status }) => status);
const sessions = () => portal.query("SELECT FROM oidc_record WHERE model = 'Session'");

/** Whether the app of each id_token has received the logout token for its session. */
const wereNotified = (...idTokens: string[]) => {
  const endOf = (token: string) => `${decodeJwt(token).aud} ${decodeJwt(token).sid}`;
  const received = receiver.tokens.map(({ token }) => endOf(token));
  return idTokens.every((idToken) => received.includes(endOf(idToken)));
};

/** An app's request to sign out, by the browser. */
type Ask = (browser: Agent, parameters: Record<string, string>) => Promise<Answer>;
const byGet: Ask = (browser, parameters) => browser.get(`/connect/endsession?${new URLSearchParams(parameters)}`);

/** A browser sends no cookies with a form of another site, and sends them to the address that answers it. */
const byPost: Ask = async (browser, parameters) => {
  const { status, location = '' } = await new Agent(portal.issuer).postForm('/connect/endsession', parameters);
  expect([status, location.length < 200]).toEqual([303, true]);
  if (parameters.id_token_hint !== undefined) expect(location).not.toContain(parameters.id_token_hint);
  return browser.get(location);
};

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
    const before = await sessions();
    const { browser } = await signIn();
    const cookies = new Map(browser.cookies);
    expect(await session(browser)).toBe(200);
    expect((await browser.signOut()).location).toBe(`${portal.issuer}/login?loggedOut=true`);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect(await session(browser)).toBe(401);
    expect(await sessions()).toHaveLength(before.length);
  });

  it.each([
    ['another site requests it', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site requests it', { 'sec-fetch-site': 'same-site' }],
    ['the browser does not name the requesting site', {}],
  ])('D-05 requires confirmation when %s', async (_, headers) => {
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

  it.each([
    ['the page of an invitation, which is answered with another account', '/invitation', '/invitation'],
    ['no other page', '/user/grants', '/login?loggedOut=true'],
    ['no other site', '//evil.example', '/login?loggedOut=true'],
  ])('leads to %s', async (_, page, next) => {
    const { browser } = await signIn();
    const headers = { 'sec-fetch-site': 'same-origin' };
    const answered = await browser.get(`/logout?${new URLSearchParams({ continue: page })}`, { headers });
    expect(answered.location).toBe(`${portal.issuer}${next}`);
    expect(await session(browser)).toBe(401);
  });
});

describe.each([
  ['GET', byGet],
  ['POST', byPost],
])('A sign-out that an app requests by %s', (_method, ask) => {
  it('happens at once with its id_token, and returns to its registered address', async () => {
    const { browser, id_token: hint } = await signIn();
    const page = await ask(browser, { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri, state: 'a b+c' });
    expect(page.text).toContain(".querySelector('button').click()");
    expect(page.headers['content-security-policy']).not.toContain('form-action');
    const back = await confirm(browser, page);
    expect(back.location).toBe(`${postLogoutUri}?state=${encodeURIComponent('a b+c').replace('%20', '+')}`);
    expect(await session(browser)).toBe(401);
    await until(() => wereNotified(hint));
  });

  it('happens also with an id_token whose key was replaced since', async () => {
    const { browser, id_token: hint } = await signIn();
    await portal.apps[0]?.get(SigningKeys, { strict: false }).rotate({ immediately: true });
    await until(async () => (await signIn()).id_token.split('.')[0] !== hint.split('.')[0]);
    const page = await ask(browser, { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri });
    expect((await confirm(browser, page)).location).toBe(postLogoutUri);
  });

  it('with two sign-out pages open returns from each to its own app', async () => {
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
    await until(() => wereNotified(heartHint, boneHint));
  });

  it('without a session returns from each of two requests to its own app', async () => {
    const { browser, id_token: hint } = await signIn();
    await browser.signOut();
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
    const { browser } = await signIn();
    const refused = await confirm(browser, await pageFor(browser));
    expect([refused.status, refused.location]).toEqual([400, undefined]);
    expect(await session(browser)).toBe(200);
  });

  it('oidcc-rp-initiated-logout-no-params requires confirmation without parameters, and ends at the sign-in page', async () => {
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
    const { browser, id_token: hint } = await signIn();
    await browser.signOut();
    const page = await ask(browser, { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri });
    expect(page.headers['content-security-policy']).not.toContain('form-action');
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
    const { browser, id_token: hint } = await signIn();
    const page = await ask(browser, { ...(hinted ? { id_token_hint: hint } : {}), post_logout_redirect_uri: uri });
    expect(page.text).toContain('Sign out?');
    expect(page.text).not.toContain('<script');
    expect(page.headers['content-security-policy']).toContain("form-action 'self';");
    expect(await session(browser)).toBe(200);
    expect((await confirm(browser, page)).location).toBe(`${portal.issuer}/connect/endsession/success`);
  });

  it.each([
    ['oidcc-rp-initiated-logout-modified-id-token-hint', (hint: string) => `${hint.slice(0, -8)}AAAAAAAA`],
    ['of no token at all', () => 'nonsense'],
    ['that names no client', () => `${btoa('{"alg":"none"}').replace(/=/g, '')}.e30.`],
  ])('D-04 is refused on the portal’s own page with a hint: %s', async (_, change) => {
    const { browser, id_token: hint } = await signIn();
    const refused = await ask(browser, { id_token_hint: change(hint), post_logout_redirect_uri: postLogoutUri });
    expect([refused.status, refused.location]).toEqual([400, undefined]);
    expect(await session(browser)).toBe(200);
  });

  it('requires confirmation when the hint is about another user', async () => {
    const { id_token: hint } = await signIn();
    const browser = new Agent(portal.issuer);
    await new SmartApp(portal, { scope }, browser).tokens(people.otherPatient);
    const page = await ask(browser, { id_token_hint: hint, post_logout_redirect_uri: postLogoutUri });
    expect(page.text).not.toContain('<script');
    expect(await session(browser)).toBe(200);
  });
});

describe('A sign-out that is posted', () => {
  it('carries on its own parameters only', async () => {
    const { location } = await new Agent(portal.issuer).postForm('/connect/endsession', {
      client_id: 'public-app',
      state: 'a b',
      access_token: 'planted',
      xsrf: 'planted',
    });
    expect(location).toBe(`${portal.issuer}/connect/endsession?client_id=public-app&state=a+b`);
  });

  it('without parameters requires confirmation', async () => {
    const { browser } = await signIn();
    const posted = await browser.postForm('/connect/endsession', {});
    expect(posted.location).toBe(`${portal.issuer}/connect/endsession`);
    expect((await browser.get(posted.location ?? '')).text).toContain('Sign out?');
  });

  it('is kept for ten minutes, and is no authorization request', async () => {
    const { browser, id_token: hint } = await signIn();
    const { location = '' } = await browser.postForm('/connect/endsession', { id_token_hint: hint });
    expect((await browser.get(location.replace('endsession', 'authorize'))).status).toBe(400);
    await portal.query("UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'PostedRequest'");
    const late = await browser.get(location, { headers: { accept: 'text/html' } });
    expect([late.status, late.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await session(browser)).toBe(200);
  });

  it('that cannot be read or is too large is refused by a page', async () => {
    for (const [state, status] of [
      ['%00', 400],
      ['x'.repeat(70_000), 413],
    ] as const) {
      const refused = await new Agent(portal.issuer).send('/connect/endsession', {
        method: 'POST',
        body: `state=${state}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect([refused.status, refused.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    }
  });
});
