import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import {
  acceptDisclaimer,
  expectBackInApp,
  expectConsent,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const phone = { width: 390, height: 844 };
const disclaimer = { id: 'use', description: 'Portal use', html: '<p>Be careful.</p>', clients: [], everyLogin: true };
let fhirServer: SmallFhirServer;
let origin: StaticApp;
let portal: TestPortal;
let callback: string;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  origin = await startCallbackApp();
  callback = `${origin.url}/callback`;
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: [people.practitioner],
      clients: [{ ...publicApp, redirectUris: [callback], initiateLoginUri: `${origin.url}/heart/` }],
      disclaimers: [disclaimer],
    },
  });
});

afterEach(() => browser.closePages());

afterAll(async () => {
  await portal.close();
  await origin.close();
  fhirServer.close();
});

/** Opens the disclaimers of a flow that also has the choice of a patient, and consent. */
async function begin(): Promise<{ page: Page; app: SmartApp }> {
  const page = await browser.open(phone);
  const scope = 'openid fhirUser launch/patient patient/Observation.rs patient/Condition.rs';
  const app = new SmartApp(portal, { scope, parameters: { redirect_uri: callback, prompt: 'consent' } });
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  await (await expectLogin(page)).signIn(people.practitioner);
  await expectPage(page, '/user/disclaimer', 'Disclaimers');
  return { page, app };
}

/** Without a network the button only shows an error; afterwards it works. */
async function interrupted(page: Page, button: string): Promise<void> {
  // The message of the previous page has disappeared.
  await page.locator('.notices').getByText('Something went wrong.').waitFor({ state: 'hidden' });
  await page.context().setOffline(true);
  await page.getByRole('button', { name: button }).click();
  await expectNotice(page, 'Something went wrong.');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: button }).and(page.locator(':not(.ant-btn-loading)')).click();
}

describe('During an authorization', () => {
  itInLongRun('an interrupted network loses no choice', async () => {
    browser.expectFailure('/api/disclaimer', 'offline');
    browser.expectFailure('/api/launch-context', 'offline');
    browser.expectFailure('/api/consent', 'offline');
    const { page, app } = await begin();
    await acceptDisclaimer(page, 'Portal use');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Confirm my choices' }).click();
    await expectText(page, 'Required fields are not provided.');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Confirm my choices' }).click();

    await expectPage(page, '/user/launch-context', 'Select Patient');
    await page.getByRole('radio', { name: 'Noah Reed' }).check();
    await interrupted(page, 'Confirm Selection');

    const consent = await expectConsent(page, 'Heart Companion');
    await consent.permission('Conditions').uncheck();
    await interrupted(page, 'Accept');
    const answer = await expectBackInApp(page, callback);
    const tokens = await app.exchange(answer.get('code') ?? '', { redirect_uri: callback });
    expect(tokens.json()).toMatchObject({
      patient: '2',
      scope: 'openid fhirUser launch/patient patient/Observation.rs',
    });
  });

  it('a page that was answered in another tab says so, and continues with the next step', async () => {
    browser.expectFailure('/api/disclaimer', 400);
    const { page } = await begin();
    const second = await page.context().newPage();
    await second.goto(page.url());
    await expectPage(second, '/user/disclaimer', 'Disclaimers');
    for (const tab of [second, page]) {
      await tab.bringToFront();
      await acceptDisclaimer(tab, 'Portal use');
    }
    await page.getByRole('button', { name: 'Confirm my choices' }).click();
    await expectPage(page, '/user/launch-context', 'Select Patient');
    await second.bringToFront();
    await second.getByRole('button', { name: 'Confirm my choices' }).click();
    await expectNotice(second, 'You have answered this already.');
    await expectPage(second, '/user/launch-context', 'Select Patient');
  });

  itInLongRun('a request that has ended in another tab names its app and links on', async () => {
    browser.expectFailure('/api/launch-context', 400);
    browser.expectFailure('/api/authorization', 400);
    browser.expectError(/status of 400/);
    const { page } = await begin();
    await acceptDisclaimer(page, 'Portal use');
    await page.getByRole('button', { name: 'Confirm my choices' }).click();
    await expectPage(page, '/user/launch-context', 'Select Patient');
    const second = await page.context().newPage();
    await second.goto(page.url());
    const returnUrl = new URL(page.url()).searchParams.get('returnUrl') ?? '';
    await page.bringToFront();
    await page.getByRole('button', { name: 'Cancel and return to Heart Companion' }).click();
    await expectBackInApp(page, callback);

    await second.bringToFront();
    const ended = 'This sign-in for Heart Companion cannot be continued here.';
    await second.reload();
    await expectPage(second, '/error/400', 'Oh no!');
    const reason =
      'No sign-in waits under this address: it was answered already, it expired a while ago, or the address was changed.';
    await expectText(second, 'The request cannot be processed. Please try again.', ended, reason);
    // The app may have read by now: nothing here was checked that could say it has not.
    expect(await second.getByText(/has not seen/).count()).toBe(0);
    // The server's own page says the same.
    const answer = await second.goto(portal.issuer + returnUrl);
    expect(answer?.status()).toBe(400);
    await expectText(second, ended, 'Reference for the help desk');
    const startAgain = second.getByRole('link', { name: /^Start again in .?Heart Companion/ });
    expect(await startAgain.getAttribute('href')).toBe(`${origin.url}/heart/`);
    await second.getByRole('link', { name: 'Go to the home page' }).click();
    await expectPage(second, '/user/grants', 'Manage Apps');
  });

  itInLongRun(
    'reloading shows the same page, and Back leaves the portal instead of returning to a finished step',
    async () => {
      const { page } = await begin();
      await acceptDisclaimer(page, 'Portal use');
      await page.getByRole('button', { name: 'Confirm my choices' }).click();
      await expectPage(page, '/user/launch-context', 'Select Patient');
      await page.reload();
      await expectPage(page, '/user/launch-context', 'Select Patient');
      await expectText(page, 'Step 2 of 3 · Heart Companion');
      await page.getByRole('radio', { name: 'Noah Reed' }).check();
      await page.getByRole('button', { name: 'Confirm Selection' }).click();
      const consent = await expectConsent(page, 'Heart Companion');
      await page.reload();
      await consent.accept.click();
      await expectBackInApp(page, callback);
      // It asks for a step that is done, and passes it by.
      browser.expectAnyFailure(400);
      await page.goBack();
      await page.waitForURL('about:blank');
    },
  );
});
