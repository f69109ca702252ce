import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectVisibleFocus, focused } from '../../support/browser/focus.js';
import {
  expectBackInApp,
  expectConsent,
  expectDialog,
  expectLogin,
  expectPage,
  signInByApi,
} from '../../support/browser/pages.js';
import { VirtualAuthenticator } from '../../support/browser/virtual-authenticator.js';
import { publicApp } from '../../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { eventually } from '../../support/until.js';
import { authenticatorCode, signInByPassword } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let fhirServer: SmallFhirServer;
let portal: TestPortal;
let origin: StaticApp;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  origin = await startCallbackApp();
  const client = { ...publicApp, redirectUris: [`${origin.url}/callback`] };
  const strict = { ...client, clientId: 'strict-app', require2fa: true };
  const disclaimer = {
    id: 'use',
    description: 'Portal use',
    html: '<p>x</p>',
    clients: ['strict-app'],
    everyLogin: false,
  };
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: [people.patient, people.practitioner],
      clients: [client, strict],
      disclaimers: [disclaimer],
    },
  });
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
  await origin.close();
});

/** Waits, because a new dialog or page takes the focus a moment after it is visible. */
async function expectFocus(page: Page, announced: RegExp): Promise<void> {
  await eventually(async () => expect(await focused(page)).toMatch(announced));
}

/** Presses Tab until the announcement begins with this text; the focus must be visible at each stop. */
async function tabTo(page: Page, announced: string): Promise<void> {
  const stops: string[] = [];
  while (stops.length < 40) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    stops.push(stop);
    // The browser's own controls follow the last element of the page.
    if (stop === '') continue;
    await expectVisibleFocus(page, stop);
    if (stop.startsWith(announced)) return;
  }
  throw new Error(`Tab never came to ${announced}:\n${stops.join('\n')}`);
}

describe('By keyboard alone', () => {
  it('a patient signs in, unticks a permission, cancels declining, and grants access', async () => {
    const page = await browser.open({ width: 1280, height: 600 });
    const parameters = { redirect_uri: `${origin.url}/callback` };
    const scope = 'openid offline_access patient/Observation.rs patient/Condition.rs';
    const app = new SmartApp(portal, { scope, parameters });
    await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);

    await expectLogin(page);
    await tabTo(page, 'textbox "Email"');
    await page.keyboard.type(people.patient.email);
    await tabTo(page, 'textbox "Password"');
    await page.keyboard.type('wrong');
    browser.expectFailure('/api/session/login', 401);
    await page.keyboard.press('Enter');
    await page.getByText('The email or the password is wrong.').waitFor();
    await expectFocus(page, /^textbox "Password"/);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(people.patient.password);
    await tabTo(page, 'button "Sign in"');
    await page.keyboard.press('Enter');

    const consent = await expectConsent(page, 'Heart Companion');
    await tabTo(page, 'checkbox "Conditions');
    await page.keyboard.press('Space');
    expect(await consent.permission('Conditions').isChecked()).toBe(false);
    await tabTo(page, 'button "Remember my decision');
    await page.keyboard.press('Enter');
    await tabTo(page, 'radio "Remember this decision');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: 'Prompt me again next time' }).isChecked()).toBe(true);

    await tabTo(page, 'button "Decline"');
    await page.keyboard.press('Enter');
    const dialog = await expectDialog(page, 'Are you sure you want to decline?');
    await tabTo(page, 'button "Confirm Decline"');
    await tabTo(page, 'button "Cancel"');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Decline', exact: true }).and(page.locator(':focus')).waitFor();

    await tabTo(page, 'button "Accept"');
    await page.keyboard.press('Enter');
    const answer = await expectBackInApp(page, `${origin.url}/callback`);
    const tokens = await app.exchange(answer.get('code') ?? '', parameters);
    expect(tokens.json().scope).toBe('openid offline_access patient/Observation.rs');
  });

  itInLongRun('a practitioner passes two-factor, disclaimers, patient choice and consent', async () => {
    const page = await browser.open({ width: 390, height: 844 });
    const press = async (announced: string, key = 'Enter') => {
      await tabTo(page, announced);
      await page.keyboard.press(key);
    };
    const parameters = { redirect_uri: `${origin.url}/callback` };
    const scope = 'openid launch/patient patient/Observation.rs';
    const app = new SmartApp(portal, { client: { clientId: 'strict-app' }, scope, parameters });
    await signInByApi(page, portal.issuer, people.practitioner);
    await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);

    await expectPage(page, '/user/two-factor-required', 'Two-Factor Authentication Required');
    const key = (await page.locator('code').innerText()).replaceAll(' ', '');
    await tabTo(page, 'textbox "Enter the 6-digit code that it shows"');
    await page.keyboard.type(authenticatorCode(key));
    await expectDialog(page, 'Save your recovery codes');
    await press('checkbox "I have stored these codes"', 'Space');
    await press('button "Confirm"');

    await expectPage(page, '/user/disclaimer', 'Disclaimers');
    await press('checkbox "Portal use', 'Space');
    await expectDialog(page, 'Portal use');
    await expectFocus(page, /^region "Portal use"/);
    await expectVisibleFocus(page, 'the text');
    await press('button "Accept"');
    await page.getByRole('checkbox', { name: 'Portal use', checked: true }).waitFor();
    await press('button "Confirm my choices"');

    await expectPage(page, '/user/launch-context', 'Select Patient');
    await tabTo(page, 'radio');
    await page.keyboard.press('ArrowDown');
    await press('button "Confirm Selection"');

    await expectConsent(page, 'Heart Companion');
    await press('button "Accept"');
    const answer = await expectBackInApp(page, `${origin.url}/callback`);
    const tokens = await app.exchange(answer.get('code') ?? '', parameters);
    expect(tokens.json()).toMatchObject({ patient: expect.stringMatching(/^[123]$/), scope });
  });

  itInLongRun(
    'a patient makes a passkey after signing in, confirms an app with it, signs in with it, renames and removes it',
    async () => {
      const page = await browser.open({ width: 1280, height: 600 });
      // The simulated device would answer at once where a field offers passkeys.
      await page.addInitScript('delete window.PublicKeyCredential?.isConditionalMediationAvailable');
      await VirtualAuthenticator.connect(page);
      const press = async (announced: string) => {
        await tabTo(page, announced);
        await page.keyboard.press('Enter');
      };
      const type = async (announced: string, text: string) => {
        await tabTo(page, announced);
        await page.keyboard.press('ControlOrMeta+A');
        await page.keyboard.type(text);
      };
      const signedOut = async () => {
        await page.goto('about:blank');
        await page.context().clearCookies();
      };
      const signInOnPage = async () => {
        await expectLogin(page);
        await type('textbox "Email"', people.patient.email);
        await type('textbox "Password"', people.patient.password);
        await press('button "Sign in"');
      };
      await page.goto(`${portal.issuer}/login`);
      await signInOnPage();
      await expectPage(page, '/login', 'Sign in faster next time');
      await press('button "Create a passkey"');
      await expectPage(page, '/user/grants', 'Manage Apps');

      await signedOut();
      const parameters = { redirect_uri: `${origin.url}/callback` };
      const scope = 'openid patient/Observation.rs';
      const app = new SmartApp(portal, { client: { clientId: 'strict-app' }, scope, parameters });
      await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
      await signInOnPage();
      await expectPage(page, '/user/two-factor-required', 'Two-Factor Authentication Required');
      // The code of the authenticator app, which comes later, would move the focused element.
      await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
      await press('button "Use a passkey"');
      await expectPage(page, '/user/disclaimer', 'Disclaimers');

      await signedOut();
      await page.goto(`${portal.issuer}/login`);
      await expectLogin(page);
      await press('button "Sign in with a passkey"');
      await expectPage(page, '/user/grants', 'Manage Apps');
      await page.goto(`${portal.issuer}/user/account-settings`);
      await page.getByText('1 of 10 passkeys').waitFor();
      await press('button "Rename Linux computer"');
      await expectDialog(page, 'Rename passkey');
      await type('textbox "Name"', 'Kitchen laptop');
      await press('button "Save"');
      await page.getByRole('button', { name: 'Rename Kitchen laptop' }).and(page.locator(':focus')).waitFor();
      await press('button "Remove Kitchen laptop"');
      await expectDialog(page, 'Remove Kitchen laptop?');
      await press('button "Remove"');
      await page.getByText('0 of 10 passkeys').waitFor();
    },
  );

  itInLongRun('a patient skips the header, and signs out through the account menu', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/grants`);
    await page.getByRole('heading', { name: 'Manage Apps' }).waitFor();
    await page.keyboard.press('Tab');
    await expectFocus(page, /^link "Skip to content"/);
    await page.keyboard.press('Enter');
    await page.locator('#content:focus').waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'Manage Apps' }).waitFor();
    await tabTo(page, `button "Account menu of ${people.patient.fullName}"`);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Manage Apps' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: 'Account settings' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: 'Logout' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await expectLogin(page);
  });

  itInLongRun(
    'a patient changes the name, opens and leaves the two-factor setup, and ends other sessions',
    async () => {
      await signInByPassword(portal, people.patient);
      const page = await browser.open({ width: 1280, height: 600 });
      await signInByApi(page, portal.issuer, people.patient);
      await page.goto(`${portal.issuer}/user/grants`);
      await page.getByRole('heading', { name: 'Manage Apps' }).waitFor();
      await tabTo(page, `button "Account menu of ${people.patient.fullName}"`);
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Manage Apps' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.getByRole('menuitem', { name: 'Account settings' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('Unknown browser').first().waitFor();
      await expectFocus(page, /^heading "Account settings"/);

      await tabTo(page, 'button "Edit name"');
      await page.keyboard.press('Enter');
      await expectFocus(page, /^textbox "Name"/);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type('Amelia Stone');
      await tabTo(page, 'button "Save"');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Account menu of Amelia Stone' }).waitFor();
      await expectFocus(page, /^button "Edit name"/);

      await tabTo(page, 'button "Turn on"');
      await page.keyboard.press('Enter');
      const setup = await expectDialog(page, 'Set up an authenticator app');
      await setup.getByRole('img').waitFor();
      await tabTo(page, 'textbox "Enter the 6-digit code that it shows"');
      await page.keyboard.press('Escape');
      await setup.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Turn on' }).and(page.locator(':focus')).waitFor();

      await tabTo(page, 'button "Sign out everywhere else"');
      await page.keyboard.press('Enter');
      await page.getByText('Unknown browser').first().waitFor({ state: 'hidden' });
    },
  );
});
