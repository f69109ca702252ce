import type { Locator, Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import {
  answerNotFound,
  expectConsent,
  expectDialog,
  expectLogin,
  expectPage,
  expectText,
  signIn,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import {
  ageAcceptedCodes,
  authenticatorCode,
  type EnabledTwoFactor,
  enableTwoFactor,
  login,
  wrongAuthenticatorCode,
} from '../../support/users/authenticator.js';
import { type Person, people } from '../../support/users/people.js';

const browser = useBrowser();
const strictApp = { ...publicApp, clientId: 'strict-app', clientName: 'Vault', require2fa: true };
const { patient, otherPatient, practitioner } = people;
const thirdPatient = { ...otherPatient, email: 'third.patient@example.org' };
const title = 'Two-Factor Authentication Required';
let portal: TestPortal;
let enrolled: EnabledTwoFactor;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [patient, otherPatient, thirdPatient, practitioner], clients: [strictApp] },
  });
  const agent = new Agent(portal.issuer);
  await login(agent, patient);
  enrolled = await enableTwoFactor(agent);
});

afterAll(() => portal.close());

/** Signs in with the password, and returns the dialog for the second factor. */
async function secondStep(page: Page): Promise<Locator> {
  await ageAcceptedCodes(portal);
  await page.goto(`${portal.issuer}/login`);
  await signIn(page, patient);
  return expectDialog(page, 'Verify Your Identity');
}

const code = (within: Page | Locator) => within.getByLabel('Code from your authenticator app');
const recoveryCode = (within: Page | Locator) => within.getByLabel('Recovery code');
const press = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true }).click();

/** Records the verification codes of later calls to this path. */
function postsTo(page: Page, path: string): () => string[] {
  const codes: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith(path))
      codes.push(request.postDataJSON().verificationCode);
  });
  return () => codes;
}

/** Pastes the text over the value of the field. */
async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await field.press('ControlOrMeta+A');
  await field.press('ControlOrMeta+V');
}

async function expectSelected(field: Locator, text: string): Promise<void> {
  const selected = await field.evaluate((input) => {
    const { value, selectionStart, selectionEnd } = input as unknown as {
      value: string;
      selectionStart: number;
      selectionEnd: number;
    };
    return value.slice(selectionStart, selectionEnd);
  });
  expect(selected).toBe(text);
}

interface StyledWindow {
  getComputedStyle(element: unknown, part?: string): { fontSize: string };
}

const request = () => `${portal.issuer}/connect/authorize?${new SmartApp(portal, { client: strictApp }).query()}`;

/** A user who is signed in with a password comes from the app that requires two factors. */
async function comeFromApp(page: Page, person: Person): Promise<void> {
  await signInByApi(page, portal.issuer, person);
  await page.goto(request());
}

/**
 * The example digits of the empty field differ from typed ones, and a text says that the code is submitted
 * automatically.
 */
async function expectExample(page: Page, dialog: Locator): Promise<void> {
  expect(await code(dialog).getAttribute('placeholder')).toBe('000000');
  const size = (part: string) =>
    code(dialog).evaluate((input, part) => {
      const view = (input as unknown as { ownerDocument: { defaultView: StyledWindow } }).ownerDocument.defaultView;
      return Number.parseFloat(view.getComputedStyle(input, part || undefined).fontSize);
    }, part);
  expect(await size('::placeholder')).toBeLessThan(await size(''));
  const described = page.getByText('The code is checked when you enter its sixth digit.');
  expect((await code(dialog).getAttribute('aria-describedby'))?.split(' ')).toContain(
    await described.getAttribute('id'),
  );
}

describe('Signing in to an account with two factors', () => {
  it('shows example digits, says that the code is submitted automatically, and accepts a code after a wrong one, whose error is next to its field; a user without either is led on', async () => {
    browser.expectFailure('/api/twofactor/verify', 400);
    const page = await browser.open();
    const dialog = await secondStep(page);
    await expectExample(page, dialog);
    await code(dialog).and(page.locator(':focus')).waitFor();
    await press(dialog, 'Verify');
    await expectText(dialog, 'Field should not be empty.');
    await code(dialog).fill(wrongAuthenticatorCode(enrolled.key));
    await expectText(dialog, 'This code is not valid. Please enter the next one that your app shows.');
    // For each configured way: `lost-factor.long.test.ts`.
    await press(dialog, 'I have neither');
    await dialog.getByRole('heading', { name: 'Lost your phone and your codes?' }).waitFor();
    await press(dialog, 'Enter a code');
    await code(dialog).fill(authenticatorCode(enrolled.key));
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun(
    'submits the code with its sixth digit, once, and not again for the same digits after a refusal',
    async () => {
      browser.expectFailure('/api/twofactor/verify', 400);
      const page = await browser.open();
      const dialog = await secondStep(page);
      const sent = postsTo(page, '/api/twofactor/verify');
      const wrong = wrongAuthenticatorCode(enrolled.key);
      let letAnswer = () => {};
      const enterWasPressed = new Promise<void>((resolve) => {
        letAnswer = resolve;
      });
      await page.route('**/api/twofactor/verify', (route) => enterWasPressed.then(() => route.continue()));
      await code(dialog).pressSequentially(wrong);
      await page.keyboard.press('Enter');
      letAnswer();
      await expectText(dialog, 'This code is not valid. Please enter the next one that your app shows.');
      expect(sent()).toEqual([wrong]);
      // The wrong code is selected, so that typing replaces it.
      await expectSelected(code(dialog), wrong);
      await page.keyboard.press('End');
      await page.keyboard.press('Backspace');
      await page.keyboard.type(wrong.slice(-1));
      const right = authenticatorCode(enrolled.key);
      await paste(page, code(dialog), `${right.slice(0, 3)} ${right.slice(3)}`);
      await expectPage(page, '/user/grants', 'Manage Apps');
      expect(sent()).toEqual([wrong, `${right.slice(0, 3)} ${right.slice(3)}`]);
    },
  );

  itInLongRun('accepts a recovery code, and shows the number left', async () => {
    const page = await browser.open();
    const dialog = await secondStep(page);
    await press(dialog, 'Use a recovery code instead');
    await recoveryCode(dialog).fill(enrolled.recoveryCodes[0] ?? '');
    // The message stays for three seconds, so the next page must show it soon.
    const told = page
      .locator('body', { has: page.getByRole('heading', { name: 'Manage Apps' }) })
      .getByText('You have 9 recovery codes left.');
    await Promise.all([told.waitFor(), press(dialog, 'Verify')]);
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('ends when the account was deleted', async () => {
    browser.expectFailure('/api/twofactor/verify', 404);
    const page = await browser.open();
    const dialog = await secondStep(page);
    // Deleting an account deletes its pending sign-ins; one remains only between two steps of the server.
    await answerNotFound(page, '**/api/twofactor/verify', 'POST');
    await code(dialog).fill(authenticatorCode(enrolled.key));
    const gone = await expectDialog(page, 'User Not Found');
    await expectText(gone, 'The current user cannot be found. Please contact your administrator.');
    await press(gone, 'Refresh');
    await expectLogin(page);
    await gone.waitFor({ state: 'hidden' });
  });

  itInLongRun('starts again when the dialog was closed', async () => {
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

  itInLongRun('requires the password again when it took too long', async () => {
    browser.expectFailure('/api/twofactor/verify', 401);
    const page = await browser.open();
    const dialog = await secondStep(page);
    await page.context().clearCookies();
    await code(dialog).fill(authenticatorCode(enrolled.key));
    await (await expectLogin(page)).expectErrors('Your sign-in has expired. Please sign in again.');
  });

  itInLongRun('is accessible', async () => {
    await expectFitInEveryLook(browser, secondStep);
  });
});

describe('An app that requires two factors', () => {
  it('leads to the setup without a link to an authenticator app on a desktop, shows the recovery codes and continues', async () => {
    const page = await browser.open();
    await comeFromApp(page, otherPatient);
    await expectPage(page, '/user/two-factor-required', title);
    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    expect(await page.getByRole('link', { name: 'Open in your authenticator app' }).count()).toBe(0);
    const key = (await page.locator('code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Enter the 6-digit code that it shows').fill(authenticatorCode(key));
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

  itInLongRun(
    'leads to a setup on the phone itself: a link opens the authenticator app, and the sixth digit submits',
    async () => {
      const page = await browser.open({ width: 360, height: 740 });
      await comeFromApp(page, thirdPatient);
      await expectPage(page, '/user/two-factor-required', title);
      const link = page.getByRole('link', { name: 'Open in your authenticator app' });
      const address = new URL((await link.getAttribute('href')) ?? '');
      const shown = await page.locator('code').innerText();
      expect(shown).toMatch(/^([A-Z2-7]{4} )+[A-Z2-7]{1,4}$/);
      expect([address.protocol, address.host]).toEqual(['otpauth:', 'totp']);
      expect(address.searchParams.get('secret')).toBe(shown.replaceAll(' ', ''));
      expect(address.searchParams.get('issuer')).toBe('Gatehouse');
      const sent = postsTo(page, '/api/twofactor/enable');
      const digits = authenticatorCode(shown.replaceAll(' ', ''));
      await page.getByLabel('Enter the 6-digit code that it shows').pressSequentially(digits);
      await expectDialog(page, 'Save your recovery codes');
      expect(sent()).toEqual([digits]);
    },
  );

  itInLongRun('S8-049 leads to a message when the account was deleted during the setup', async () => {
    browser.expectFailure('/api/twofactor/enable', 404);
    const page = await browser.open();
    await comeFromApp(page, practitioner);
    await answerNotFound(page, '**/api/twofactor/enable', 'POST');
    await page.getByLabel('Enter the 6-digit code that it shows').fill('123456');
    const gone = await expectDialog(page, 'Oh No!');
    await expectText(gone, 'The request cannot be processed. Please refresh the page and try again.');
  });

  itInLongRun('requires a code in a session without one', async () => {
    await ageAcceptedCodes(portal);
    const page = await browser.open();
    await page.goto(request());
    await signIn(page, patient);
    await code(await expectDialog(page, 'Verify Your Identity')).fill(authenticatorCode(enrolled.key));
    await expectConsent(page, 'Vault');
    await portal.query(
      `UPDATE oidc_record SET payload = jsonb_set(payload - 'secondFactorAt', '{amr}', '["pwd"]') WHERE model = 'Session'`,
    );
    await ageAcceptedCodes(portal);
    await page.goto(request());
    await expectPage(page, '/user/two-factor-required', title);
    await code(page).fill(authenticatorCode(enrolled.key));
    await expectConsent(page, 'Vault');
  });

  itInLongRun('leads to an accessible page', async () => {
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await comeFromApp(page, practitioner);
        await expectPage(page, '/user/two-factor-required', title);
        await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
      },
      { number: 1 },
    );
  });
});
