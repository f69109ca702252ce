/** How a request for a patient for whom the user acts is asked: silently, again, by other transports, in two tabs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { redirectUri } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { actingIn, jwtApp, opaqueApp, scopeOfActing } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';

let portal: FamilyPortal;
/** A browser in which Ana is signed in, and has decided about the app for Leo and for herself. */
let browser: Agent;

beforeAll(async () => {
  portal = await startFamilyPortal({ config: { clients: [jwtApp, opaqueApp] } });
  for (const patient of ['leo', 'mia']) await acts(patient);
  browser = await portal.as(family.ana);
  for (const patient of ['leo', '1']) expect((await through(begun(), patient)).patient).toBe(patient);
});

afterAll(() => portal.close());

const { acts } = actingIn(() => portal);
const begun = (parameters: Record<string, string> = {}) =>
  new SmartApp(portal, { scope: scopeOfActing, parameters }, browser);
const pageOf = (address: string) => new URL(address).pathname;
const returnUrlIn = (address: string) => new URL(address).searchParams.get('returnUrl') ?? '';
const atApp = (address: string) => address.startsWith(redirectUri);
/** The page reads its question before it is answered. */
async function choose(page: string, patient: string): Promise<void> {
  expect((await browser.get(asked(returnUrlIn(page)))).status).toBe(200);
  expect((await browser.post(asked(returnUrlIn(page)), [`Patient/${patient}`])).status).toBe(200);
}
const asked = (returnUrl: string) => `/api/launch-context?returnUrl=${encodeURIComponent(returnUrl)}`;

/** Signs in if that is asked for, chooses the patient, and consents; which pages there were, and the patient. */
async function through(app: SmartApp, patient: string, first?: string) {
  const pages: string[] = [];
  let at = first ?? (await app.follow(app.authorizationPath));
  while (!atApp(at) && pages.length < 8) {
    const returnUrl = returnUrlIn(at);
    pages.push(pageOf(at));
    if (pageOf(at) === '/login') await app.signIn(family.ana, returnUrl);
    else if (pageOf(at) === '/user/consent') await app.consent(returnUrl, await app.offeredScopes(returnUrl), true);
    else if (pageOf(at) === '/user/launch-context') {
      await app.browser.get(asked(returnUrl));
      await app.browser.post(asked(returnUrl), [`Patient/${patient}`]);
    } else break;
    at = await app.follow(returnUrl);
  }
  const { searchParams } = new URL(at);
  const code = searchParams.get('code');
  const tokens = code === null ? undefined : (await app.exchange(code)).json<Tokens>();
  return { pages, error: searchParams.get('error'), patient: tokens?.patient };
}

const choice = '/user/launch-context';
const consent = '/user/consent';

describe('A request of an app for whose patients the user acts', () => {
  it.each([
    ['', {}, [choice]],
    ['with prompt=login', { prompt: 'login' }, ['/login', choice]],
    ['with prompt=consent', { prompt: 'consent' }, [choice, consent]],
    ['with prompt=select_account', { prompt: 'select_account' }, ['/login', choice]],
    ['with prompt=login consent', { prompt: 'login consent' }, ['/login', choice, consent]],
    ['with max_age=0', { max_age: '0' }, ['/login', choice]],
    ['with max_age=3600', { max_age: '3600' }, [choice]],
  ])('%s asks for whom it is, also where the decision is remembered', async (_how, parameters, pages) => {
    const which = await through(begun(parameters), 'leo');
    expect(which).toEqual({ pages, error: null, patient: 'leo' });
  });

  it('with prompt=none is refused: no patient is chosen from the last time', async () => {
    const { error, pages, patient } = await through(begun({ prompt: 'none' }), 'leo');
    expect([pages, patient]).toEqual([[], undefined]);
    expect(['interaction_required', 'consent_required', 'account_selection_required']).toContain(error);
  });

  it('remembers the decision about one patient for no other', async () => {
    expect((await through(begun(), 'leo')).pages).toEqual([choice]);
    expect((await through(begun(), '1')).pages).toEqual([choice]);
    expect(await through(begun(), 'mia')).toEqual({ pages: [choice, consent], error: null, patient: 'mia' });
    expect((await through(begun(), 'mia')).pages).toEqual([choice]);
  });

  it('is the same when it is sent by POST, and when it is pushed', async () => {
    const posted = begun();
    const answer = await posted.browser.postForm(
      '/connect/authorize',
      Object.fromEntries(new URLSearchParams(posted.query())),
    );
    const at = answer.location ?? '';
    const first = at.startsWith(`${portal.issuer}/connect/`) ? await posted.follow(at) : at;
    expect(await through(posted, 'leo', first)).toEqual({ pages: [choice], error: null, patient: 'leo' });
    const pushed = begun();
    const body = Object.fromEntries(new URLSearchParams(pushed.query()));
    const { request_uri: uri } = (await new Agent(portal.issuer).postForm('/connect/par', body)).json<{
      request_uri: string;
    }>();
    const query = new URLSearchParams({ client_id: jwtApp.clientId, request_uri: uri });
    const page = await pushed.follow(`/connect/authorize?${query}`);
    expect(await through(pushed, 'leo', page)).toEqual({ pages: [choice], error: null, patient: 'leo' });
  });

  it('keeps the patient of each of two tabs, in whichever order they go on', async () => {
    const tabs = [begun(), begun()] as const;
    const [one, two] = [
      await tabs[0].follow(tabs[0].authorizationPath),
      await tabs[1].follow(tabs[1].authorizationPath),
    ];
    await choose(one, 'leo');
    await choose(two, 'mia');
    const patients: unknown[] = [];
    for (const [tab, page] of [
      [tabs[0], one],
      [tabs[1], two],
    ] as const) {
      const landed = new URL(await tab.follow(returnUrlIn(page)));
      patients.push((await tab.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>().patient);
    }
    expect(patients).toEqual(['leo', 'mia']);
  });

  it('can be answered for another patient after Back, before the app has got its answer', async () => {
    const app = begun({ prompt: 'consent' });
    const page = await app.follow(app.authorizationPath);
    await choose(page, 'leo');
    const next = await app.follow(returnUrlIn(page));
    expect(pageOf(next)).toBe(consent);
    for (let reload = 0; reload < 2; reload += 1) await browser.get(asked(returnUrlIn(page)));
    await choose(page, 'mia');
    const again = await app.follow(returnUrlIn(page));
    expect(await through(app, 'mia', again)).toMatchObject({ pages: [consent], patient: 'mia' });
  });

  it('ends with Stay connected: until then a refresh token renews the access for the same patient alone', async () => {
    const app = begun();
    const page = await app.follow(app.authorizationPath);
    await choose(page, 'leo');
    const landed = new URL(await app.follow(returnUrlIn(page)));
    const tokens = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    const renewed = (await app.refresh(tokens.refresh_token ?? '')).json<Tokens>();
    expect(renewed.patient).toBe('leo');
    await portal.query("UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'RefreshToken'");
    await sleep(10);
    const late = await app.refresh(renewed.refresh_token ?? '');
    expect([late.status, late.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  });
});
