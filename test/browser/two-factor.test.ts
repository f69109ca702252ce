import type { Locator, Page } from 'playwright-core';
import { Agent } from '../support/agent.js';
import { codeOf, type Enrolled, enrol, letTimePass, login, wrongCodeOf } from '../support/authenticator.js';
import { expectFitInEveryLook, useBrowser } from '../support/browser.js';
import { publicApp } from '../support/clients.js';
import { expectConsent, expectDialog, expectLogin, expectPage, expectText, signIn } from '../support/pages.js';
import { type Person, people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp } from '../support/smart-app.js';

const browser = useBrowser();
const strictApp = { ...publicApp, clientId: 'strict-app', clientName: 'Vault', require2fa: true };
const { patient, otherPatient, practitioner } = people;
const title = 'Two-Factor Authentication Required';
let portal: TestPortal;
let enrolled: Enrolled;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [patient, otherPatient, practitioner], clients: [strictApp] } });
  const agent = new Agent(portal.issuer);
  await login(agent, patient);
  enrolled = await enrol(agent);
});

afterAll(() => portal.close());

/** The password is right; the dialog asks for more. */
async function secondStep(page: Page): Promise<Locator> {
  await letTimePass(portal);
  await page.goto(`${portal.issuer}/login`);
  await signIn(page, patient);
  return expectDialog(page, 'Verify Your Identity');
}

const code = (within: Page | Locator) => within.getByLabel('Authentication code');
const recoveryCode = (within: Page | Locator) => within.getByLabel('Recovery code');
const press = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true }).click();

/** Somebody comes from the app that wants two factors, with a password. */
async function comeFromApp(page: Page, person: Person): Promise<void> {
  await page.goto(`${portal.issuer}/connect/authorize?${new SmartApp(portal, { client: strictApp }).query()}`);
  await signIn(page, person);
}

describe('signing in to an account with a second factor', () => {
  it('takes a code, after a wrong one said so beside its field', async () => {
    browser.expectFailure('/api/twofactor/verify', 400);
    const page = await browser.open();
    const dialog = await secondStep(page);
    await code(dialog).and(page.locator(':focus')).waitFor();
    await press(dialog, 'Verify');
    await expectText(dialog, 'Field should not be empty.');
    await code(dialog).fill(wrongCodeOf(enrolled.key));
    await press(dialog, 'Verify');
    await expectText(dialog, 'This code is not valid. Please enter the next one that your app shows.');
    await code(dialog).fill(codeOf(enrolled.key));
    await press(dialog, 'Verify');
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  it('takes a recovery code, and says how many are left', async () => {
    const page = await browser.open();
    const dialog = await secondStep(page);
    await press(dialog, 'Use a recovery code instead');
    await recoveryCode(dialog).fill(enrolled.recoveryCodes[0] ?? '');
    // It stays for three seconds only, of which the page that follows has to show the most.
    const told = page
      .locator('body', { has: page.getByRole('heading', { name: 'Manage Apps' }) })
      .getByText('You have 9 recovery codes left.');
    await Promise.all([told.waitFor(), press(dialog, 'Verify')]);
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  it('ends for an account that is gone', async () => {
    browser.expectFailure('/api/twofactor/verify', 404);
    const page = await browser.open();
    const dialog = await secondStep(page);
    // An account is deleted together with its sign-ins; only between two steps of the server can one be left over.
    const body = { errors: [{ messages: ['Not Found'] }], title: 'Not Found', statusMessage: 'Not Found', message: '' };
    await page.route('**/api/twofactor/verify', (route) => route.fulfill({ status: 404, json: body }));
    await code(dialog).fill(codeOf(enrolled.key));
    await press(dialog, 'Verify');
    const gone = await expectDialog(page, 'User Not Found');
    await expectText(gone, 'The current user cannot be found. Please contact your administrator.');
    await press(gone, 'Refresh');
    await expectLogin(page);
    await gone.waitFor({ state: 'hidden' });
  });

  it('begins anew when the dialog was closed', async () => {
    const page = await browser.open();
    const dialog = await secondStep(page);
    await press(dialog, 'Use a recovery code instead');
    await recoveryCode(dialog).fill('7KQ4MX');
    await press(dialog, 'Close');
    await dialog.waitFor({ state: 'hidden' });
    await (await expectLogin(page)).submit.click();
    await expectDialog(page, 'Verify Your Identity');
    expect(await code(page).inputValue()).toBe('');
  });

  it('asks for the password again when too much time has passed', async () => {
    browser.expectFailure('/api/twofactor/verify', 401);
    const page = await browser.open();
    const dialog = await secondStep(page);
    await page.context().clearCookies();
    await code(dialog).fill(codeOf(enrolled.key));
    await press(dialog, 'Verify');
    await (await expectLogin(page)).expectErrors('Your sign-in has expired. Please sign in again.');
  });

  it('can be used by everybody', async () => {
    await expectFitInEveryLook(browser, secondStep);
  });
});

describe('an app that wants a second factor', () => {
  it('has it set up, hands the recovery codes over and goes on', async () => {
    const page = await browser.open();
    await comeFromApp(page, otherPatient);
    await expectPage(page, '/user/two-factor-required', title);
    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    const key = (await page.locator('code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Enter the 6-digit code it shows').fill(codeOf(key));
    await press(page, 'Turn on');
    const dialog = await expectDialog(page, 'Save your recovery codes');
    const codes = await dialog.locator('code').allInnerTexts();
    expect(codes).toHaveLength(10);
    expect(codes).toContainEqual(expect.stringMatching(/^[0-9A-Z]{6}-[0-9A-Z]{6}$/));
    const [download] = await Promise.all([page.waitForEvent('download'), press(dialog, 'Download')]);
    expect(download.suggestedFilename()).toBe('gatehouse-recovery-codes.txt');
    const confirm = dialog.getByRole('button', { name: 'Confirm' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('I have stored these codes').check();
    await confirm.click();
    await expectConsent(page, 'Vault');
  });

  it('asks for it in the session that lacks it', async () => {
    await letTimePass(portal);
    const page = await browser.open();
    await comeFromApp(page, patient);
    await code(await expectDialog(page, 'Verify Your Identity')).fill(codeOf(enrolled.key));
    await press(page, 'Verify');
    await expectConsent(page, 'Vault');
    await portal.query(
      `UPDATE oidc_record SET payload = jsonb_set(payload - 'secondFactorAt', '{amr}', '["pwd"]') WHERE model = 'Session'`,
    );
    await letTimePass(portal);
    await page.goto(`${portal.issuer}/connect/authorize?${new SmartApp(portal, { client: strictApp }).query()}`);
    await expectPage(page, '/user/two-factor-required', title);
    await code(page).fill(codeOf(enrolled.key));
    await press(page, 'Verify');
    await expectConsent(page, 'Vault');
  });

  it('has a page that can be used by everybody', async () => {
    await expectFitInEveryLook(browser, async (page) => {
      await comeFromApp(page, practitioner);
      await expectPage(page, '/user/two-factor-required', title);
      await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    });
  });
});
