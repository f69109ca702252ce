import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import {
  chooseFromAccountMenu,
  expectDialog,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signIn,
  signInByApi,
} from '../../support/browser/pages.js';
import { type DeviceKind, VirtualAuthenticator } from '../../support/browser/virtual-authenticator.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { inTurn, itInLongRun } from '../../support/runs.js';
import { enableTwoFactor, signInByPassword } from '../../support/users/authenticator.js';
import { addPasskey } from '../../support/users/passkey-device.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const { patient, admin } = people;
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: Object.values(people), clients: [publicApp] } });
});
afterEach(async () => {
  await browser.closePages();
  await portal.query('TRUNCATE passkey, passkey_offer, two_factor, rate_limit');
});
afterAll(() => portal.close());

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const settingsOf = async (page: Page, person = patient as typeof admin | typeof patient) => {
  const area = person.userType === 'Admin' ? '/admin' : '/user';
  await signInByApi(page, portal.issuer, person);
  await page.goto(`${portal.issuer}${area}/account-settings`);
  await page.getByText('0 of 10 passkeys').waitFor();
};
/** A page in a browser whose device has a passkey of this user. */
const withPasskey = async (
  person = patient as typeof admin | typeof patient,
  kind: DeviceKind = 'platform',
  size?: { width: number; height: number },
) => {
  const page = await browser.open(size);
  const device = await VirtualAuthenticator.connect(page, kind);
  const facts = kind === 'roaming' ? { attachment: 'cross-platform', transports: ['usb'] } : {};
  await device.hold((await addPasskey(await signInByPassword(portal, person), facts)).device);
  return { page, device };
};
/** A sentence that alarms no user: the page has nothing but it that is new. */
const expectQuiet = async (page: Page, sentence: string) => {
  await page.getByRole('status').getByText(sentence, { exact: true }).waitFor();
  await page.locator('.ant-btn-loading').waitFor({ state: 'detached' });
  expect(await page.locator('main').getByRole('alert').getByRole('listitem').count()).toBe(0);
};
const withoutAutofill = (page: Page) =>
  page.addInitScript('delete window.PublicKeyCredential?.isConditionalMediationAvailable');
/** Ends the session. A page that still waits for an answer would go to the sign-in by itself when it comes. */
const endSession = async (page: Page) => {
  await page.goto('about:blank');
  await page.context().clearCookies();
};
/** The sign-in page of a browser that offers no passkeys in fields, where the simulated device would answer at once. */
const signedOut = async (page: Page) => {
  await withoutAutofill(page);
  await endSession(page);
  await page.goto(`${portal.issuer}/login`);
  await expectLogin(page);
};

describe('A user with a passkey', () => {
  it.each(
    inTurn(
      [
        ['a patient on a phone', patient, 'platform', { width: 390, height: 844 }, '/user/grants', 'Manage Apps'],
        [
          'an administrator with a security key',
          admin,
          'roaming',
          { width: 1280, height: 800 },
          '/admin/dashboard',
          'Dashboard',
        ],
      ] as const,
      0,
    ),
  )('signs in without name and password: %s', async (_name, person, kind, size, path, heading) => {
    const { page } = await withPasskey(person, kind, size);
    await signedOut(page);
    await button(page, 'Sign in with a passkey').click();
    await expectPage(page, path, heading);
    await signedOut(page);
    expect(await button(page, 'Sign in with a passkey').getAttribute('class')).toContain('ant-btn-primary');
  });

  itInLongRun('signs in by choosing it in the field of the address', async () => {
    const { page } = await withPasskey();
    await page.goto(`${portal.issuer}/login`);
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('continues to the app that asked for the sign-in', async () => {
    const { page } = await withPasskey();
    await withoutAutofill(page);
    await page.goto(`${portal.issuer}/connect/authorize?${new SmartApp(portal, { scope: 'patient/Goal.rs' }).query()}`);
    await expectLogin(page);
    await button(page, 'Sign in with a passkey').click();
    await page.waitForURL(({ pathname }) => pathname !== '/login');
    await page.getByText(publicApp.clientName).first().waitFor();
  });

  // The kind of device, in turn with the tests above and below, which have both.
  itInLongRun.each(['platform', 'roaming'] as const)(
    'uses it instead of the code of an authenticator app, also after stopping: %s',
    async (kind) => {
      const { page, device } = await withPasskey(patient, kind);
      await enableTwoFactor(await signInByPassword(portal, patient));
      await signedOut(page);
      await signIn(page, patient);
      await device.setUserVerified(false);
      await button(page, 'Use a passkey').press('Enter');
      await expectQuiet(page, 'No passkey was used.');
      await device.setUserVerified(true);
      await button(page, 'Use a passkey').press('Enter');
      await expectPage(page, '/user/grants', 'Manage Apps');
    },
  );

  itInLongRun(
    'keeps the page as it is when the time runs out or the device does not verify the user, and can use the password',
    async () => {
      const { page, device } = await withPasskey();
      await signedOut(page);
      await device.setTouched(false);
      const options = '**/api/passkeys/sign-in/options';
      await page.route(options, async (route) => {
        const response = await route.fetch();
        const { publicKey } = (await response.json()) as { publicKey: object };
        await route.fulfill({ response, json: { publicKey: { ...publicKey, timeout: 1000 } } });
      });
      await page.getByLabel('Email', { exact: true }).fill(patient.email);
      await button(page, 'Sign in with a passkey').click();
      await expectQuiet(page, 'No passkey was used.');
      expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe(patient.email);
      await page.unroute(options);
      await button(page, 'Sign in with a passkey').and(page.locator(':not(.ant-btn-loading)')).waitFor();

      await device.setTouched(true);
      await device.setUserVerified(false);
      const asked = page.waitForResponse('**/api/passkeys/sign-in/options');
      await button(page, 'Sign in with a passkey').click();
      await asked;
      await expectQuiet(page, 'No passkey was used.');
      expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe(patient.email);
      await signIn(page, patient);
      await expectPage(page, '/user/grants', 'Manage Apps');
    },
  );

  itInLongRun('sees a message when it was removed meanwhile', async () => {
    browser.expectError(/status of 400/);
    const { page } = await withPasskey();
    await portal.query('DELETE FROM passkey');
    await signedOut(page);
    await button(page, 'Sign in with a passkey').click();
    await page.getByRole('alert').getByText('This portal does not know this passkey').waitFor();
  });
});

describe('The passkeys of the account settings', () => {
  it.each(
    inTurn(
      [
        ['platform', 'Linux computer'],
        ['roaming', 'Security key'],
      ] as const,
      0,
    ),
  )('are added, renamed and removed by keyboard, and give the focus back: %s', async (kind, name) => {
    const page = await browser.open();
    const device = await VirtualAuthenticator.connect(page, kind);
    await settingsOf(page);
    await expectText(page, 'No passkeys yet');
    await device.setUserVerified(false);
    await button(page, 'Add a passkey').press('Enter');
    await expectQuiet(page, 'No passkey was added to your account.');
    await expectText(page, 'No passkeys yet');
    await device.setUserVerified(true);
    await button(page, 'Add a passkey').press('Enter');
    await expectNotice(page, 'Passkey created');
    expect(await page.getByText('No passkey was added to your account.').count()).toBe(0);
    await expectText(page, name, 'Never used', '1 of 10 passkeys');
    await button(page, `Rename ${name}`).press('Enter');
    await expectDialog(page, 'Rename passkey');
    await page.getByLabel('Name', { exact: true }).last().fill('Kitchen laptop');
    await page.keyboard.press('Enter');
    await expectNotice(page, 'Passkey renamed');
    await button(page, 'Remove Kitchen laptop').press('Enter');
    await expectDialog(page, 'Remove Kitchen laptop?');
    await expectText(page, 'It is your last passkey: after this you sign in with your password.');
    await button(page, 'Remove').press('Enter');
    await expectNotice(page, 'Passkey removed');
    await expectText(page, 'No passkeys yet');
  });

  itInLongRun('are not made twice on one device', async () => {
    const { page, device } = await withPasskey();
    await signInByApi(page, portal.issuer, patient);
    await page.goto(`${portal.issuer}/user/account-settings`);
    await button(page, 'Add a passkey').click();
    await page.getByText('This device has a passkey for your account already.').waitFor();
    expect(await device.credentials()).toBe(1);
  });

  itInLongRun('ask for the password where the sign-in is old', async () => {
    browser.expectError(/status of 400/);
    const page = await browser.open();
    await VirtualAuthenticator.connect(page);
    await signInByApi(page, portal.issuer, patient);
    await portal.query(
      `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 400)) WHERE model = 'Session'`,
    );
    await page.goto(`${portal.issuer}/user/account-settings`);
    await page.getByText('0 of 10 passkeys').waitFor();
    await button(page, 'Add a passkey').click();
    const dialog = await expectDialog(page, 'Add a passkey');
    await dialog.getByLabel('Current password').fill('wrong-password');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('The current password is wrong.').waitFor();
    await dialog.getByLabel('Current password').fill(patient.password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expectNotice(page, 'Passkey created');

    await button(page, 'Remove Linux computer').click();
    const removal = await expectDialog(page, 'Remove Linux computer?');
    await removal.getByLabel('Current password').fill('wrong-password');
    await removal.getByRole('button', { name: 'Remove' }).click();
    await removal.getByText('The current password is wrong.').waitFor();
    await removal.getByLabel('Current password').fill(patient.password);
    await removal.getByRole('button', { name: 'Remove' }).click();
    await expectNotice(page, 'Passkey removed');
  });

  itInLongRun('fit every look, without accessibility violations', async () => {
    await addPasskey(await signInByPassword(portal, patient), {}, 'Linux computer');
    await expectFitInEveryLook(browser, async (shown) => {
      await signInByApi(shown, portal.issuer, patient);
      await shown.goto(`${portal.issuer}/user/account-settings`);
      await expectText(shown, 'Linux computer');
    });
  });
});

describe('The offer after a sign-in with a password', () => {
  itInLongRun('makes a passkey, and the sign-in continues', async () => {
    const page = await browser.open();
    const device = await VirtualAuthenticator.connect(page);
    await page.goto(`${portal.issuer}/login`);
    await signIn(page, patient);
    await expectPage(page, '/login', 'Sign in faster next time');
    await device.setUserVerified(false);
    await button(page, 'Create a passkey').click();
    await expectQuiet(page, 'No passkey was added to your account.');
    await device.setUserVerified(true);
    await button(page, 'Create a passkey').click();
    await expectPage(page, '/user/grants', 'Manage Apps');
    await expectNotice(page, 'Passkey created');
    expect(await portal.query('SELECT FROM passkey')).toHaveLength(1);
  });

  itInLongRun('continues with Not now, and is not made again the next day', async () => {
    const page = await browser.open();
    await VirtualAuthenticator.connect(page);
    await page.goto(`${portal.issuer}/login`);
    await signIn(page, patient);
    await expectPage(page, '/login', 'Sign in faster next time');
    await button(page, 'Not now').click();
    await expectPage(page, '/user/grants', 'Manage Apps');
    await signedOut(page);
    await signIn(page, patient);
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('is not made on a device that makes no passkeys', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/login`);
    await signIn(page, patient);
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('fits every look, without accessibility violations', async () => {
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await VirtualAuthenticator.connect(page);
        await page.goto(`${portal.issuer}/login`);
        await signIn(page, patient);
        await expectPage(page, '/login', 'Sign in faster next time');
      },
      { number: 1 },
    );
  });
});

const lacking = [
  [
    'resident keys',
    [
      ['roaming', 'a security key that keeps no passkeys'],
      ['platform', 'a laptop that keeps no passkeys'],
    ],
  ],
  [
    'user verification',
    [
      ['roaming', 'a security key without a PIN'],
      ['platform', 'a laptop that does not verify its user'],
    ],
  ],
] as const;

describe.each(lacking.flatMap(([lacks, kinds]) => kinds.map(([kind, name]) => ({ lacks, kind, name }))))(
  'A user with $name',
  ({ lacks, kind }) => {
    itInLongRun('makes no passkey and uses none, reads why, and signs in with the password', async () => {
      const page = await browser.open();
      const device = await VirtualAuthenticator.connect(page, kind, lacks);
      await settingsOf(page);
      await button(page, 'Add a passkey').click();
      await page.getByText(/^No passkey was added to your account/).waitFor();
      expect([await device.credentials(), await portal.query('SELECT FROM passkey')]).toEqual([0, []]);
      await portal.query('INSERT INTO passkey_offer SELECT id, 3, now() FROM account');
      await signedOut(page);
      await button(page, 'Sign in with a passkey').click();
      await expectQuiet(page, 'No passkey was used.');
      await signIn(page, patient);
      await expectPage(page, '/user/grants', 'Manage Apps');
    });
  },
);

describe('A browser without passkeys', () => {
  itInLongRun(
    'at an IP address, where WebAuthn has no relying party, has no button for them on the sign-in page',
    async () => {
      const page = await browser.open();
      const address = portal.issuer.replace('localhost', '127.0.0.1');
      await page.route(`${address}/**`, async (route) => {
        const url = route.request().url().replace(address, portal.issuer);
        await route.fulfill({ response: await route.fetch({ url }) });
      });
      await page.goto(`${address}/login`);
      await expectLogin(page);
      expect(await button(page, 'Sign in with a passkey').count()).toBe(0);
    },
  );

  it('without WebAuthn has no button for them, signs in with a password, and says in the settings that it makes none', async () => {
    const page = await browser.open();
    await page.addInitScript('delete window.PublicKeyCredential');
    await page.goto(`${portal.issuer}/login`);
    await expectLogin(page);
    expect(await button(page, 'Sign in with a passkey').count()).toBe(0);
    await signIn(page, patient);
    await expectPage(page, '/user/grants', 'Manage Apps');
    await chooseFromAccountMenu(page, patient, 'Account settings');
    await expectText(page, 'This browser cannot make passkeys.');
    expect(await button(page, 'Add a passkey').count()).toBe(0);
  });

  itInLongRun(
    'of an early kind, which cannot tell whether its device makes them, goes on after the sign-in',
    async () => {
      const page = await browser.open();
      await withoutAutofill(page);
      await page.addInitScript('delete window.PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable');
      await page.goto(`${portal.issuer}/login`);
      await signIn(page, patient);
      await expectPage(page, '/user/grants', 'Manage Apps');
    },
  );
});
