import type { Page, Route } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { typeAndSubmit } from '../../support/browser/controls.js';
import {
  answerNotFound,
  chooseFromAccountMenu,
  expectDialog,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signIn,
  signInByApi,
} from '../../support/browser/pages.js';
import { Agent } from '../../support/http/agent.js';
import { type MailSink, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { inTurn, itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';
import {
  ageAcceptedCodes,
  authenticatorCode,
  login,
  wrongAuthenticatorCode,
} from '../../support/users/authenticator.js';
import { type Person, people } from '../../support/users/people.js';

const browser = useBrowser();
const { admin, patient, otherPatient, practitioner } = people;
const newPassword = 'quiet-lantern-5582';
let portal: TestPortal;
let sink: MailSink;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    config: { email: sink.config, users: [admin, patient, otherPatient, practitioner] },
  });
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

const areaOf = ({ userType }: Person) => (userType === 'Admin' ? '/admin' : '/user');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** The account settings of a signed-in user. */
async function settingsOf(page: Page, person: Person): Promise<void> {
  await signInByApi(page, portal.issuer, person);
  await page.goto(`${portal.issuer}${areaOf(person)}/account-settings`);
  await expectPage(page, `${areaOf(person)}/account-settings`, 'Account settings');
  await page.getByText('This browser').waitFor();
}

describe('A user’s own name', () => {
  itInLongRun.each(
    inTurn(
      [
        ['/admin/dashboard', 'Dashboard', admin],
        ['/user/grants', 'Manage Apps', practitioner],
      ] as const,
      1,
    ),
  )('can be changed through the account menu (from %s)', async (home, heading, person) => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, person);
    await page.goto(portal.issuer + home);
    await expectPage(page, home, heading);
    await chooseFromAccountMenu(page, person, 'Account settings');
    await expectPage(page, `${areaOf(person)}/account-settings`, 'Account settings');
    await expectText(page, person.email);
    await press(page, 'Edit name');
    const name = page.getByLabel('Name', { exact: true });
    await name.and(page.locator(':focus')).waitFor();
    const save = page.getByRole('button', { name: 'Save' });
    expect(await save.isDisabled()).toBe(true);
    await name.fill('  ');
    await expectText(page, 'Name cannot be empty');
    expect(await save.isDisabled()).toBe(true);
    await name.fill(' Alex Gr');
    // With the characters that come right before Enter.
    await typeAndSubmit(name, ' Alex Grey ');
    await expectNotice(page, 'Name was successfully changed.');
    await page.getByRole('button', { name: 'Account menu of Alex Grey' }).waitFor();
    await page.getByRole('button', { name: 'Edit name' }).and(page.locator(':focus')).waitFor();
  });

  itInLongRun(
    'stays unchanged when the form is cancelled, and when the account was deleted, which the page says',
    async () => {
      browser.expectFailure('/api/user', 404);
      const page = await browser.open();
      await settingsOf(page, patient);
      await press(page, 'Edit name');
      await page.getByLabel('Name', { exact: true }).fill('Another Name');
      await press(page, 'Cancel');
      await expectText(page, patient.fullName);
      await press(page, 'Edit name');
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(patient.fullName);
      await answerNotFound(page, '**/api/user', 'PUT');
      await page.getByLabel('Name', { exact: true }).fill('Another Name');
      await press(page, 'Save');
      const gone = await expectDialog(page, 'Oh No!');
      await expectText(gone, 'The request cannot be processed. Please refresh the page and try again.');
    },
  );
});

describe('A user’s own password', () => {
  const fields = (page: Page) => ({
    current: page.getByLabel('Current password'),
    chosen: page.getByLabel('New password', { exact: true }),
    confirmation: page.getByLabel('Confirm new password'),
    save: page.getByRole('button', { name: 'Save' }),
  });

  it('is changed when the new one meets the rules and is repeated, and the user is notified by mail', async () => {
    browser.expectFailure('/api/user/reset-password', 400);
    const page = await browser.open();
    await settingsOf(page, otherPatient);
    await press(page, 'Change password');
    const { current, chosen, confirmation, save } = fields(page);
    await current.and(page.locator(':focus')).waitFor();
    await current.fill('not-the-password-1');
    await chosen.fill('short');
    const rule = page.getByRole('listitem').filter({ hasText: 'At least 12 characters' });
    await rule.filter({ hasText: ': not met yet' }).waitFor();
    expect(await save.isDisabled()).toBe(true);
    expect(await page.getByText('Password requirements not fulfilled.').count()).toBe(0);
    await confirmation.focus();
    await expectText(page, 'Password requirements not fulfilled.');
    await chosen.fill(newPassword);
    expect(await page.getByText('Password requirements not fulfilled.').count()).toBe(0);
    await rule.filter({ hasText: ': met' }).waitFor();
    await confirmation.fill('quiet-lantern');
    await expectText(page, 'Please make sure your password match.');
    expect(await save.isDisabled()).toBe(true);
    await confirmation.fill(newPassword);
    // Another character comes right before Enter: nothing is sent.
    let sent = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/user/reset-password')) sent += 1;
    });
    await typeAndSubmit(confirmation, `${newPassword}x`);
    await expectText(page, 'Please make sure your password match.');
    await confirmation.fill(newPassword);
    await save.click();
    await expectText(page, 'The current password is wrong.');
    expect(sent).toBe(1);
    await current.and(page.locator(':focus')).waitFor();
    await typeAndSubmit(current, otherPatient.password);
    await expectNotice(page, 'Password was successfully changed.');
    await page.getByRole('button', { name: 'Change password' }).and(page.locator(':focus')).waitFor();
    const { mail } = await sink.to(otherPatient.email);
    expect(mail.subject).toBe('Your password for Gatehouse was changed');

    await chooseFromAccountMenu(page, otherPatient, 'Logout');
    await (await expectLogin(page)).signIn({ email: otherPatient.email, password: newPassword });
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('S5-048 is refused with the reason next to its field', async () => {
    browser.expectFailure('/api/user/reset-password', 400);
    const page = await browser.open();
    await settingsOf(page, patient);
    await press(page, 'Change password');
    const { current, chosen, confirmation, save } = fields(page);
    await current.fill(patient.password);
    for (const field of [chosen, confirmation]) await field.fill('password1234');
    await save.click();
    await expectText(
      page,
      'Password requirements not fulfilled.',
      'This password is too common. Please choose one that is harder to guess.',
    );
    await chosen.and(page.locator(':focus')).waitFor();
  });

  itInLongRun('is hidden from users of an identity provider, and so are the two-factor settings', async () => {
    const page = await browser.open();
    await page.route('**/api/session', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...(await answer.json()), isExternal: true, email: null } });
    });
    await settingsOf(page, patient);
    await expectText(page, 'Personal Information', 'No value set', 'Where you are signed in', 'Your data');
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Personal Information',
      'Where you are signed in',
      'Your data',
    ]);
  });
});

describe('Two-factor authentication in the account settings', () => {
  it('is turned on, required at sign-in, passed by a recovery code, and turned off again', async () => {
    browser.expectFailure('/api/twofactor/enable', 400);
    browser.expectFailure('/api/twofactor/disable', 400);
    const page = await browser.open();
    await settingsOf(page, practitioner);
    await press(page, 'Turn on');
    const setup = await expectDialog(page, 'Set up an authenticator app');
    await setup.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    const key = (await setup.locator('code').innerText()).replaceAll(' ', '');
    const code = setup.getByLabel('Enter the 6-digit code that it shows');
    await setup.getByRole('button', { name: 'Turn on' }).click();
    await expectText(setup, 'Field should not be empty.');
    await code.fill('abcdef');
    await setup.getByRole('button', { name: 'Turn on' }).click();
    await expectText(setup, 'This code is not valid. Please enter the next one that your app shows.');
    await code.fill(authenticatorCode(key));
    const shown = await expectDialog(page, 'Save your recovery codes');
    const recoveryCodes = await shown.locator('code').allInnerTexts();
    expect(recoveryCodes).toHaveLength(10);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await shown.getByRole('button', { name: 'Copy codes' }).click();
    await expectNotice(page, 'Copied.');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(recoveryCodes.map((one) => `${one}\n`).join(''));
    await shown.getByLabel('I have stored these codes').check();
    await shown.getByRole('button', { name: 'Confirm' }).click();
    await expectText(page, 'On');
    await page.getByRole('button', { name: 'Turn off' }).and(page.locator(':focus')).waitFor();

    const menu = page.getByRole('button', { name: /^Account menu of/ });
    const signOut = async () => {
      await menu.click();
      await page.getByRole('menuitem', { name: 'Logout' }).click();
      await ageAcceptedCodes(portal);
      await signIn(page, practitioner);
      return expectDialog(page, 'Verify Your Identity');
    };
    const byCode = await signOut();
    await byCode.getByLabel('Code from your authenticator app').fill(authenticatorCode(key));
    await expectPage(page, '/user/grants', 'Manage Apps');
    const byRecovery = await signOut();
    await byRecovery.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await byRecovery.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
    await byRecovery.getByRole('button', { name: 'Verify' }).click();
    await expectPage(page, '/user/grants', 'Manage Apps');

    await ageAcceptedCodes(portal);
    await page.goto(`${portal.issuer}/user/account-settings`);
    await press(page, 'Turn off');
    const disable = await expectDialog(page, 'Turn off the second step?');
    const off = disable.getByRole('button', { name: 'Turn off' });
    await off.click();
    await expectText(disable, 'Field should not be empty.');
    await disable.getByLabel('Code from your authenticator app').fill('abcdef');
    await off.click();
    await expectText(disable, 'This code is not valid. Please enter the next one that your app shows.');
    const wrong = wrongAuthenticatorCode(key);
    await disable.getByLabel('Code from your authenticator app').fill(wrong);
    const refused = disable.getByLabel('Code from your authenticator app').and(page.locator('[aria-invalid=true]'));
    await refused.and(page.locator(':focus')).waitFor();
    await disable.getByLabel('Code from your authenticator app').fill(authenticatorCode(key));
    await expectNotice(page, 'Two-factor authentication is off.');
    await expectText(page, 'Off');
    // The three mails: two-factor turned on, recovery code used, two-factor turned off.
    await sink.to(practitioner.email, 3);
  });

  itInLongRun(
    'is turned on and off on a phone, by a recovery code, with the password again after an old sign-in',
    async () => {
      browser.expectFailure('/api/twofactor/disable-recovery', 400);
      const page = await browser.open({ width: 360, height: 740 });
      await settingsOf(page, patient);
      await press(page, 'Turn on');
      const key = (await page.locator('.ant-modal code').innerText()).replaceAll(' ', '');
      await page.getByLabel('Enter the 6-digit code that it shows').fill(authenticatorCode(key));
      const shown = await expectDialog(page, 'Save your recovery codes');
      const [recoveryCode = ''] = await shown.locator('code').allInnerTexts();
      await shown.getByLabel('I have stored these codes').check();
      await shown.getByRole('button', { name: 'Confirm' }).click();
      await page.waitForLoadState('networkidle');
      await portal.query(
        `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 400))
        WHERE model = 'Session'`,
      );
      await press(page, 'Turn off');
      const disable = await expectDialog(page, 'Turn off the second step?');
      await disable.getByRole('button', { name: 'Use a recovery code instead' }).click();
      await disable.getByLabel('Recovery code').fill(recoveryCode);
      await disable.getByRole('button', { name: 'Turn off' }).click();
      const password = disable.getByLabel('Current password');
      await password.and(page.locator(':focus')).waitFor();
      await password.fill('not-the-password-1');
      await disable.getByRole('button', { name: 'Turn off' }).click();
      await expectText(disable, 'The current password is wrong.');
      await password.fill(patient.password);
      await disable.getByRole('button', { name: 'Turn off' }).click();
      await expectText(page, 'Off');
      expect((await login(new Agent(portal.issuer), patient)).json()).toEqual({ is2faEnabled: false });
    },
  );

  itInLongRun(
    'S8-049 has the focus in its first field as soon as the key is loaded, and is not turned on for a deleted account, which the page says',
    async () => {
      browser.expectFailure('/api/twofactor/enable', 404);
      const page = await browser.open();
      await settingsOf(page, practitioner);
      const waiting: Route[] = [];
      await page.route('**/api/twofactor/enable*', (route) => waiting.push(route));
      const answer = async () => {
        await until(() => waiting.length > 0);
        await waiting.shift()?.continue();
      };
      await press(page, 'Turn on');
      const dialog = await expectDialog(page, 'Set up an authenticator app');
      await answer();
      const field = dialog.getByLabel('Enter the 6-digit code that it shows');
      await field.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Turn on' }).and(page.locator(':focus')).waitFor();

      await page.unroute('**/api/twofactor/enable*');
      await answerNotFound(page, '**/api/twofactor/enable', 'POST');
      await press(page, 'Turn on');
      await page.getByLabel('Enter the 6-digit code that it shows').fill('123456');
      const gone = await expectDialog(page, 'Oh No!');
      await expectText(gone, 'The request cannot be processed. Please refresh the page and try again.');
    },
  );
});

describe('E-15 The list of a user’s sessions', () => {
  it('names each browser, this one first, and all others can be ended by one button', async () => {
    const [firefox, unknown] = [new Agent(portal.issuer), new Agent(portal.issuer)];
    const headers = {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0',
    };
    await firefox.post('/api/session/login', { username: admin.email, password: admin.password }, { headers });
    await login(unknown, admin);
    const page = await browser.open();
    await settingsOf(page, admin);
    const rows = page.getByRole('region', { name: 'Where you are signed in' }).getByRole('listitem');
    const names = (await rows.allInnerTexts()).map((text) => text.split(/\n+/).slice(0, 2));
    expect(names[0]).toEqual(['Chrome on Linux', 'This browser']);
    const named = names.slice(1).map(([name]) => name);
    expect(named).toEqual(expect.arrayContaining(['Firefox on Windows', 'Unknown browser']));
    expect(names.slice(1).flat()).not.toContain('This browser');
    await press(page, 'Sign out everywhere else');
    await expectNotice(page, 'You are signed out everywhere else.');
    await page.getByText('Unknown browser').first().waitFor({ state: 'hidden' });
    expect(await rows.count()).toBe(1);
    for (const other of [firefox, unknown]) expect((await other.get('/api/session')).status).toBe(401);
    await page.reload();
    await expectPage(page, '/admin/account-settings', 'Account settings');
  });
});

describe('the account settings are accessible', () => {
  const forms = async (page: Page) => {
    await press(page, 'Edit name');
    await press(page, 'Change password');
    await page.getByLabel('New password', { exact: true }).fill('quiet');
    await page.getByLabel('Confirm new password').fill('other');
    await expectText(page, 'Please make sure your password match.');
  };

  // They are those of a patient, below.
  itInLongRun('for an administrator who reads and changes them', () =>
    expectFitInEveryLook(browser, { reading: (page) => settingsOf(page, admin), changing: forms }, { number: 0 }),
  );

  itInLongRun('for a patient who reads and changes them and sets the second factor up', () =>
    expectFitInEveryLook(browser, {
      reading: (page) => settingsOf(page, patient),
      'setting the second factor up': async (page) => {
        await press(page, 'Turn on');
        await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
      },
      changing: async (page) => {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        await forms(page);
      },
    }),
  );
});
