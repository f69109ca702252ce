import type { Locator, Page } from 'playwright-core';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { expectFitInEveryLook, expectNoSidewaysScroll, useBrowser } from '../../support/browser/browser.js';
import {
  expectBackInApp,
  expectConsent,
  expectInView,
  expectLogin,
  expectPage,
  expectText,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startWardFhirServer, type WardFhirServer } from '../../support/fhir/ward-fhir-server.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
const scope = 'openid launch/patient launch/encounter patient/Observation.rs patient/Condition.rs';
const sofia = { ...people.patient, claims: [{ name: 'fhirUser', value: 'Patient/sofia' }] };
const looks = [
  ['at a desk', { width: 1280, height: 800 }],
  ['on a phone', { width: 360, height: 740 }],
] as const;

let ward: WardFhirServer;
let origin: StaticApp;
let portal: TestPortal;
let callback: string;

beforeAll(async () => {
  ward = await startWardFhirServer();
  origin = await startCallbackApp();
  callback = `${origin.url}/callback`;
  portal = await startPortal({
    config: {
      fhir: { baseUrl: ward.url },
      ehr: { callers: [ehr] },
      users: [people.practitioner, sofia],
      clients: [{ ...publicApp, redirectUris: [callback] }],
    },
  });
});

afterEach(async () => {
  ward.failing = undefined;
  await browser.closePages();
  await portal.query('DELETE FROM app_consent');
});

afterAll(async () => {
  await portal.close();
  await origin.close();
  ward.close();
});

/** An app's request to a user who is signed in. */
async function begin(page: Page, { person = people.practitioner, onPage = false, ...request }: Partial<Request> = {}) {
  const parameters = { redirect_uri: callback, launch: request.launch };
  const app = new SmartApp(portal, { scope: request.scope ?? scope, parameters });
  if (!onPage) await signInByApi(page, portal.issuer, person);
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  if (onPage) await (await expectLogin(page)).signIn(person);
  return app;
}

interface Request {
  /** True if the user signs in during the request. */
  onPage: boolean;
  person: typeof people.patient | typeof people.practitioner;
  scope: string;
  launch: string;
}

const banner = (page: Page): Locator => page.getByRole('region', { name: 'Patient', exact: true });
const change = (page: Page): Locator => page.getByRole('link', { name: 'Change patient' });
const row = (page: Page, name: string): Locator => page.getByRole('radio', { name });
const checked = (page: Page): Promise<number> => page.locator('input[type=radio]:checked').count();

const bottomOf = (part: Locator): Promise<number> => part.evaluate((one) => one.getBoundingClientRect().bottom);
const topOfFocus = (page: Page): Promise<number> =>
  page.locator('input:focus').evaluate((one) => one.getBoundingClientRect().top);

async function confirm(page: Page, name: string): Promise<void> {
  // The label covers the row. A second click would take the selection back.
  await page.locator('label', { hasText: name }).click();
  expect(await row(page, name).isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Confirm Selection' }).click();
}

async function atVisits(page: Page, name = 'Sofia Lindgren'): Promise<void> {
  await expectPage(page, '/user/launch-context', 'Select Encounter');
  await expectText(banner(page), name);
}

async function tokens(page: Page, app: SmartApp): Promise<Tokens> {
  const answer = await expectBackInApp(page, callback);
  return (await app.exchange(answer.get('code') ?? '', { redirect_uri: callback })).json<Tokens>();
}

describe.each(looks)('A practitioner %s', (_where, viewport) => {
  it('sees on each step after the choice of the patient who that is', async () => {
    const page = await browser.open(viewport);
    const app = await begin(page);
    await expectPage(page, '/user/launch-context', 'Select Patient');
    expect(await banner(page).count()).toBe(0);
    expect(await checked(page)).toBe(0);
    await confirm(page, 'Sofia Lindgren');

    await atVisits(page);
    await expectText(banner(page), 'Born January 27, 1989', 'Record NB231007');
    await expectText(
      page,
      'Visits of the patient Sofia Lindgren, those in progress first, then the newest.',
      'Step 2 of 3 · Heart Companion',
    );
    expect(await checked(page)).toBe(0);
    await confirm(page, 'Cardiology ward 3B');

    const consent = await expectConsent(page, 'Heart Companion');
    await expectText(banner(page), 'Sofia Lindgren', 'Born January 27, 1989', 'Record NB231007');
    await expectText(page, 'Step 3 of 3 · Heart Companion');
    await consent.accept.scrollIntoViewIfNeeded();
    await expectInView(banner(page));
    await consent.accept.click();
    expect(await tokens(page, app)).toMatchObject({ patient: 'sofia', encounter: 'ward' });
  });

  it('goes back step by step, to the same choices, and returns with Forward', async () => {
    const page = await browser.open(viewport);
    await begin(page);
    await confirm(page, 'Sofia Lindgren');
    await atVisits(page);
    await confirm(page, 'Emergency department');
    await expectConsent(page, 'Heart Companion');
    await page.goBack();
    await atVisits(page);
    await expectText(page, 'Step 2 of 3 · Heart Companion');
    await page.goBack();
    await expectPage(page, '/user/launch-context', 'Select Patient');
    await expectText(page, 'Step 1 of 3 · Heart Companion');
    expect(await row(page, 'Sofia Lindgren').isChecked()).toBe(true);
    await page.reload();
    await expectPage(page, '/user/launch-context', 'Select Patient');
    expect(await row(page, 'Sofia Lindgren').isChecked()).toBe(true);
    await page.goForward();
    await atVisits(page);
    await page.reload();
    await atVisits(page);
    await page.goForward();
    await expectConsent(page, 'Heart Companion');
    await expectText(banner(page), 'Sofia Lindgren');
  });

  it('changes the patient, which drops the visit only, and the app gets the patient who was shown', async () => {
    const page = await browser.open(viewport);
    const app = await begin(page);
    await confirm(page, 'Sofia Lindgren');
    await atVisits(page);
    await change(page).click();
    await expectPage(page, '/user/launch-context', 'Select Patient');
    expect(await row(page, 'Sofia Lindgren').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Confirm Selection' }).click();
    await atVisits(page);
    await confirm(page, 'Emergency department');
    await expectConsent(page, 'Heart Companion');

    await change(page).click();
    await expectPage(page, '/user/launch-context', 'Select Patient');
    expect(await row(page, 'Sofia Lindgren').isChecked()).toBe(true);
    await confirm(page, 'Luca Demoray');
    await atVisits(page, 'Luca Demoray');
    // A single visit is selected.
    expect(await row(page, 'Annual check').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Confirm Selection' }).click();
    const consent = await expectConsent(page, 'Heart Companion');
    await expectText(banner(page), 'Luca Demoray', 'Born March 3, 1971');
    await consent.accept.click();
    expect(await tokens(page, app)).toMatchObject({ patient: 'luca', encounter: 'only' });
  });

  it('comes from the app back to the page before the flow, not to a step that is done', async () => {
    const page = await browser.open(viewport);
    browser.expectAnyFailure(400);
    await page.goto(`${origin.url}/callback?before`);
    await begin(page, { onPage: true });
    await confirm(page, 'Sofia Lindgren');
    await atVisits(page);
    await confirm(page, 'Emergency department');
    await (await expectConsent(page, 'Heart Companion')).accept.click();
    await expectBackInApp(page, callback);
    await page.goBack();
    await page.waitForURL(`${origin.url}/callback?before`);
  });

  it('sees that a patient has no visits, and skips', async () => {
    const page = await browser.open(viewport);
    const app = await begin(page);
    await confirm(page, 'Noah Reed');
    await atVisits(page, 'Noah Reed');
    await expectText(banner(page), 'Born 1990');
    await expectText(page, 'No visits: Noah Reed');
    await page
      .getByRole('button', { name: 'Finish' })
      .or(page.getByRole('button', { name: 'Skip' }))
      .click();
    await (await expectConsent(page, 'Heart Companion')).accept.click();
    const granted = await tokens(page, app);
    expect(granted).toMatchObject({ patient: 'noah' });
    expect(granted).not.toHaveProperty('encounter');
  });

  it('sees no list and no banner while the patient cannot be loaded, and tries again', async () => {
    const page = await browser.open(viewport);
    await begin(page);
    await expectPage(page, '/user/launch-context', 'Select Patient');
    browser.expectFailure('/api/launch-context', 503);
    ward.failing = 'Patient';
    await confirm(page, 'Sofia Lindgren');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await banner(page).count()).toBe(0);
    expect(await page.getByRole('radio').count()).toBe(0);
    ward.failing = undefined;
    await page.getByRole('button', { name: 'Try again' }).click();
    await atVisits(page);
    expect(await page.getByRole('radio').count()).toBe(4);
  });

  it('in two tabs cannot allow what the other tab has changed, and continues with the patient of the other tab', async () => {
    const page = await browser.open(viewport);
    const app = await begin(page);
    await confirm(page, 'Sofia Lindgren');
    await atVisits(page);
    await confirm(page, 'Emergency department');
    const consent = await expectConsent(page, 'Heart Companion');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await expectConsent(other, 'Heart Companion');
    await change(other).click();
    await confirm(other, 'Luca Demoray');
    await atVisits(other, 'Luca Demoray');
    await other.getByRole('button', { name: 'Confirm Selection' }).click();
    await expectConsent(other, 'Heart Companion');

    browser.expectFailure('/api/consent', 409);
    await page.bringToFront();
    await consent.accept.click();
    await expectText(
      page,
      'The patient or the visit of this request was changed in another tab. Nothing was allowed. Please check the request again.',
    );
    await page.getByRole('button', { name: 'Try again' }).click();
    const again = await expectConsent(page, 'Heart Companion');
    await expectText(banner(page), 'Luca Demoray');
    await again.accept.click();
    expect(await tokens(page, app)).toMatchObject({ patient: 'luca', encounter: 'only' });
  });

  it('does all of it by keyboard, and sees the focused row below the banner', async () => {
    const page = await browser.open(viewport);
    await begin(page);
    await expectPage(page, '/user/launch-context', 'Select Patient');
    await row(page, 'Mabel').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Confirm Selection' }).focus();
    await page.keyboard.press('Enter');
    await atVisits(page, 'Mabel Okafor-Blackwood-Richardson');
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('H1');
    await page.keyboard.press('Shift+Tab');
    expect(await change(page).evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
    await row(page, 'Visit 20').focus();
    // Up through the list, the banner does not hide the row that has the focus.
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('ArrowUp');
      expect(await topOfFocus(page)).toBeGreaterThanOrEqual(await bottomOf(banner(page)));
    }
    await change(page).focus();
    await page.keyboard.press('Enter');
    await expectPage(page, '/user/launch-context', 'Select Patient');
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('H1');
  });
});

async function announced(context: Record<string, string>): Promise<string> {
  const headers = basicAuthorization(ehr.id, ehr.secret);
  const answer = await new Agent(portal.issuer).postForm('/connect/launchContext', context, { headers });
  return answer.json<{ launchContextIdentifier: string }>().launchContextIdentifier;
}

it('A practitioner whose EHR named the patient sees the banner on each step, and cannot change the patient', async () => {
  const page = await browser.open();
  const launch = await announced({ patient: 'sofia' });
  const app = await begin(page, { scope: 'openid launch launch/encounter patient/*.rs', launch });
  await atVisits(page);
  expect(await change(page).count()).toBe(0);
  await confirm(page, 'Cardiology ward 3B');
  await expectConsent(page, 'Heart Companion');
  await expectText(banner(page), 'Sofia Lindgren');
  expect(await change(page).count()).toBe(0);
  await page.goBack();
  await atVisits(page);
  await confirm(page, 'Check-up');
  await (await expectConsent(page, 'Heart Companion')).accept.click();
  expect(await tokens(page, app)).toMatchObject({ patient: 'sofia', encounter: 'check-up' });
});

it('A practitioner whose app asks for a visit alone chooses the patient first', async () => {
  const page = await browser.open();
  const app = await begin(page, { scope: 'openid launch/encounter user/Encounter.rs' });
  await expectPage(page, '/user/launch-context', 'Select Patient');
  await confirm(page, 'Sofia Lindgren');
  await atVisits(page);
  await confirm(page, 'Check-up');
  await (await expectConsent(page, 'Heart Companion')).accept.click();
  const granted = await tokens(page, app);
  expect(granted).toMatchObject({ encounter: 'check-up' });
  expect(granted).not.toHaveProperty('patient');
});

it('A practitioner who skips the patient sees no banner and no visits', async () => {
  const page = await browser.open();
  await begin(page, { scope: `${scope} user/*.rs` });
  await page.getByRole('button', { name: 'Skip' }).click();
  await expectPage(page, '/user/launch-context', 'Select Encounter');
  await expectText(page, 'You chose no patient, so there is nothing to choose from here.');
  expect(await banner(page).count()).toBe(0);
  await page.getByRole('button', { name: 'Finish' }).click();
  await expectConsent(page, 'Heart Companion');
  expect(await banner(page).count()).toBe(0);
});

it('A patient sees no banner: the record is their own', async () => {
  const page = await browser.open();
  const app = await begin(page, { person: sofia });
  await expectPage(page, '/user/launch-context', 'Select Encounter');
  expect(await page.getByRole('radio').count()).toBe(4);
  expect(await banner(page).count()).toBe(0);
  await confirm(page, 'Check-up');
  const consent = await expectConsent(page, 'Heart Companion');
  expect(await banner(page).count()).toBe(0);
  await consent.accept.click();
  expect(await tokens(page, app)).toMatchObject({ patient: 'sofia', encounter: 'check-up' });
});

describe('The banner of the patient', () => {
  const visits = async (page: Page) => {
    await begin(page);
    await confirm(page, 'Mabel');
    await atVisits(page, 'Mabel Okafor-Blackwood-Richardson');
  };

  it('is accessible and fits on the step of the visit and on the consent page', () =>
    expectFitInEveryLook(browser, {
      'the visit': visits,
      consent: async (page) => {
        await confirm(page, 'Long-term care');
        await expectConsent(page, 'Heart Companion');
      },
    }));

  it('leaves room for the page at 200 % zoom', async () => {
    const page = await browser.open({ width: 640, height: 400 });
    await visits(page);
    await expectNoSidewaysScroll(page, 640);
    await page.setViewportSize({ width: 640, height: 400 });
    await page.evaluate('scrollTo(0, 600)');
    expect(await bottomOf(banner(page))).toBeLessThan(0);
  });
});
