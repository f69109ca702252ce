import { decodeJwt } from 'jose';
import { returnUrlOf, type SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import type { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { signInByPassword } from '../../support/users/authenticator.js';
import { addPasskey, type PasskeyDevice, passkeyOptions, signInByPasskey } from '../../support/users/passkey-device.js';
import { people } from '../../support/users/people.js';

const { patient } = people;
/** Has neither a passkey nor an authenticator app. */
const plain = people.otherPatient;
const [kind] = clientKinds;
let portal: TestPortal;
let device: PasskeyDevice;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: Object.values(people), clients: clientKinds.map((each) => each.client('asking')) },
  });
  ({ device } = await addPasskey(await signInByPassword(portal, patient)));
});
afterAll(() => portal.close());

const essential = (...values: string[]) => ({
  claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
});

function request(parameters: Record<string, string>, browser?: Agent, of = kind): SmartApp {
  if (!of) throw new Error('there is no kind of client');
  return of.app(portal, of.client('asking'), { parameters }, browser);
}

/** The page at which the request stops, or the address of the app with its answer. */
const reached = async (app: SmartApp): Promise<URL> => {
  const { location = '' } = await app.authorize();
  return new URL(await app.follow(location), portal.issuer);
};

/** Claims of the id_token of a request that waits for nothing more. */
async function claimsOf(app: SmartApp, returnUrl: string): Promise<Record<string, unknown>> {
  const code = new URL(await app.follow(returnUrl)).searchParams.get('code') ?? '';
  return decodeJwt((await app.exchange(code)).json<Tokens>().id_token ?? '');
}

async function proveByPasskey(browser: Agent, returnUrl: string): Promise<void> {
  const options = await passkeyOptions(browser, '/api/twofactor/passkey/options', { returnUrl });
  const answer = await browser.post('/api/twofactor/passkey', { response: device.answer(options), returnUrl });
  expect(answer.status).toBe(200);
}

describe('A request whose acr_values name two factors', () => {
  it.each(clientKinds)('asks a session with a password alone for the second factor ($name)', async (each) => {
    const browser = await signInByPassword(portal, patient);
    const app = request({ acr_values: 'aal2' }, browser, each);
    const { pathname, searchParams } = await reached(app);
    expect(pathname).toBe('/user/two-factor-required');
    const returnUrl = searchParams.get('returnUrl') ?? '';
    await proveByPasskey(browser, returnUrl);
    expect(await claimsOf(app, returnUrl)).toMatchObject({ acr: 'phr', amr: ['pwd', 'hwk', 'user', 'mfa'] });
  });

  it('asks for the factor after a sign-in, too, and continuing without it leads back', async () => {
    const app = request({ acr_values: 'aal2' });
    const returnUrl = await app.begin();
    await app.signIn(plain, returnUrl);
    const first = new URL(await app.follow(returnUrl));
    expect(first.pathname).toBe('/user/two-factor-required');
    const second = new URL(await app.follow(first.searchParams.get('returnUrl') ?? ''));
    expect(second.pathname).toBe('/user/two-factor-required');
    const codes = `SELECT FROM oidc_record WHERE model = 'AuthorizationCode'
                      AND account_id = (SELECT id::text FROM account WHERE email = $1)`;
    expect(await portal.query(codes, [plain.email])).toEqual([]);
  });

  it.each([
    ['acr_values', { acr_values: 'aal2' }],
    ['an essential acr', essential('aal2')],
  ])('asks nothing of a session that is stronger: %s', async (_name, parameters) => {
    const app = request(parameters);
    const returnUrl = await app.begin();
    await signInByPasskey(app.browser, device, { returnUrl });
    expect(await claimsOf(app, returnUrl)).toMatchObject({ acr: 'phr' });
    const again = request(parameters, app.browser);
    expect((await reached(again)).searchParams.get('code')).toBeTruthy();
  });
});

describe('A request whose acr_values name a sign-in that cannot be phished', () => {
  it.each(clientKinds)('leads from a session with a password to the sign-in page ($name)', async (each) => {
    const app = request({ acr_values: 'phr' }, await signInByPassword(portal, patient), each);
    const stopped = await reached(app);
    expect(stopped.pathname).toBe('/login');
    const returnUrl = stopped.searchParams.get('returnUrl') ?? '';
    expect((await signInByPasskey(app.browser, device, { returnUrl })).status).toBe(200);
    expect(await claimsOf(app, returnUrl)).toMatchObject({ acr: 'phr' });
  });

  it('continues with the sign-in that the user makes instead, which the id_token names', async () => {
    const app = request({ acr_values: 'phr' });
    const returnUrl = await app.begin();
    await app.signIn(plain, returnUrl);
    expect(await claimsOf(app, returnUrl)).toMatchObject({ acr: 'aal1' });
  });

  it('fails when it is essential and the user signs in otherwise', async () => {
    const app = request(essential('phr'));
    const returnUrl = await app.begin();
    await app.signIn(plain, returnUrl);
    const answer = new URL(await app.follow(returnUrl));
    expect(answer.searchParams.get('error')).toBe('unmet_authentication_requirements');
  });

  it('asks nothing when it names a weaker one as well', async () => {
    const app = request({ acr_values: 'phr aal1' }, await signInByPassword(portal, plain));
    expect((await reached(app)).searchParams.get('code')).toBeTruthy();
  });
});

describe('A request without pages', () => {
  it.each([
    ['aal2', 'interaction_required'],
    ['phr', 'login_required'],
  ])('is refused when the sign-in is weaker than %s', async (acr, error) => {
    const app = request({ acr_values: acr, prompt: 'none' }, await signInByPassword(portal, plain));
    expect((await reached(app)).searchParams.get('error')).toBe(error);
  });
});

describe('A value of acr that no sign-in has', () => {
  const unknown = 'urn:example:silver';

  it('is ignored in acr_values', async () => {
    const app = request({ acr_values: unknown }, await signInByPassword(portal, plain));
    expect((await reached(app)).searchParams.get('code')).toBeTruthy();
  });

  it('is not met when it is essential', async () => {
    const app = request(essential(unknown), await signInByPassword(portal, plain));
    expect((await reached(app)).searchParams.get('error')).toBe('unmet_authentication_requirements');
  });
});

it('A request in a second tab is not stronger because the first one asked for it', async () => {
  const browser = await signInByPassword(portal, plain);
  const strict = returnUrlOf(await request({ acr_values: 'aal2' }, browser).authorize());
  expect(strict).toContain('/connect/authorize');
  expect((await reached(request({}, browser))).searchParams.get('code')).toBeTruthy();
});
