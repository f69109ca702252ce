import type { LinkFacts } from '../../src/contract/users/account.js';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { type ClientKind, clientKinds, kindsInSlowTests } from '../support/clients/client-kinds.js';
import { alterClient, publicApp, redirectUri } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, type MailSink, newLink, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { type Person, people } from '../support/users/people.js';

/** A request that waits while its user follows a link by mail. */
type Purpose = 'activation' | 'password-reset';
interface Link {
  purpose: Purpose;
  id: string;
  token: string;
  email: string;
}

const purposes: Purpose[] = ['password-reset', 'activation'];
const clients = clientKinds.map((kind) => kind.client('waiting', { clientName: 'Heart Diary' }));
const startUrl = 'https://heart.example/start';
const heart = { ...publicApp, clientId: 'heart', clientName: 'Heart Diary', initiateLoginUri: startUrl };
const other = { ...publicApp, clientId: 'other', clientName: 'Bone Diary' };
const users: [string, Person][] = [
  ['a patient', people.patient],
  ['a practitioner', people.practitioner],
];

let sink: MailSink;
let portal: TestPortal;
let admin: Agent;
let mails = 0;
let passwords = 0;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    nodes: 2,
    config: { email: sink.config, users: Object.values(people), clients: [...clients, heart, other] },
  });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});
beforeEach(() => portal.query('DELETE FROM rate_limit'));
afterAll(async () => {
  await portal.close();
  await sink.stop();
});

const browserOf = (node = 0) => new Agent(portal.issuer, portal.ports[node]);
const launch = { scope: 'openid fhirUser offline_access', client: heart };
const appIn = (browser: Agent, client: { clientId: string } = heart) =>
  new SmartApp(portal, { ...launch, client }, browser);

/** The link that a user asked for in a browser, on the way of the request behind `returnUrl`. */
async function resetLink(browser: Agent, email: string, returnUrl?: string | null): Promise<Link> {
  const { u, t } = await newLink(sink, email, '/password/reset', async () =>
    expect((await browser.post('/api/user/forgot-password', { email, returnUrl })).status).toBe(200),
  );
  return { purpose: 'password-reset', id: u, token: t, email };
}

/** The link of an invitation by an administrator. */
async function activationLink(): Promise<Link> {
  mails += 1;
  const email = `waiting-${mails}@example.org`;
  const claims = [{ name: 'fhirUser', value: `Patient/waiting-${mails}` }];
  const answer = await admin.post('/api/admin/user', { fullName: 'Ida Field', email, userType: 'Patient', claims });
  expect(answer.status).toBe(201);
  const { u, t } = linkInMail(await sink.to(email));
  return { purpose: 'activation', id: u, token: t, email };
}

const linkOf = (purpose: Purpose, browser: Agent, returnUrl: string) =>
  purpose === 'activation' ? activationLink() : resetLink(browser, people.patient.email, returnUrl);

async function check(browser: Agent, { id, purpose, token }: Link): Promise<LinkFacts> {
  const answer = await browser.post(`/api/user/${id}/link`, { purpose, token });
  expect(answer.status).toBe(200);
  return answer.json<LinkFacts & Record<string, unknown>>();
}

/** Chooses a new password by the link; returns the credentials. */
async function choose(browser: Agent, link: Link): Promise<{ email: string; password: string }> {
  passwords += 1;
  const password = `quiet-lantern-${passwords}-meadow`;
  const body = { password, token: link.token };
  const answer =
    link.purpose === 'activation'
      ? await browser.post(`/api/user/${link.id}/activate`, body)
      : await browser.send(`/api/user/forgot-password/${link.id}/reset`, { method: 'PUT', body });
  expect(answer.status).toBe(204);
  return { email: link.email, password };
}

const idOf = (returnUrl: string | null) => new URLSearchParams(returnUrl?.split('?')[1]).get('ix');
const expire = () =>
  portal.query("UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'Interaction'");

/** The request leads to the sign-in page again; returns its new address. */
async function stillAtSignIn(app: SmartApp, returnUrl: string): Promise<string> {
  const page = new URL(await app.follow(returnUrl));
  expect(page.pathname).toBe('/login');
  return page.searchParams.get('returnUrl') ?? '';
}

/** Follows the request to the consent, decides it, and returns what the app gets. */
async function finish(app: SmartApp, returnUrl: string): Promise<Tokens> {
  let at = new URL(await app.follow(returnUrl));
  if (at.pathname === '/user/consent') {
    const asked = at.searchParams.get('returnUrl') ?? '';
    expect((await app.consent(asked, await app.offeredScopes(asked))).status).toBe(204);
    at = new URL(await app.follow(asked));
  }
  expect([at.origin + at.pathname, at.searchParams.get('state')]).toEqual([redirectUri, app.state]);
  const answer = await app.exchange(at.searchParams.get('code') ?? '');
  expect(answer.status).toBe(200);
  return answer.json<Tokens>();
}

describe.each(purposes)('After a link by mail (%s)', (purpose) => {
  it.each(kindsInSlowTests)('the request of this browser continues, by any node ($name)', async (kind: ClientKind) => {
    const browser = browserOf(0);
    const app = kind.app(portal, kind.client('waiting'), launch, browser);
    const begun = await app.begin();
    const link = await linkOf(purpose, browser, begun);
    browser.port = portal.ports[1] ?? 0;
    const facts = await check(browser, link);
    expect(facts).toMatchObject({
      email: link.email,
      app: { clientName: 'Heart Diary', returnHost: 'localhost:4567' },
      elsewhere: null,
    });
    expect(facts.returnUrl).toBe(begun);
    const person = await choose(browser, link);
    browser.port = portal.ports[0] ?? 0;
    expect((await app.signIn(person, begun)).status).toBe(200);
    expect(await finish(app, begun)).toMatchObject({ token_type: kind.tokenType });
  });

  it('A-19 in another browser nothing continues, not even with the address of the request', async () => {
    const [own, foreign] = [browserOf(), browserOf(1)];
    const app = appIn(own);
    const returnUrl = await app.begin();
    const link = await linkOf(purpose, own, returnUrl);
    expect(await check(foreign, link)).toMatchObject({ returnUrl: null, app: null });
    const person = await choose(foreign, link);
    const stranger = appIn(foreign);
    expect((await stranger.signIn(person, returnUrl)).status).toBe(200);
    const { location = '' } = await foreign.get(returnUrl);
    expect((await foreign.get(location)).status).toBe(400);
    // The browser that began it still has to sign in.
    const still = await stillAtSignIn(app, returnUrl);
    expect((await app.signIn(person, still)).status).toBe(200);
    expect(await finish(app, still)).toHaveProperty('access_token');
  });

  it('no request continues that has expired', async () => {
    const browser = browserOf();
    const returnUrl = await appIn(browser).begin();
    const link = await linkOf(purpose, browser, returnUrl);
    await expire();
    const ended = { clientName: 'Heart Diary', isWaiting: false, startUrl };
    expect(await check(browser, link)).toMatchObject({
      email: link.email,
      proof: null,
      returnUrl: null,
      app: null,
      elsewhere: purpose === 'activation' ? null : ended,
    });
  });

  it('no request continues to which another user has signed in in the same browser', async () => {
    const browser = browserOf();
    const app = appIn(browser);
    const begun = await app.begin();
    const link = await linkOf(purpose, browser, begun);
    await app.signIn(people.otherPatient, begun);
    const returnUrl = new URL(await app.follow(begun)).searchParams.get('returnUrl') ?? '';
    expect(await check(browser, link)).toMatchObject({ returnUrl: null, app: null });
    const person = await choose(browser, link);
    await app.signIn(person);
    // It is the other user's, whatever this one calls.
    expect((await browser.get(`/api/consent?${new URLSearchParams({ returnUrl })}`)).status).toBe(400);
    expect((await app.consent(returnUrl, ['openid'])).status).toBe(400);
  });

  it('no request continues whose client was disabled, or whose redirect URI was removed', async () => {
    const browser = browserOf();
    const link = await linkOf(purpose, browser, await appIn(browser).begin());
    const nothing = { email: link.email, proof: null, returnUrl: null, app: null };
    await alterClient(portal, heart.clientId, { settings: { redirectUris: ['https://heart.example/'] } });
    expect(await check(browser, link)).toMatchObject(nothing);
    await alterClient(portal, heart.clientId, { enabled: false, settings: { redirectUris: [redirectUri] } });
    expect(await check(browser, link)).toMatchObject({ ...nothing, elsewhere: null });
    await alterClient(portal, heart.clientId, { enabled: true });
  });

  it('of two requests of one app, the one that the link belongs to continues, else the newest', async () => {
    const browser = browserOf();
    const first = await appIn(browser).begin();
    const link = await linkOf(purpose, browser, first);
    const second = await appIn(browser).begin();
    const { returnUrl } = await check(browser, link);
    expect(idOf(returnUrl)).toBe(idOf(purpose === 'activation' ? second : first));
  });
});

describe('A link for a forgotten password', () => {
  it.each(users)('continues the request of %s', async (_, person) => {
    const browser = browserOf();
    const app = appIn(browser);
    const returnUrl = await app.begin();
    const chosen = await choose(browser, await resetLink(browser, person.email, returnUrl));
    await app.signIn(chosen, returnUrl);
    expect(await finish(app, returnUrl)).toHaveProperty('refresh_token');
  });

  it('belongs to the app from which it was asked for, though another app’s request is newer', async () => {
    const browser = browserOf();
    const returnUrl = await appIn(browser).begin();
    const link = await resetLink(browser, people.patient.email, returnUrl);
    await appIn(browser, other).begin();
    expect((await check(browser, link)).returnUrl).toBe(returnUrl);
  });

  it('continues the newest request of its app when its own has been replaced', async () => {
    const browser = browserOf();
    const app = appIn(browser);
    const link = await resetLink(browser, people.patient.email, await app.begin());
    await expire();
    const again = await appIn(browser).begin();
    expect((await check(browser, link)).returnUrl).toBe(again);
  });

  it('that was asked for in another browser names its app, and where the app starts', async () => {
    const link = await resetLink(browserOf(), people.patient.email, null);
    expect((await check(browserOf(), link)).elsewhere).toBeNull();
    const own = browserOf();
    const remembered = await resetLink(own, people.patient.email, await appIn(own).begin());
    const elsewhere = { clientName: 'Heart Diary', isWaiting: true, startUrl };
    expect((await check(browserOf(1), remembered)).elsewhere).toEqual(elsewhere);
    await alterClient(portal, heart.clientId, { settings: { initiateLoginUri: '' } });
    expect((await check(browserOf(1), remembered)).elsewhere).toEqual({ ...elsewhere, startUrl: null });
    await alterClient(portal, heart.clientId, { settings: { initiateLoginUri: startUrl } });
  });

  it.each<[string, (own: Agent) => Promise<string>]>([
    ['of another browser', async () => appIn(browserOf()).begin()],
    ['that is unknown', async () => '/connect/authorize/callback?client_id=heart&ix=unknown-request'],
    ['of another origin', async () => 'https://evil.example/connect/authorize/callback?ix=unknown-request'],
    ['that has expired', async (own) => appIn(own).begin().finally(expire)],
  ])('remembers no request %s', async (_, address) => {
    const own = browserOf();
    const link = await resetLink(own, people.patient.email, await address(own));
    expect(await check(own, link)).toMatchObject({
      ...{ email: link.email, proof: null },
      ...{ returnUrl: null, app: null, elsewhere: null },
    });
  });

  it('A-19 that an attacker requested during their own request signs no user in to it', async () => {
    const attacker = appIn(browserOf());
    const planted = await attacker.begin();
    const link = await resetLink(attacker.browser, people.patient.email, planted);
    const victim = browserOf(1);
    // The victim has a request of the same app in their own browser: that one continues.
    const app = appIn(victim);
    const own = await app.begin();
    expect((await check(victim, link)).returnUrl).toBe(own);
    const person = await choose(victim, link);
    await app.signIn(person, planted);
    const still = await stillAtSignIn(attacker, planted);
    await app.signIn(person, own);
    expect(await finish(app, own)).toHaveProperty('access_token');
    await stillAtSignIn(attacker, still);
  });

  it('that was used is refused, with all that it remembered', async () => {
    const browser = browserOf();
    const link = await resetLink(browser, people.patient.email, await appIn(browser).begin());
    await choose(browser, link);
    const again = await browser.post(`/api/user/${link.id}/link`, { purpose: link.purpose, token: link.token });
    expect([again.status, Object.keys(again.json())]).toEqual([400, expect.not.arrayContaining(['returnUrl'])]);
    expect(await portal.query('SELECT FROM account_link WHERE account_id = $1', [link.id])).toEqual([]);
  });

  it('is replaced by a newer one, which remembers its own request', async () => {
    const browser = browserOf();
    const first = await appIn(browser, other).begin();
    await resetLink(browser, people.patient.email, first);
    const second = await appIn(browser).begin();
    const link = await resetLink(browser, people.patient.email, second);
    expect((await check(browser, link)).returnUrl).toBe(second);
    // Asked for without a request, it knows none of two apps to prefer.
    const without = await resetLink(browser, people.patient.email);
    expect((await check(browser, without)).returnUrl).toBeNull();
  });

  it('F-13 is answered alike with a request, whether or not the address has an account', async () => {
    const browser = browserOf();
    const returnUrl = await appIn(browser).begin();
    const ask = async (email: string) => {
      const { status, text, headers } = await browser.post('/api/user/forgot-password', { email, returnUrl });
      const { 'x-correlation-id': _, date: __, 'set-cookie': cookies = [], ...rest } = headers;
      return { status, text, rest, cookies: cookies.map((cookie) => cookie.replace(/=\d+\.[\w-]{43};/, '=…;')) };
    };
    expect(await ask('no-account@example.org')).toEqual(await ask(people.patient.email));
  });

  it('keeps nothing of a request by which it could be gone on with', async () => {
    const browser = browserOf();
    const returnUrl = await appIn(browser).begin();
    const { id } = await resetLink(browser, people.patient.email, returnUrl);
    const [row] = await portal.query('SELECT * FROM account_link WHERE account_id = $1', [id]);
    expect(row).toMatchObject({ client_id: heart.clientId, request_hash: expect.stringMatching(/^[\w-]{43}$/) });
    expect(JSON.stringify(row)).not.toContain(String(idOf(returnUrl)));
  });
});
