import type { Locator, Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectNotice, expectPage, expectText, signIn, signInByApi } from '../../support/browser/pages.js';
import { VirtualAuthenticator } from '../../support/browser/virtual-authenticator.js';
import { Agent } from '../../support/http/agent.js';
import { linkInMail } from '../../support/mail-sink.js';
import { inTurn, itInLongRun } from '../../support/runs.js';
import { password, useAccountLinks } from '../../support/users/account-links.js';
import { login } from '../../support/users/authenticator.js';
import { addPasskey } from '../../support/users/passkey-device.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const links = useAccountLinks();
const { admin } = people;

afterEach(async () => {
  await browser.closePages();
  Object.assign(links.portal.config.account, { adminsNeed: 'password' });
  await links.portal.query('TRUNCATE passkey, passkey_challenge, passkey_offer, two_factor');
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const withoutAutofill = (page: Page) =>
  page.addInitScript('delete window.PublicKeyCredential?.isConditionalMediationAvailable');
const activationLink = async () => {
  const { email } = await links.createInvitedUser();
  return { email, url: linkInMail(await links.sink.to(email)).url };
};
const signedInAgent = async () => {
  const agent = new Agent(links.portal.issuer);
  expect((await login(agent, admin)).status).toBe(200);
  return agent;
};
/** Lets a session be too old to confirm by itself. */
const makeSessionsOld = () =>
  links.portal.query(
    "UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 400)) WHERE model = 'Session'",
  );

describe('The page of an invitation', () => {
  itInLongRun.each(
    inTurn(
      [
        ['a platform authenticator', 'platform', (one: Locator) => one.click()],
        ['a security key, by keyboard', 'roaming', (one: Locator) => one.press('Enter')],
      ] as const,
      1,
    ),
  )('takes a passkey of %s in place of a password', async (_name, kind, press) => {
    const { url } = await activationLink();
    const page = await browser.open({ width: 390, height: 844 });
    await withoutAutofill(page);
    await VirtualAuthenticator.connect(page, kind);
    await page.goto(url);
    await press(button(page, 'Create a passkey instead'));
    await expectNotice(page, 'Your passkey was created. Sign in with it.');
    await press(button(page, 'Sign in with a passkey'));
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('stays as it is when the user stops, says so quietly, and takes a password then', async () => {
    const { email, url } = await activationLink();
    const page = await browser.open();
    await withoutAutofill(page);
    const device = await VirtualAuthenticator.connect(page);
    await device.setUserVerified(false);
    await page.goto(url);
    await page.getByLabel('New password').fill(password);
    await button(page, 'Create a passkey instead').click();
    await page.getByRole('status').getByText('No passkey was added to your account.').waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe(password);
    await page.getByLabel('Confirm password').fill(password);
    await button(page, 'Activate account').click();
    await expectNotice(page, 'Your account is active. Sign in with your new password.');
    expect((await links.signIn(email, password)).status).toBe(200);
  });

  itInLongRun('leads to the error page while the server fails', async () => {
    browser.expectAnyFailure(500);
    const { url } = await activationLink();
    const page = await browser.open();
    await VirtualAuthenticator.connect(page);
    await page.route('**/passkey/options', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(url);
    await button(page, 'Create a passkey instead').click();
    await expectPage(page, '/error/500', 'Server error');
  });

  itInLongRun('has the form of the password alone in a browser without passkeys', async () => {
    const { url } = await activationLink();
    const page = await browser.open();
    await page.addInitScript('delete window.PublicKeyCredential');
    await page.goto(url);
    await button(page, 'Activate account').waitFor();
    expect(await button(page, 'Create a passkey instead').count()).toBe(0);
  });

  itInLongRun('fits every look, without accessibility violations', async () => {
    const { url } = await activationLink();
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await page.goto(url);
        await button(page, 'Create a passkey instead').waitFor();
      },
      { number: 1 },
    );
  });
});

describe('The page for a new password', () => {
  itInLongRun('takes a passkey in place of one, with a recovery code where the account has a passkey', async () => {
    browser.expectError(/status of 400/);
    const { email } = await links.createActiveUser();
    const agent = new Agent(links.portal.issuer);
    await login(agent, { email, password });
    await addPasskey(agent);
    const made = await agent.post('/api/passkeys/recovery/codes', {});
    const [code = ''] = made.json<{ recoveryCodes: string[] }>().recoveryCodes;
    await links.untilAllMailsAreSent();
    await links.requestReset(email);
    const page = await browser.open();
    await withoutAutofill(page);
    await VirtualAuthenticator.connect(page);
    await page.goto(linkInMail(await links.sink.to(email, 4)).url);
    await button(page, 'Create a passkey instead').click();
    await page.locator('.ant-form-item-explain-error').first().waitFor();
    const field = page.getByLabel('Recovery code', { exact: true }).last();
    await field.fill('AAAAAA-AAAAAA');
    await button(page, 'Create a passkey instead').click();
    await expectText(page, 'This recovery code is not valid.');
    await field.fill(code);
    await button(page, 'Create a passkey instead').click();
    await expectNotice(page, 'Your passkey was created. Sign in with it.');
    expect((await links.signIn(email, password)).status).toBe(401);
  });
});

describe('A user with a passkey', () => {
  it('removes the password, confirms by the passkey afterwards, and chooses a password again, by keyboard', async () => {
    const { email } = await links.createActiveUser();
    const page = await browser.open();
    const { issuer } = links.portal;
    await signInByApi(page, issuer, { email, password });
    const device = await VirtualAuthenticator.connect(page);
    await page.goto(`${issuer}/user/account-settings`);
    await button(page, 'Add a passkey').press('Enter');
    await expectNotice(page, 'Passkey created');

    await button(page, 'Remove the password').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Remove your password?' });
    await dialog.getByText('Add a second passkey or make recovery codes before.').waitFor();
    await dialog.getByRole('button', { name: 'Remove the password' }).press('Enter');
    await dialog.getByText('Please use a passkey.').waitFor();
    await device.setUserVerified(false);
    await dialog.getByRole('button', { name: 'Use a passkey' }).press('Enter');
    await dialog.getByRole('status').getByText('No passkey was used.').waitFor();
    await device.setUserVerified(true);
    await dialog.getByRole('button', { name: 'Use a passkey' }).press('Enter');
    await dialog.getByText('Confirmed by a passkey').waitFor();
    await dialog.getByRole('button', { name: 'Remove the password' }).press('Enter');
    await expectNotice(page, 'Your password was removed');
    await expectText(page, 'None: you sign in with your passkeys');
    await page.getByText('sign it out and remove passkeys that you do not know.').waitFor();
    expect((await links.signIn(email, password)).status).toBe(401);

    await button(page, 'Remove Linux computer').press('Enter');
    const refusal = page.getByRole('dialog', { name: 'Remove Linux computer?' });
    await refusal.getByText('Choose a password or add another passkey before you remove it.').waitFor();
    expect(await refusal.getByRole('button').allInnerTexts()).toEqual(['Close']);
    await refusal.getByRole('button', { name: 'Close' }).press('Enter');

    await button(page, 'Choose a password').press('Enter');
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByLabel('Confirm new password').fill(password);
    await button(page, 'Use a passkey').press('Enter');
    await expectText(page, 'Confirmed by a passkey');
    await button(page, 'Save').press('Enter');
    await expectNotice(page, 'Password saved');
    await button(page, 'Remove the password').waitFor();
    expect((await links.signIn(email, password)).status).toBe(200);
  });
});

describe('An administrator of a portal that needs a passkey', () => {
  itInLongRun('is led to add one and to use it, from the page they wanted and back to it', async () => {
    const { issuer } = links.portal;
    Object.assign(links.portal.config.account, { adminsNeed: 'passkey' });
    const page = await browser.open();
    await withoutAutofill(page);
    const device = await VirtualAuthenticator.connect(page);
    await page.goto(`${issuer}/login?${new URLSearchParams({ returnUrl: '/admin/audit' })}`);
    await signIn(page, admin);
    const later = button(page, 'Not now');
    await later.or(button(page, 'Create a passkey')).first().waitFor();
    if (await later.count()) await later.click();
    await expectPage(page, '/admin/stronger-sign-in', 'One more step');
    await device.setUserVerified(false);
    await button(page, 'Create a passkey').click();
    await page.getByRole('status').getByText('No passkey was added to your account.').waitFor();
    await device.setUserVerified(true);
    await button(page, 'Create a passkey').click();
    await expectNotice(page, 'Passkey created');
    await device.setUserVerified(false);
    await button(page, 'Use a passkey').click();
    await page.getByRole('status').getByText('No passkey was used.').waitFor();
    await device.setUserVerified(true);
    await button(page, 'Use a passkey').click();
    await expectPage(page, '/admin/audit', 'Audit');
  });

  itInLongRun(
    'is led to it from an open page when the setting changes, and asked for the password after a while',
    async () => {
      browser.expectError(/status of 403/);
      const { issuer } = links.portal;
      const page = await browser.open();
      await VirtualAuthenticator.connect(page);
      await signInByApi(page, issuer, admin);
      await page.goto(`${issuer}/admin/dashboard`);
      await expectPage(page, '/admin/dashboard', 'Dashboard');
      Object.assign(links.portal.config.account, { adminsNeed: 'passkey' });
      await makeSessionsOld();
      // Unless a call of the dashboard itself was first.
      await page
        .getByRole('link', { name: 'Users' })
        .first()
        .click({ timeout: 5000 })
        .catch(() => undefined);
      await expectPage(page, '/admin/stronger-sign-in', 'One more step');
      await page.getByLabel('Current password').fill(admin.password);
      await button(page, 'Create a passkey').press('Enter');
      await button(page, 'Use a passkey').press('Enter');
      await page.waitForURL(/\/admin\/(dashboard|user-management)$/);
    },
  );

  it('is led to it from a change of the own account when the setting changes, and back', async () => {
    browser.expectError(/status of 403/);
    const { issuer } = links.portal;
    const { device } = await addPasskey(await signedInAgent());
    const page = await browser.open();
    const authenticator = await VirtualAuthenticator.connect(page);
    await authenticator.hold(device);
    await signInByApi(page, issuer, admin);
    await page.goto(`${issuer}/admin/account-settings`);
    await expectPage(page, '/admin/account-settings', 'Account settings');
    Object.assign(links.portal.config.account, { adminsNeed: 'passkey' });
    await button(page, 'Download').click();
    await expectPage(page, '/admin/stronger-sign-in', 'One more step');
    await button(page, 'Use a passkey').click();
    await expectPage(page, '/admin/account-settings', 'Account settings');
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
    expect(download.suggestedFilename()).toMatch(/^my-data-/);
  });

  itInLongRun('sees pages that fit every look where a passkey, or a second factor, is needed', () => {
    const needing = (adminsNeed: 'passkey' | 'two-factor', offered: string) => async (page: Page) => {
      Object.assign(links.portal.config.account, { adminsNeed });
      await signInByApi(page, links.portal.issuer, admin);
      await page.goto(`${links.portal.issuer}/admin/stronger-sign-in`);
      await button(page, offered).waitFor();
    };
    return expectFitInEveryLook(browser, {
      'a passkey': needing('passkey', 'Create a passkey'),
      'a second factor': needing('two-factor', 'Turn on'),
    });
  });
});
