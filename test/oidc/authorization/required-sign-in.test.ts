import { decodeJwt } from 'jose';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { publicApp, redirectUri } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { launchOf } from '../../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInTurn, inTurn as oneOf } from '../../support/runs.js';
import { signInByPassword } from '../../support/users/authenticator.js';
import { addPasskey, type PasskeyDevice, passkeyOptions, signInByPasskey } from '../../support/users/passkey-device.js';
import { people } from '../../support/users/people.js';

const { patient, otherPatient } = people;
const [kind] = clientKinds;
if (!kind) throw new Error('there is no kind of client');
const free = clientKinds.map((each) => each.client('free'));
const byPasskey = { requiredAcr: 'phr' };
const recent = { maxAuthenticationAge: '00:10:00' };
const pushing = { ...publicApp, clientId: 'pushing', requirePar: true, requireConsent: false };
let portal: TestPortal;
let device: PasskeyDevice;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: {
      users: Object.values(people),
      clients: [
        ...free,
        ...clientKinds.map((each) => each.client('by-passkey', byPasskey)),
        ...clientKinds.map((each) => each.client('recent', recent)),
        pushing,
      ],
    },
  });
  ({ device } = await addPasskey(await signInByPassword(portal, patient)));
});
afterAll(() => portal.close());

type Parameters = Record<string, string>;

/** The page at which the request stops, or the address of the app with its answer. */
async function reached(app: SmartApp): Promise<URL> {
  const { location = '' } = await app.authorize();
  return new URL(await app.follow(location), portal.issuer);
}

const isCode = ({ searchParams }: URL) => searchParams.has('code');
const returnUrlIn = ({ searchParams }: URL) => searchParams.get('returnUrl') ?? '';

/** Has all sessions of this account begun this many seconds ago. */
async function age(seconds: number, email = patient.email): Promise<void> {
  await portal.query(
    `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - $1::int))
      WHERE model = 'Session' AND account_id = (SELECT id::text FROM account WHERE email = $2)`,
    [seconds, email],
  );
}

async function claimsAt(app: SmartApp, returnUrl: string): Promise<Record<string, unknown>> {
  const code = new URL(await app.follow(returnUrl)).searchParams.get('code') ?? '';
  return decodeJwt((await app.exchange(code)).json<Tokens>().id_token ?? '');
}

async function proveByPasskey(browser: Agent, returnUrl: string): Promise<void> {
  const options = await passkeyOptions(browser, '/api/twofactor/passkey/options', { returnUrl });
  const answer = await browser.post('/api/twofactor/passkey', { response: device.answer(options), returnUrl });
  expect(answer.status).toBe(200);
}

const ways: [string, Parameters][] = [
  ['max_age=0', { max_age: '0' }],
  ['prompt=login', { prompt: 'login' }],
  ['max_age=0 and a level that the session has', { max_age: '0', acr_values: 'aal1' }],
];

describe.each(clientKinds)('A request for a new sign-in ($name)', (each) => {
  const request = (browser: Agent, parameters: Parameters) =>
    each.app(portal, each.client('free'), { parameters }, browser);
  const inTurn = itInTurn(each.number);

  it.each(oneOf(ways, each.number))(
    'has the user of a session of this second sign in again: %s',
    async (_name, parameters) => {
      const browser = await signInByPassword(portal, otherPatient);
      const app = request(browser, parameters);
      const page = await reached(app);
      expect([page.pathname, page.searchParams.get('prompt')]).toEqual(['/login', 'login']);
      // Continuing without a sign-in leads back.
      const second = new URL(await app.follow(returnUrlIn(page)));
      expect(second.pathname).toBe('/login');
      await age(100, otherPatient.email);
      await app.signIn(otherPatient, returnUrlIn(second));
      const { auth_time } = await claimsAt(app, returnUrlIn(second));
      expect(Date.now() / 1000 - Number(auth_time)).toBeLessThan(60);
    },
  );

  inTurn('accepts a session within max_age, and no older one', async () => {
    const browser = await signInByPassword(portal, otherPatient);
    expect(isCode(await reached(request(browser, { max_age: '300' })))).toBe(true);
    await age(400, otherPatient.email);
    expect((await reached(request(browser, { max_age: '300' }))).pathname).toBe('/login');
    for (const max_age of ['300', '0']) {
      const silent = await reached(request(browser, { max_age, prompt: 'none' }));
      expect(silent.searchParams.get('error')).toBe('login_required');
    }
  });

  inTurn('asks for the sign-in first and for the second factor then, where it asks for both', async () => {
    const browser = await signInByPassword(portal, patient);
    const app = request(browser, { max_age: '0', acr_values: 'aal2' });
    const returnUrl = returnUrlIn(await reached(app));
    await app.signIn(patient, returnUrl);
    const page = new URL(await app.follow(returnUrl));
    expect(page.pathname).toBe('/user/two-factor-required');
    await proveByPasskey(browser, returnUrlIn(page));
    expect(await claimsAt(app, returnUrlIn(page))).toMatchObject({ acr: 'phr', amr: ['pwd', 'hwk', 'user', 'mfa'] });
  });

  inTurn('is answered by one sign-in with a passkey', async () => {
    const browser = await signInByPassword(portal, patient);
    await age(1000);
    const app = request(browser, { max_age: '60', acr_values: 'phr' });
    const returnUrl = returnUrlIn(await reached(app));
    await signInByPasskey(browser, device, { returnUrl });
    const claims = await claimsAt(app, returnUrl);
    expect(claims).toMatchObject({ acr: 'phr' });
    expect(Date.now() / 1000 - Number(claims.auth_time)).toBeLessThan(60);
  });

  inTurn('gives another user who signs in their own access, and nothing of the first one’s', async () => {
    const browser = await signInByPassword(portal, patient);
    const first = each.app(portal, each.client('free'), {}, browser);
    const before = await first.tokens(patient);
    const app = request(browser, { max_age: '0' });
    const returnUrl = returnUrlIn(await reached(app));
    await app.signIn(otherPatient, returnUrl);
    const code = new URL(await app.follow(returnUrl)).searchParams.get('code') ?? '';
    const tokens = (await app.exchange(code)).json<Tokens>();
    const subjects = [before, tokens].map(({ id_token }) => decodeJwt(id_token ?? '').sub);
    expect(new Set(subjects).size).toBe(2);
    expect([before.patient, tokens.patient]).toEqual(
      [patient, otherPatient].map(({ claims }) => claims.find(({ name }) => name === 'fhirUser')?.value.split('/')[1]),
    );
  });
});

describe.each(clientKinds)('A client that requires a passkey ($name)', (each) => {
  const request = (browser?: Agent, parameters: Parameters = {}) =>
    each.app(portal, each.client('by-passkey'), { parameters }, browser);
  const inTurn = itInTurn(each.number, 2);

  it('gets no code for a session with a password alone, until it has a passkey', async () => {
    const browser = await signInByPassword(portal, patient);
    const app = request(browser);
    const page = await reached(app);
    expect(page.pathname).toBe('/user/two-factor-required');
    const place = await browser.get(`/api/authorization?returnUrl=${encodeURIComponent(returnUrlIn(page))}`);
    expect(place.json()).toMatchObject({ needsPasskey: true });
    const second = new URL(await app.follow(returnUrlIn(page)));
    expect(second.pathname).toBe('/user/two-factor-required');
    await proveByPasskey(browser, returnUrlIn(second));
    expect(await claimsAt(app, returnUrlIn(second))).toMatchObject({ acr: 'phr' });
    expect(isCode(await reached(request(browser)))).toBe(true);
  });

  inTurn('asks nothing of a user who signs in with one', async () => {
    const app = request();
    const returnUrl = await app.begin();
    await signInByPasskey(app.browser, device, { returnUrl });
    expect(await claimsAt(app, returnUrl)).toMatchObject({ acr: 'phr', amr: ['hwk', 'user', 'mfa'] });
  });

  inTurn('is told login_required where no page may be shown, whatever level it asks for', async () => {
    const browser = await signInByPassword(portal, patient);
    for (const acr_values of ['aal1', 'phr']) {
      const answer = await reached(request(browser, { prompt: 'none', acr_values }));
      expect(answer.searchParams.get('error')).toBe('login_required');
    }
  });
});

describe.each(clientKinds)('A client with a maximum age of the sign-in ($name)', (each) => {
  const request = (browser: Agent, parameters: Parameters = {}) =>
    each.app(portal, each.client('recent'), { parameters }, browser);
  const inTurn = itInTurn(each.number, 2);

  it('has a user whose sign-in is older sign in again, also where it asks for a longer time', async () => {
    const browser = await signInByPassword(portal, otherPatient);
    expect(isCode(await reached(request(browser)))).toBe(true);
    await age(601, otherPatient.email);
    for (const parameters of [{}, { max_age: '10000' }] as Parameters[]) {
      expect((await reached(request(browser, parameters))).pathname).toBe('/login');
    }
    const silent = await reached(request(browser, { prompt: 'none' }));
    expect(silent.searchParams.get('error')).toBe('login_required');
    const app = request(browser);
    const returnUrl = returnUrlIn(await reached(app));
    await app.signIn(otherPatient, returnUrl);
    expect(Date.now() / 1000 - Number((await claimsAt(app, returnUrl)).auth_time)).toBeLessThan(60);
  });

  inTurn('is asked for a newer one still, where its request is stricter', async () => {
    const browser = await signInByPassword(portal, otherPatient);
    await age(100, otherPatient.email);
    expect(isCode(await reached(request(browser)))).toBe(true);
    expect((await reached(request(browser, { max_age: '60' }))).pathname).toBe('/login');
  });

  inTurn('refreshes its tokens for as long as it may, since a refresh is no sign-in', async () => {
    const browser = await signInByPassword(portal, otherPatient);
    const app = request(browser);
    const tokens = await app.tokens(otherPatient);
    await age(1000, otherPatient.email);
    expect((await app.refresh(tokens.refresh_token ?? '')).status).toBe(200);
  });
});

it('A pushed request for a new sign-in keeps what it asks for', async () => {
  const browser = await signInByPassword(portal, otherPatient);
  const app = new SmartApp(portal, { client: pushing, parameters: { max_age: '0' } }, browser);
  const pushed = await new Agent(portal.issuer).postForm(
    '/connect/par',
    Object.fromEntries(new URLSearchParams(app.query())),
  );
  const { request_uri } = pushed.json<{ request_uri: string }>();
  // A parameter next to it changes nothing.
  const query = new URLSearchParams({
    client_id: pushing.clientId,
    request_uri,
    max_age: '10000',
    redirect_uri: redirectUri,
  });
  const { location = '' } = await browser.get(`/connect/authorize?${query}`);
  expect(new URL(location).pathname).toBe('/login');
});

describe('Where passkeys are switched off', () => {
  let off: TestPortal;
  const client = { ...publicApp, clientId: 'by-passkey', requireConsent: false, ...byPasskey };

  beforeAll(async () => {
    off = await startPortal({ config: { account: { passkeys: 'off' }, users: [patient], clients: [client] } });
  });
  afterAll(() => off.close());

  it('a client that requires one is told that no sign-in is enough, with the cause in the launch', async () => {
    const app = new SmartApp(off, { client }, await signInByPassword(off, patient));
    const refused = await app.authorize();
    expect(new URL(refused.location ?? '').searchParams.get('error')).toBe('unmet_authentication_requirements');
    expect((await launchOf(off, refused))?.cause).toContain('passkeys-off');
  });
});
