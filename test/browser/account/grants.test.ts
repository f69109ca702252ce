import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import {
  answerNotFound,
  expectDialog,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { KeptUsers } from '../../support/users/kept-users.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const client = {
  ...publicApp,
  description: 'Keeps an eye on your heart.',
  legalCompanyName: 'Heart Companion Ltd',
  contactUsUrl: 'https://heart.example/contact',
};
let portal: TestPortal;
let users: KeptUsers;
let tokens: Tokens;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: [client] } });
  users = await KeptUsers.of(portal);
});

beforeEach(async () => {
  await users.restore();
  tokens = await new SmartApp(portal, { scope: 'openid offline_access patient/Observation.rs' }).tokens(people.patient);
});

afterEach(() => browser.closePages());

afterAll(() => portal.close());

/** The gateway's answer to the app. There is no FHIR server, so a permitted request is answered with 502 or 503. */
async function gatewayStatus(): Promise<number> {
  const answer = await fetch(`${portal.fhirBase}/Observation?patient=Patient/1`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  return answer.status;
}

/** The question that the card of the app asks. */
async function asked(page: Page): Promise<Locator> {
  await signInByApi(page, portal.issuer, people.patient);
  await page.goto(`${portal.issuer}/user/grants`);
  await page.getByRole('button', { name: 'Take back access from Heart Companion' }).click();
  return expectDialog(page, 'Take back access from Heart Companion?');
}

describe('The list of a patient’s apps', () => {
  itInLongRun('shows the permissions of each app and its provider', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/grants`);
    await expectPage(page, '/user/grants', 'Manage Apps');
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Heart Companion' }) });
    const [grant] = await portal.query<{ created_at: Date }>(
      "SELECT created_at FROM oidc_record WHERE model = 'Grant'",
    );
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'Europe/Berlin' });
    await expectText(
      card,
      'Granted on',
      day.format(grant?.created_at),
      'Expires on',
      'Read last',
      'Never',
      'Has access when you are not there',
    );

    await card.getByRole('button', { name: 'About Heart Companion' }).click();
    const about = await expectDialog(page, 'Heart Companion');
    await expectText(about, 'Keeps an eye on your heart.', 'Heart Companion Ltd', 'Terms of service URL', 'No value');
    const contact = about.getByRole('link', { name: 'https://heart.example/contact' });
    expect([await contact.getAttribute('target'), await contact.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer',
    ]);
    await about.getByRole('button', { name: 'Close' }).click();
    await about.waitFor({ state: 'hidden' });

    await card.getByRole('button', { name: 'View Disclaimers & Permissions of Heart Companion' }).click();
    const permissions = page.getByRole('dialog').filter({ hasText: 'Granted permissions' });
    await expectText(permissions, 'Your sign-in identifier', 'Stay connected', 'Test results and observations');
    await page.keyboard.press('Escape');
    await permissions.waitFor({ state: 'hidden' });
  });

  itInLongRun('gets a receipt that leaves out what had nothing to end', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    const takeBack = () => page.request.delete(`${portal.issuer}/api/grant?clientId=${client.clientId}`);
    await takeBack();
    await new SmartApp(portal, { scope: 'openid patient/Observation.rs' }).tokens(people.patient);
    const id = (await takeBack()).headers().location?.split('/').at(-1);
    await page.goto(`${portal.issuer}/user/receipts/${id}`);
    await expectText(page, '1 session', 'All keys to the data');
  });

  it('takes back access at once, after a question, and the receipt says what ended', async () => {
    expect(await gatewayStatus()).toBeGreaterThanOrEqual(500);
    const page = await browser.open({ width: 360, height: 740 });
    const question = await asked(page);
    await expectText(
      question,
      'It is signed out everywhere and cannot see your record any more. Heart Companion Ltd keeps what the app has already seen.',
      'To use Heart Companion again, you sign in there and decide again.',
    );
    expect(await gatewayStatus()).toBeGreaterThanOrEqual(500);
    await question.getByRole('button', { name: 'Take back access' }).click();

    await expectNotice(page, 'App permissions were successfully revoked.');
    await page.getByRole('heading', { level: 1, name: 'Heart Companion can no longer see your record' }).waitFor();
    await page.locator('h1:focus').waitFor();
    await expectText(
      page,
      'This confirmation will also be sent to your e-mail address.',
      '1 session',
      'Access while you are away',
      'All keys to the data',
      '1 key to stay connected',
      'Never',
      'Every request of the app is refused',
    );
    expect(await gatewayStatus()).toBe(401);
    const refreshed = await new SmartApp(portal).refresh(tokens.refresh_token ?? '');
    expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);

    const number = await page.getByText(/^(?:\w{4}-){2}\w{4}$/).innerText();
    expect(new URL(page.url()).pathname).toBe(`/user/receipts/${number}`);
    for (const [name, ending, beginning] of [
      ['Download', 'txt', 'Confirmation: an access of Heart Companion to your data'],
      ['Download with our signature', 'jwt', 'eyJ'],
    ] as const) {
      const waiting = page.waitForEvent('download');
      await page.getByRole('link', { name, exact: true }).click();
      const download = await waiting;
      expect(download.suggestedFilename()).toBe(`receipt-${number}.${ending}`);
      expect((await readFile(await download.path(), 'utf8')).startsWith(beginning)).toBe(true);
    }

    await page.getByRole('button', { name: 'Done' }).click();
    await expectPage(page, '/user/grants', 'Manage Apps');
    await expectText(page, 'No Applications Yet');
    await page.goBack();
    await expectText(page, number);
    await page.reload();
    await expectText(page, number);
  });

  itInLongRun('shows the same receipt when another tab was faster', async () => {
    const page = await browser.open();
    const question = await asked(page);
    const faster = await page.request.delete(`${portal.issuer}/api/grant?clientId=${client.clientId}`);
    await question.getByRole('button', { name: 'Take back access' }).click();
    const number = faster.headers().location?.split('/').at(-1);
    await page.waitForURL((url) => url.pathname === `/user/receipts/${number}`);
    await expectText(page, '1 session', 'Access while you are away');
  });

  itInLongRun('shows a failure in the dialog, where the user can try again', async () => {
    browser.expectAnyFailure(503);
    const page = await browser.open({ width: 360, height: 740 });
    const question = await asked(page);
    await page.route('**/api/grant?*', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 });
    await question.getByRole('button', { name: 'Take back access' }).click();
    await expectText(question, 'Something went wrong.');
    expect(await page.getByRole('alert').filter({ hasText: 'Something went wrong.' }).count()).toBe(1);
    await question.getByRole('button', { name: 'Take back access' }).click();
    await page.getByRole('heading', { level: 1, name: 'Heart Companion can no longer see your record' }).waitFor();
  });

  itInLongRun('says that an app is gone which never had access', async () => {
    browser.expectAnyFailure(404);
    const page = await browser.open();
    const question = await asked(page);
    await answerNotFound(page, '**/api/grant?*', 'DELETE');
    await question.getByRole('button', { name: 'Take back access' }).click();
    await expectText(await expectDialog(page, 'Oh No!'), 'Heart Companion');
  });

  itInLongRun('shows no receipt of another person', async () => {
    browser.expectAnyFailure(404);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/receipts/7Q4K-7Q4K-7Q4K`);
    await expectPage(page, '/user/receipts/7Q4K-7Q4K-7Q4K', 'There is no such confirmation');
    await page.getByRole('button', { name: 'Done' }).click();
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('requires sign-in when the session has ended', async () => {
    browser.expectFailure('/api/grant', 401);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/grants`);
    await page.getByRole('button', { name: 'View Disclaimers & Permissions of Heart Companion' }).click();
    await page.getByRole('button', { name: 'Revoke App Permissions' }).click();
    await page.context().request.get(`${portal.issuer}/logout`, {
      headers: { 'sec-fetch-site': 'same-origin' },
      maxRedirects: 0,
    });
    await page.getByRole('dialog').last().getByRole('button', { name: 'Take back access' }).click();
    await expectLogin(page);
    expect(await gatewayStatus()).toBeGreaterThanOrEqual(500);
  });
});
