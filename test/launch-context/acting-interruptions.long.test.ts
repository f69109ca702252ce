/** Later, interrupted and simultaneous requests of apps in the browser of a user who acts for others. */
import { setTimeout as wait } from 'node:timers/promises';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { Agent } from '../support/http/agent.js';
import { actingIn, relationshipsPath } from '../support/representation/acting.js';
import { mira, rosa, startFamiliesPortal, walk } from '../support/representation/families.js';
import { type FamilyPortal, family } from '../support/representation/family-portal.js';
import type { Person } from '../support/users/people.js';

let portal: FamilyPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startFamiliesPortal();
  admin = await ana.admin();
});

afterEach(async () => {
  for (const table of ['represented_consent', 'app_consent']) await portal.query(`DELETE FROM ${table}`);
});

afterAll(() => portal.close());

const ana = actingIn(() => portal);
const ofPatient = 'openid fhirUser launch/patient';
const [login_, choice, consent] = ['/login', '/user/launch-context', '/user/consent'];
describe('A later request in the same browser', () => {
  const scope = `${ofPatient} patient/*.rs offline_access`;
  const remembered = async (person: Person, choose: string) => {
    const browser = new Agent(portal.issuer);
    const first = await walk(portal, person, { scope, choose, remember: true, browser });
    expect(first.tokens?.patient).toBe(choose);
    return browser;
  };

  it.each<[string, Person, string]>([
    ['a patient who acts', family.ana, 'leo'],
    ['a user who only acts', rosa, 'mia'],
    ['a user who acts for one child', mira, 'leo'],
  ])('never chooses for %s, and does not ask for consent again', async (_, person, choose) => {
    const browser = await remembered(person, choose);
    const silent = await walk(portal, person, { scope, browser, parameters: { prompt: 'none' } });
    expect([silent.pages, silent.answer.error]).toEqual([[], 'interaction_required']);
    const again = await walk(portal, person, { scope, browser, choose });
    expect([again.pages, again.tokens?.patient]).toEqual([[choice], choose]);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['prompt=consent', { prompt: 'consent' }, [choice, consent]],
    ['prompt=login', { prompt: 'login' }, [login_, choice]],
    ['prompt=select_account', { prompt: 'select_account' }, [login_, choice]],
    ['prompt=login consent', { prompt: 'login consent' }, [login_, choice, consent]],
  ])('with %s shows these pages', async (_, parameters, pages) => {
    const browser = await remembered(family.ana, 'leo');
    const arrival = await walk(portal, family.ana, { scope, browser, choose: 'leo', parameters });
    expect([arrival.pages, arrival.tokens?.patient]).toEqual([pages, 'leo']);
  });

  it('with max_age asks to sign in again, and for whom', async () => {
    const browser = await remembered(family.ana, 'leo');
    await wait(2_100);
    const arrival = await walk(portal, family.ana, { scope, browser, choose: 'mia', parameters: { max_age: '1' } });
    expect([arrival.pages, arrival.tokens?.patient]).toEqual([[login_, choice, consent], 'mia']);
  });

  it('without a session and a page is refused', async () => {
    const { answer } = await walk(portal, family.ana, { scope, parameters: { prompt: 'none' } });
    expect(answer.error).toBe('login_required');
  });

  it('that asks for no patient passes silently once it is remembered', async () => {
    const browser = new Agent(portal.issuer);
    await walk(portal, family.ana, { scope: 'openid', remember: true, browser });
    const silent = await walk(portal, family.ana, { scope: 'openid', browser, parameters: { prompt: 'none' } });
    expect([silent.pages, silent.tokens?.scope]).toEqual([[], 'openid']);
  });

  it('by another account offers the patients of that account', async () => {
    const browser = await remembered(family.ana, 'leo');
    const arrival = await walk(portal, mira, {
      scope,
      browser,
      choose: 'leo',
      parameters: { prompt: 'select_account' },
    });
    expect([arrival.pages, arrival.offered]).toEqual([[login_, choice, consent], ['leo']]);
  });
});

/** A request at its consent page, for a patient. */
async function atConsent(patient: string, browser: Agent, scope = `${ofPatient} patient/*.rs`) {
  const app = new SmartApp(portal, { scope }, browser);
  const first = (await app.authorize()).location ?? '';
  const at = new URL(first.startsWith(`${portal.issuer}/connect/`) ? await app.follow(first) : first);
  expect(at.pathname).toBe(choice);
  const begun = at.searchParams.get('returnUrl') ?? '';
  await choose(app, begun, patient);
  const page = new URL(await app.follow(begun));
  const returnUrl = page.searchParams.get('returnUrl') ?? '';
  const version = async () =>
    (await browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).json<{ contextVersion: string }>()
      .contextVersion;
  return { app, begun, returnUrl, page: page.pathname, version };
}

async function choose(app: SmartApp, returnUrl: string, patient: string) {
  const address = `/api/launch-context?returnUrl=${encodeURIComponent(returnUrl)}`;
  await app.browser.get(address);
  return app.browser.post(address, [`Patient/${patient}`]);
}

async function tokensAfter({ app, returnUrl }: Awaited<ReturnType<typeof atConsent>>): Promise<Tokens> {
  const landed = new URL(await app.follow(returnUrl));
  return (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
}

describe('Two tabs of a browser', () => {
  it('never mix their patients, whichever is answered first', async () => {
    for (const isReversed of [false, true]) {
      const browser = await portal.as(family.ana);
      const [leo, mia] = [await atConsent('leo', browser), await atConsent('mia', browser)];
      const [first, second] = isReversed ? [mia, leo] : [leo, mia];
      const [offeredFirst, offeredSecond] = [
        await first.app.offeredScopes(first.returnUrl),
        await second.app.offeredScopes(second.returnUrl),
      ];
      expect((await first.app.consent(first.returnUrl, offeredFirst)).status).toBe(204);
      expect((await second.app.consent(second.returnUrl, offeredSecond)).status).toBe(204);
      const both = [await tokensAfter(leo), await tokensAfter(mia)];
      expect(both.map(({ patient }) => patient)).toEqual(['leo', 'mia']);
    }
  });

  it('refuse an answer of the page of the other patient', async () => {
    const browser = await portal.as(family.ana);
    const [leo, mia] = [await atConsent('leo', browser), await atConsent('mia', browser)];
    const body = { returnUrl: leo.returnUrl, rememberConsent: false, scopesConsented: ['openid'] };
    const refused = await browser.post('/api/consent', { ...body, contextVersion: await mia.version() });
    expect(refused.status).toBe(409);
  });

  it('of which one chooses another patient keep the other from answering for the earlier one', async () => {
    const browser = await portal.as(family.ana);
    const leo = await atConsent('leo', browser);
    const contextVersion = await leo.version();
    expect((await choose(leo.app, leo.returnUrl, 'mia')).status).toBe(200);
    const body = { returnUrl: leo.returnUrl, rememberConsent: false, scopesConsented: ['openid'] };
    expect((await browser.post('/api/consent', { ...body, contextVersion })).status).not.toBe(204);
    const at = new URL(await leo.app.follow(leo.returnUrl));
    const returnUrl = at.searchParams.get('returnUrl') ?? '';
    expect((await leo.app.consent(returnUrl, await leo.app.offeredScopes(returnUrl))).status).toBe(204);
    expect((await tokensAfter({ ...leo, returnUrl })).patient).toBe('mia');
  });
});

describe('A request that is interrupted', () => {
  it('repeats its choice after a lost answer, with the same result', async () => {
    const browser = await portal.as(family.ana);
    const app = new SmartApp(portal, { scope: `${ofPatient} patient/*.rs` }, browser);
    const begun = await app.begin();
    const answers = [await choose(app, begun, 'leo'), await choose(app, begun, 'leo')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const returnUrl = new URL(await app.follow(begun)).searchParams.get('returnUrl') ?? '';
    const offered = await app.offeredScopes(returnUrl);
    const consents = [await app.consent(returnUrl, offered), await app.consent(returnUrl, offered)];
    expect(consents[0]?.status).toBe(204);
    const landed = new URL(await app.follow(returnUrl));
    const { patient } = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    expect(patient).toBe('leo');
  });

  it('grants nothing when the session ended in between, and the next one asks again for whom', async () => {
    const browser = await portal.as(family.ana);
    const app = new SmartApp(portal, { scope: `${ofPatient} patient/*.rs` }, browser);
    const begun = await app.begin();
    await choose(app, begun, 'leo');
    const consentAt = new URL(await app.follow(begun)).searchParams.get('returnUrl') ?? '';
    await portal.query("DELETE FROM oidc_record WHERE model = 'Session' AND account_id = $1", [
      await portal.accountId(family.ana),
    ]);
    expect((await app.consent(consentAt, ['openid'])).status).toBe(401);
    const page = new URL(await app.follow(consentAt));
    expect([page.origin, page.searchParams.get('code')]).toEqual([portal.issuer, null]);
    const again = await walk(portal, rosa, { scope: `${ofPatient} patient/*.rs`, browser });
    expect(again.pages).toEqual([login_, choice]);
  });

  it.each([
    ['an end', 'end'],
    ['a suspension', 'suspend'],
  ])('grants nothing for a patient after %s between the question and the choice', async (_, what) => {
    portal.has(what);
    const id = await ana.acts(what);
    const browser = await portal.as(family.ana);
    const app = new SmartApp(portal, { scope: `${ofPatient} patient/*.rs` }, browser);
    const begun = await app.begin();
    const address = `/api/launch-context?returnUrl=${encodeURIComponent(begun)}`;
    await browser.get(address);
    if (what === 'end') await admin.post(`${relationshipsPath}/${id}/end`, { reason: 'administrator', note: 'Over' });
    else
      await portal.query(
        "UPDATE representation_relationship SET status = 'suspended', reason = 'deleted' WHERE id = $1",
        [id],
      );
    const chosen = await browser.post(address, [`Patient/${what}`]);
    if (chosen.status === 200) {
      const at = new URL(await app.follow(begun));
      const returnUrl = at.searchParams.get('returnUrl') ?? '';
      const page = (await browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).json();
      expect(page).toMatchObject({ acting: { isPermitted: false } });
      expect((await app.consent(returnUrl, ['openid'])).status).toBe(409);
    } else expect(chosen.status).toBe(400);
    expect(await portal.query("SELECT FROM oidc_record WHERE payload -> 'representation' ->> 'id' = $1", [id])).toEqual(
      [],
    );
  });
});
