/** Letting a user in again, from the sheet of the user. */
import type { Locator, Page } from 'playwright-core';
import { SmartApp } from '../../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../../support/browser/browser.js';
import { expectDialog, expectNotice, expectPage, expectText, signInByApi } from '../../../support/browser/pages.js';
import { publicApp } from '../../../support/clients/clients.js';
import { Agent } from '../../../support/http/agent.js';
import { type MailSink, mailAbout, startMailSink } from '../../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../../support/portal/portal.js';
import {
  ageAcceptedCodes,
  authenticatorCode,
  enableTwoFactor,
  login,
  signInByPassword,
} from '../../../support/users/authenticator.js';
import { addPasskey, signInByPasskey } from '../../../support/users/passkey-device.js';
import { type Person, people } from '../../../support/users/people.js';

const browser = useBrowser();
const path = '/admin/user-management';
const ada: Person = { ...people.patient, email: 'ada.byron@example.org', fullName: 'Ada Byron' };
const clara: Person = { ...people.practitioner, email: 'clara.barton@example.org', fullName: 'Clara Barton' };
const strongAdmin: Person = { ...people.admin, email: 'strong.admin@example.org' };
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile Safari/604.1';
let sink: MailSink;
let portal: TestPortal;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    config: {
      email: sink.config,
      users: [people.admin, strongAdmin, ada, clara],
      clients: [{ ...publicApp, requireConsent: false }],
    },
  });
  // With the two of the configuration there are 5,003 users.
  await portal.query(`
    INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at)
    SELECT gen_random_uuid(), 'p' || i || '@hospital.example', (ARRAY['Ann', 'Bea', 'Cy', 'Ada'])[1 + i % 4] || ' Ward ' || i,
           'Patient', jsonb_build_array(jsonb_build_object('name', 'fhirUser', 'value', 'Patient/rec-' || i)),
           true, false, '', now()
      FROM generate_series(1, 5001) i`);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

beforeEach(() => portal.query('DELETE FROM rate_limit'));

async function open(admin: Person, query = '', look = {}): Promise<Page> {
  const page = await browser.open(look);
  if (admin === strongAdmin) await page.context().addCookies(await cookiesOf(admin));
  else await signInByApi(page, portal.issuer, admin);
  await page.goto(portal.issuer + path + query);
  await expectPage(page, path, 'Users');
  return page;
}

async function cookiesOf(person: Person): Promise<{ name: string; value: string; url: string }[]> {
  const agent = await signInByPassword(portal, person);
  return [...agent.cookies].map(([name, value]) => ({ name, value, url: portal.issuer }));
}

async function sheetOf(page: Page, { fullName }: Person): Promise<Locator> {
  await page.getByRole('button', { name: fullName, exact: true }).click();
  const sheet = page.getByRole('dialog').filter({ hasText: 'User Info' });
  await sheet.getByRole('link', { name: 'Refused sign-ins' }).waitFor();
  return sheet;
}

async function lockOut({ email: username }: Person): Promise<void> {
  for (let guess = 0; guess < 5; guess += 1) {
    await new Agent(portal.issuer).post('/api/session/login', { username, password: 'wrong' });
  }
}

async function signedIn({ email: username, password }: Person, userAgent: string): Promise<Agent> {
  const agent = new Agent(portal.issuer);
  await agent.post('/api/session/login', { username, password }, { headers: { 'user-agent': userAgent } });
  return agent;
}

const isSignedIn = async (agent: Agent) => (await agent.get('/api/session')).status === 200;

it('Among 5,003 users, one who is locked out is let in again with four actions by keyboard', async () => {
  await lockOut(ada);
  const page = await open(people.admin);
  expect((await portal.query("SELECT FROM account WHERE user_type <> 'Admin'")).length).toBe(5003);
  let actions = 0;
  const act = async (does: () => Promise<void>) => {
    actions += 1;
    await does();
  };
  const tabTo = async (target: Locator) => {
    await target.waitFor();
    const isFocused = () => target.evaluate((element) => element === element.ownerDocument.activeElement);
    for (let steps = 0; steps < 40 && !(await isFocused()); steps += 1) await page.keyboard.press('Tab');
    expect(await isFocused()).toBe(true);
  };
  await act(async () => {
    await tabTo(page.getByRole('searchbox'));
    await page.keyboard.type('ada byron');
  });
  await act(async () => {
    await expectText(page, '1 in total');
    await tabTo(page.getByRole('button', { name: ada.fullName, exact: true }));
    await page.keyboard.press('Enter');
  });
  const sheet = page.getByRole('dialog').filter({ hasText: 'User Info' });
  await act(async () => {
    await tabTo(sheet.getByRole('button', { name: 'Unlock', exact: true }));
    await page.keyboard.press('Enter');
  });
  await expectNotice(page, 'The user can try to sign in again.');
  await expectText(sheet, 'Nothing is known that stops their sign-in.');
  expect(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(true);
  expect(actions).toBeLessThanOrEqual(4);
  expect((await login(new Agent(portal.issuer), ada)).status).toBe(200);
});

describe('The sheet of a user', () => {
  it('shows the obstacle to the sign-in, and links to the refused attempts', async () => {
    await lockOut(ada);
    const page = await open(people.admin, '?searchTerm=byron');
    const sheet = await sheetOf(page, ada);
    await expectText(sheet, 'Too many wrong passwords');
    await sheet
      .getByText(/^Attempts from the network in which they were typed are refused until .*\d{4}.*\d:\d\d [AP]M\.$/)
      .waitFor();
    await sheet.getByRole('link', { name: 'Refused sign-ins' }).click();
    await expectPage(page, '/admin/audit', 'Audit');
    await page.getByRole('row').filter({ hasText: 'Could not sign in' }).first().waitFor();
  });

  it('signs one browser out, and then all', async () => {
    const [first, second] = [await signedIn(clara, firefox), await signedIn(clara, safari)];
    await new SmartApp(portal, { scope: 'openid fhirUser' }, first).tokens(clara);
    const third = await signedIn(clara, '');
    const page = await open(people.admin, '?searchTerm=clara');
    const sheet = await sheetOf(page, clara);
    await expectText(sheet, 'Firefox on Windows', 'Safari on iOS', 'Unknown browser');
    await sheet.getByText('Apps: Heart Companion').waitFor();
    await sheet.getByRole('button', { name: /^Sign out Firefox on Windows, signed in / }).click();
    await expectNotice(page, 'The browser was signed out.');
    await sheet.getByText('Firefox on Windows').waitFor({ state: 'hidden' });
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
    await sheet.getByRole('button', { name: 'Sign out everywhere' }).click();
    await expectNotice(page, 'The user was signed out everywhere.');
    await expectText(sheet, 'No browser is signed in.');
    expect([await isSignedIn(second), await isSignedIn(third)]).toEqual([false, false]);
  });

  it('resets the second factor by the password of the administrator, who is told when it is wrong, and passkeys without an authenticator app', async () => {
    await enableTwoFactor(await signInByPassword(portal, clara));
    const page = await open(people.admin, '?searchTerm=clara');
    const sheet = await sheetOf(page, clara);
    await sheet.getByText(/^Authenticator app since /).waitFor();
    await expectText(sheet, '10 recovery codes left');
    await sheet.getByRole('button', { name: 'Reset second factor' }).click();
    const dialog = await expectDialog(page, 'Reset the second factor of Clara Barton?');
    await expectText(dialog, 'Clara Barton is signed out everywhere.', 'Clara Barton gets a mail about it.');
    browser.expectAnyFailure(400);
    await dialog.getByLabel('Your own password', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await expectText(dialog, 'The current password is wrong.');
    await dialog.getByLabel('Your own password', { exact: true }).fill(people.admin.password);
    await page.keyboard.press('Enter');
    await expectNotice(page, 'The second factor was reset.');
    await dialog.waitFor({ state: 'hidden' });
    await expectText(sheet, 'None', 'No browser is signed in.');
    await mailAbout(sink, clara.email, 'Two-factor authentication for Gatehouse was reset');
    expect((await login(new Agent(portal.issuer), clara)).json()).toEqual({ is2faEnabled: false });

    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    const { device } = await addPasskey(await signInByPassword(portal, clara));
    await sheetOf(page, clara);
    await expectText(sheet, '1 passkey');
    await sheet.getByRole('button', { name: 'Reset second factor' }).click();
    await dialog.getByLabel('Your own password', { exact: true }).fill(people.admin.password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await expectText(sheet, 'None');
    expect((await signInByPasskey(new Agent(portal.issuer), device)).status).toBe(400);
  });

  it('resets the second factor by a code of the administrator who has one', async () => {
    await enableTwoFactor(await signInByPassword(portal, clara));
    const page = await open(strongAdmin, '?searchTerm=clara');
    const admin = new Agent(portal.issuer);
    for (const { name, value } of await page.context().cookies()) admin.cookies.set(name, value);
    const factor = await enableTwoFactor(admin);
    await page.context().addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url: portal.issuer })));
    await ageAcceptedCodes(portal);
    const sheet = await sheetOf(page, clara);
    await sheet.getByRole('button', { name: 'Reset second factor' }).click();
    const dialog = await expectDialog(page, 'Reset the second factor of Clara Barton?');
    await dialog.getByLabel('Code from your authenticator app').fill(authenticatorCode(factor.key));
    await dialog.getByRole('button', { name: 'Reset second factor' }).click();
    await expectNotice(page, 'The second factor was reset.');
    await expectText(sheet, 'None');
  });

  it('fits every look while the user is locked out and signed in', async () => {
    await signedIn(ada, firefox);
    await signedIn(ada, safari);
    await enableTwoFactor(await signInByPassword(portal, ada));
    await signedIn(ada, safari);
    await lockOut(ada);
    await expectFitInEveryLook(browser, {
      'The sheet': async (page) => {
        await signInByApi(page, portal.issuer, people.admin);
        await page.goto(`${portal.issuer}${path}?searchTerm=byron`);
        await expectPage(page, path, 'Users');
        await sheetOf(page, ada);
      },
      'The reset of the second factor': async (page) => {
        await page.getByRole('button', { name: 'Reset second factor' }).click();
        await page.getByLabel('Your own password', { exact: true }).waitFor();
      },
    });
  });
});
