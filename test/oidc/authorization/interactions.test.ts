import { decodeJwt } from 'jose';
import pg from 'pg';
import { type Launch, returnUrlOf, SmartApp } from '../../support/apps/smart-app.js';
import { alterClient, confidentialApp, publicApp, redirectUri, sharedSecret } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const quietApp = { ...publicApp, clientId: 'quiet-app', requireConsent: false };
const externalOnlyApp = { ...quietApp, clientId: 'external-only-app' };

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: Object.values(people),
      clients: [publicApp, quietApp, externalOnlyApp, confidentialApp],
    },
  });
  // The API does not save this without an identity provider.
  await alterClient(portal, externalOnlyApp.clientId, { settings: { enableLocalLogin: false } });
});

afterAll(() => portal.close());

/** An app's request of a signed-in user at the consent page. */
async function atConsent(launch: Launch = {}): Promise<{ app: SmartApp; returnUrl: string }> {
  const app = new SmartApp(portal, launch);
  const first = await app.begin();
  await app.signIn(people.patient, first);
  const page = new URL(await app.follow(first));
  expect(page.pathname).toBe('/user/consent');
  return { app, returnUrl: page.searchParams.get('returnUrl') ?? '' };
}

/** Another request in the same browser. */
const again = (app: SmartApp, launch: Launch = {}) => new SmartApp(portal, launch, app.browser);

const errorOf = (location: string | undefined) => new URL(location ?? '').searchParams.get('error');
const pathOf = (location: string | undefined) => new URL(location ?? '').pathname;

describe('An interaction started in another browser', () => {
  it('A-19 is refused to a user who opens an attacker’s link, and stays at sign-in for the attacker', async () => {
    const attacker = new SmartApp(portal);
    const returnUrl = await attacker.begin();
    const victim = new SmartApp(portal);
    // The victim may sign in from the attacker's link, but this does not complete the attacker's request.
    expect((await victim.signIn(people.patient, returnUrl)).status).toBe(200);
    const query = encodeURIComponent(returnUrl);
    const read = await victim.browser.get(`/api/consent?returnUrl=${query}`);
    const decided = await victim.consent(returnUrl, ['openid']);
    for (const answer of [read, decided]) {
      expect(answer.status).toBe(400);
      expect(answer.headers['cache-control']).toContain('no-store');
      expect(Object.keys(answer.json()).sort()).toEqual(['codes', 'errors', 'message', 'statusMessage', 'title']);
    }
    const resumed = await victim.browser.get(`${returnUrl}`);
    expect((await victim.browser.get(resumed.location ?? '')).status).toBe(400);
    expect(pathOf(await attacker.follow(returnUrl))).toBe('/login');
  });

  it('A-19 is refused also with a binding cookie of another interaction, and when leaving by the account page', async () => {
    const attacker = new SmartApp(portal);
    const returnUrl = await attacker.begin();
    const victim = new SmartApp(portal);
    const own = await victim.begin();
    await victim.signIn(people.patient, own);
    expect((await victim.consent(returnUrl, [])).status).toBe(400);
    const left = await victim.browser.postForm('/connect/account', { returnUrl, choice: 'decline' });
    expect(left.status).toBe(400);
    expect(pathOf(await attacker.follow(returnUrl))).toBe('/login');
    const events = await portal.query(
      "SELECT client_id, detail - 'launch' AS detail FROM audit_event WHERE type = 'access.refused'",
    );
    expect(events).toContainEqual({ client_id: publicApp.clientId, detail: { request: 'of another browser' } });
  });
});

describe('An interaction that is finished, expired or of another browser', () => {
  it('A-22 issues no second code after Back', async () => {
    const { app, returnUrl } = await atConsent();
    await app.consent(returnUrl, await app.offeredScopes(returnUrl));
    expect(new URL(await app.follow(returnUrl)).searchParams.has('code')).toBe(true);
    expect((await app.consent(returnUrl, ['openid'])).status).toBe(400);
    const resumed = await app.browser.get((await app.browser.get(returnUrl)).location ?? '');
    expect(resumed.status).toBe(400);
    expect(resumed.location).toBeUndefined();
  });

  it('A-23 has expired after 15 minutes', async () => {
    const { app, returnUrl } = await atConsent();
    await portal.query(
      "UPDATE oidc_record SET expires_at = expires_at - interval '15 minutes' WHERE model = 'Interaction'",
    );
    expect((await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).status).toBe(400);
    expect((await app.consent(returnUrl, ['openid'])).status).toBe(400);
    expect((await app.browser.get((await app.browser.get(returnUrl)).location ?? '')).status).toBe(400);
  });

  it('is refused without a valid returnUrl', async () => {
    const { app } = await atConsent();
    for (const returnUrl of [
      '',
      'https://evil.example/connect/authorize/callback?ix=aaaaaaaaaaaaaaaaaaaaa',
      '//evil.example/connect/authorize/callback?ix=aaaaaaaaaaaaaaaaaaaaa',
      '/connect/authorize/callback?ix=../../../etc/passwd',
      '/connect/authorize/callback?ix=aaaaaaaaaaaaaaaaaaaaa',
      '/connect/authorize/callback?ix=\u0000',
    ]) {
      expect((await app.consent(returnUrl, ['openid'])).status).toBe(400);
      expect((await app.signIn(people.patient, returnUrl)).status).toBe(200);
    }
    expect((await app.browser.get('/connect/authorize/callback?ix=x')).status).toBe(400);
    expect((await app.browser.get('/connect/authorize/callback?ix=aaaaaaaaaaaaaaaaaaaaa')).location).toBe(
      `${portal.issuer}/connect/authorize/aaaaaaaaaaaaaaaaaaaaa`,
    );
  });

  it('A-02 issues no code for a client that was disabled meanwhile', async () => {
    const { app, returnUrl } = await atConsent();
    const scopes = await app.offeredScopes(returnUrl);
    await alterClient(portal, publicApp.clientId, { enabled: false });
    try {
      expect((await app.consent(returnUrl, scopes)).status).toBe(400);
    } finally {
      await alterClient(portal, publicApp.clientId, { enabled: true });
    }
  });

  it('continues in the session that signed in only: after a sign-out it is refused', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    const returnUrl = await app.begin();
    await app.signIn(people.patient, returnUrl);
    await app.browser.signOut();
    const resumed = await app.browser.get((await app.browser.get(returnUrl)).location ?? '');
    expect(resumed.status).toBe(400);
    expect((await app.browser.get('/api/session')).status).toBe(401);
  });

  it('does not give the decision of one user to another who has signed in meanwhile', async () => {
    const { app, returnUrl } = await atConsent();
    await app.consent(returnUrl, await app.offeredScopes(returnUrl));
    await app.signIn(people.otherPatient, returnUrl);
    const at = await app.follow(returnUrl).catch((error: Error) => error.message);
    if (URL.canParse(at)) expect(new URL(at).searchParams.has('code')).toBe(false);
    expect((await app.browser.get('/api/session')).json()).toMatchObject({ email: people.otherPatient.email });
  });
});

describe('Two authorization requests in one browser', () => {
  it('are independent of each other in any order', async () => {
    const first = new SmartApp(portal);
    const second = again(first, { client: quietApp });
    const [returnFirst, returnSecond] = [await first.begin(), await second.begin()];
    await first.signIn(people.patient, returnFirst);
    const consent = new URL(await first.follow(returnFirst)).searchParams.get('returnUrl') ?? '';
    // The user is already signed in for the second request.
    const answer = new URL(await second.follow(returnSecond));
    expect(answer.searchParams.get('state')).toBe(second.state);
    expect((await second.exchange(answer.searchParams.get('code') ?? '')).status).toBe(200);
    expect((await first.consent(consent, await first.offeredScopes(consent))).status).toBe(204);
    const own = new URL(await first.follow(consent));
    expect(own.searchParams.get('state')).toBe(first.state);
    expect((await first.exchange(own.searchParams.get('code') ?? '')).status).toBe(200);
  });
});

describe('An authorization request with prompt=none', () => {
  const silent = { client: quietApp, parameters: { prompt: 'none' } };

  it('A-25 gets login_required without a session', async () => {
    const answer = await new SmartApp(portal, silent).authorize();
    expect(answer.status).toBe(303);
    expect(answer.location?.startsWith(redirectUri)).toBe(true);
    expect(errorOf(answer.location)).toBe('login_required');
  });

  it('A-25 gets consent_required when the user has to decide', async () => {
    const { app } = await atConsent();
    const answer = await again(app, { parameters: { prompt: 'none' } }).authorize();
    expect(errorOf(answer.location)).toBe('consent_required');
  });

  it('A-25 gets account_selection_required for an administrator', async () => {
    const app = new SmartApp(portal, silent);
    await app.signIn(people.admin);
    expect(errorOf((await app.authorize()).location)).toBe('account_selection_required');
  });

  it('gets a code when no question is left, with its own grant and context', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    await app.tokens(people.patient);
    const second = again(app, silent);
    const answer = await second.authorize();
    const code = new URL(answer.location ?? '').searchParams.get('code') ?? '';
    expect((await second.exchange(code)).json()).toMatchObject({ patient: '1' });
  });
});

describe('An authorization request that requires a new sign-in', () => {
  it.each([
    ['prompt=login', { prompt: 'login' }],
    ['max_age=0', { max_age: '0' }],
  ])('A-26 asks for the password again and returns a new auth_time (%s)', async (_, parameters) => {
    const app = new SmartApp(portal, { client: quietApp });
    const before = decodeJwt((await app.tokens(people.patient)).id_token ?? '').auth_time;
    await portal.query(
      "UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 60)) WHERE model = 'Session'",
    );
    const second = again(app, { client: quietApp, parameters });
    const returnUrl = await second.begin();
    // Continuing without the password leads back to the sign-in page.
    expect(pathOf(await second.follow(returnUrl))).toBe('/login');
    const third = again(app, { client: quietApp, parameters });
    const { id_token } = await third.tokens(people.patient);
    expect(Number(decodeJwt(id_token ?? '').auth_time)).toBeGreaterThanOrEqual(Number(before ?? 0));
    expect(decodeJwt(id_token ?? '').auth_time).toEqual(expect.any(Number));
  });

  it('A-26 asks again when the sign-in is older than max_age', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    await app.tokens(people.patient);
    await portal.query(
      "UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 60)) WHERE model = 'Session'",
    );
    expect(pathOf((await again(app, { client: quietApp, parameters: { max_age: '59' } }).authorize()).location)).toBe(
      '/login',
    );
    expect(
      new URL(
        (await again(app, { client: quietApp, parameters: { max_age: '3600' } }).authorize()).location ?? '',
      ).searchParams.has('code'),
    ).toBe(true);
  });

  it('A-27 follows id_token_hint: another user has to sign in, and the wrong one causes login_required', async () => {
    const hint = (await new SmartApp(portal, { client: quietApp }).tokens(people.patient)).id_token;
    const launch = { client: quietApp, parameters: { id_token_hint: hint } };
    const app = new SmartApp(portal, launch);
    await app.signIn(people.otherPatient);
    const returnUrl = returnUrlOf(await app.authorize());
    await app.signIn(people.otherPatient, returnUrl);
    expect(errorOf(await app.follow(returnUrl))).toBe('login_required');
    const right = again(app, launch);
    expect((await right.complete(people.patient)).searchParams.has('code')).toBe(true);
  });
});

describe('The sign-in page of an app’s request', () => {
  it('A-31 has the login hint only when it could be an address', async () => {
    const hinted = async (hint: string) => {
      const app = new SmartApp(portal, { parameters: { login_hint: hint } });
      const returnUrl = encodeURIComponent(await app.begin());
      return (await app.browser.get(`/api/session/login?returnUrl=${returnUrl}`)).json().loginHint;
    };
    expect(await hinted('amelia@example.org')).toBe('amelia@example.org');
    expect(await hinted('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
    expect(await hinted('x'.repeat(10_000))).toBeNull();
  });

  it('A-32 refuses passwords where the client forbids them, and sessions that began with one', async () => {
    const app = new SmartApp(portal, { client: externalOnlyApp });
    const returnUrl = await app.begin();
    const options = await app.browser.get(`/api/session/login?returnUrl=${encodeURIComponent(returnUrl)}`);
    expect(options.json()).toMatchObject({ enableLocalLogin: false });
    expect((await app.signIn(people.patient, returnUrl)).status).toBe(403);
    expect((await app.signIn(people.patient)).status).toBe(200);
    expect(pathOf(await app.follow(returnUrl))).toBe('/login');
    expect(pathOf((await again(app, { client: externalOnlyApp }).authorize()).location)).toBe('/login');
  });
});

describe('An administrator in an app’s request', () => {
  async function atAccount(): Promise<{ app: SmartApp; returnUrl: string }> {
    const app = new SmartApp(portal, { client: quietApp });
    const first = await app.begin();
    await app.signIn(people.admin, first);
    const page = new URL(await app.follow(first));
    expect(page.pathname).toBe('/connect/account');
    const html = await app.browser.get(page.href);
    expect(html.status).toBe(200);
    // Chromium applies form-action also to the redirects that follow the form (security T-02).
    expect(String(html.headers['content-security-policy'])).not.toContain('form-action');
    expect(html.text.replace(/<[^>]*>/g, ' ')).toContain('Continue to Heart Companion');
    expect(html.text).toContain(`<bdi dir="ltr">${new URL(redirectUri).host}</bdi>`);
    return { app, returnUrl: page.searchParams.get('returnUrl') ?? '' };
  }

  const choose = (browser: Agent, returnUrl: string, choice: string, headers: Record<string, string> = {}) =>
    browser.postForm('/connect/account', { returnUrl, choice }, { headers });

  it('gets no code, and may return to the app', async () => {
    const { app, returnUrl } = await atAccount();
    const answer = await choose(app.browser, returnUrl, 'decline', {
      origin: portal.issuer,
      'sec-fetch-site': 'same-origin',
    });
    expect(answer.status).toBe(303);
    expect(errorOf(await app.follow(answer.location ?? ''))).toBe('access_denied');
  });

  it('may use another account', async () => {
    const { app, returnUrl } = await atAccount();
    const answer = await choose(app.browser, returnUrl, 'other');
    const login = new URL(answer.location ?? '');
    expect(login.pathname).toBe('/login');
    expect((await app.browser.get('/api/session')).status).toBe(401);
    await app.signIn(people.patient, login.searchParams.get('returnUrl') ?? '');
    expect(new URL(await app.follow(returnUrl)).searchParams.has('code')).toBe(true);
  });

  it('E-03 is not moved on by another site, nor by a malformed form', async () => {
    const { app, returnUrl } = await atAccount();
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
    ];
    for (const headers of foreign) expect((await choose(app.browser, returnUrl, 'other', headers)).status).toBe(403);
    expect((await app.browser.post('/connect/account', { returnUrl })).status).toBe(415);
    expect((await app.browser.postForm('/connect/account', { choice: 'other' })).status).toBe(400);
    expect((await choose(new Agent(portal.issuer), returnUrl, 'other')).status).toBe(400);
    expect((await app.browser.get('/api/session')).status).toBe(200);
  });
});

describe('The authorization response', () => {
  it('A-30 is a 303 with the issuer next to the code (RFC 9207)', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    await app.signIn(people.patient);
    const answer = await app.authorize();
    expect(answer.status).toBe(303);
    const { searchParams } = new URL(answer.location ?? '');
    expect([...searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(searchParams.get('iss')).toBe(portal.issuer);
  });

  it('is sent without PKCE to a client that needs none, and a challenge that was sent is verified', async () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    const plain = new SmartApp(portal, { client: confidentialApp, secret: sharedSecret, parameters: without });
    const code = (await plain.complete(people.patient)).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    expect((await plain.token(form)).status).toBe(200);
    const challenged = new SmartApp(portal, { client: confidentialApp, secret: sharedSecret });
    const second = (await challenged.complete(people.patient)).searchParams.get('code') ?? '';
    expect((await challenged.token({ ...form, code: second })).json()).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('An authorization request that is revoked during its response', () => {
  /** Deletes the record in a transaction that the answer has to wait for. */
  async function takenAwayDuring<T>(model: string, answer: () => Promise<T>): Promise<T> {
    const taking = new pg.Client(portal.connection);
    await taking.connect();
    try {
      await taking.query('BEGIN');
      await taking.query('DELETE FROM oidc_record WHERE model = $1', [model]);
      const answered = answer();
      await until(async () => {
        const [row] = await portal.query<{ waiting: number }>(
          "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return (row?.waiting ?? 0) > 0;
      });
      await taking.query('COMMIT');
      return await answered;
    } finally {
      await taking.end();
    }
  }

  it.each([
    ['consenting', (app: SmartApp, returnUrl: string) => app.consent(returnUrl, ['openid'])],
    ['declining', (app: SmartApp, returnUrl: string) => app.consent(returnUrl, [])],
    ['signing in again', (app: SmartApp, returnUrl: string) => app.signIn(people.patient, returnUrl)],
  ])('is not restored by %s', async (_, answer) => {
    const { app, returnUrl } = await atConsent();
    const { status } = await takenAwayDuring('Interaction', () => answer(app, returnUrl));
    expect(status).toBe(400);
    expect(await portal.query("SELECT FROM oidc_record WHERE model = 'Interaction'")).toEqual([]);
    expect(new URL(await app.follow(returnUrl)).searchParams.has('code')).toBe(false);
  });

  it('does not restore an earlier grant that is revoked while the user removes a part of it', async () => {
    const earlier = new SmartApp(portal);
    const { refresh_token: token = '' } = await earlier.tokens(people.patient);
    const later = again(earlier, { scope: 'openid offline_access patient/*.rs', parameters: { prompt: 'consent' } });
    const returnUrl = returnUrlOf(await later.authorize());
    const { status } = await takenAwayDuring('Grant', () => later.consent(returnUrl, ['openid', 'offline_access']));
    expect(status).toBe(204);
    expect((await earlier.refresh(token)).json()).toMatchObject({ error: 'invalid_grant' });
    expect(await portal.query("SELECT FROM oidc_record WHERE model = 'Grant'")).toHaveLength(1);
  });
});
