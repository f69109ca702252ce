import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectBackInApp, expectLogin, expectNotice, expectPage, signIn } from '../../support/browser/pages.js';
import { VirtualAuthenticator } from '../../support/browser/virtual-authenticator.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { inTurn, itInLongRun } from '../../support/runs.js';
import { password } from '../../support/users/account-links.js';
import { login } from '../../support/users/authenticator.js';
import { type Credentials, people } from '../../support/users/people.js';

const browser = useBrowser();
const { admin, patient, practitioner } = people;
const title = 'One more step: a passkey';
let callback: StaticApp;
let sink: MailSink;
let portal: TestPortal;
let client: typeof publicApp;

beforeAll(async () => {
  sink = await startMailSink();
  callback = await startCallbackApp();
  client = { ...publicApp, requireConsent: false, redirectUris: [`${callback.url}/callback`] };
  portal = await startPortal({
    config: {
      email: sink.config,
      users: Object.values(people),
      clients: [client],
      account: { passkeys: 'required' },
    },
  });
});
afterEach(async () => {
  await browser.closePages();
  await portal.query('TRUNCATE passkey, passkey_challenge, rate_limit');
});
afterAll(async () => {
  await portal.close();
  await callback.close();
  await sink.stop();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** A device that would answer at once where a field offers passkeys does not. */
const withoutAutofill = (page: Page) =>
  page.addInitScript('delete window.PublicKeyCredential?.isConditionalMediationAvailable');
const withoutPasskeys = (page: Page) => page.addInitScript('delete window.PublicKeyCredential');
const asked = async (page: Page, person: Credentials, address = `${portal.issuer}/login`) => {
  await page.goto(address);
  await signIn(page, person);
  await expectPage(page, '/login', title);
};
const request = (parameters: Record<string, string> = {}) =>
  new SmartApp(portal, { scope: 'openid', parameters: { redirect_uri: `${callback.url}/callback`, ...parameters } });
const makeSessionsOld = () =>
  portal.query(
    "UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 400)) WHERE model = 'Session'",
  );

describe('After a sign-in with a password, a portal that requires passkeys', () => {
  it.each(
    inTurn(
      [
        ['a patient on a phone or laptop', patient, 'platform', '/user/grants', 'Manage Apps'],
        ['an administrator with a security key', admin, 'roaming', '/admin/dashboard', 'Dashboard'],
        ['a practitioner with a security key', practitioner, 'roaming', '/user/grants', 'Manage Apps'],
      ] as const,
      0,
    ),
  )('lets %s make one, and does not ask again', async (_name, person, kind, path, heading) => {
    const page = await browser.open();
    await withoutAutofill(page);
    await VirtualAuthenticator.connect(page, kind);
    await asked(page, person);
    await button(page, 'Create a passkey').click();
    await expectPage(page, path, heading);
    await expectNotice(page, 'Passkey created');
    await page.goto('about:blank');
    await page.context().clearCookies();
    await page.goto(`${portal.issuer}/login`);
    await signIn(page, person);
    await expectPage(page, path, heading);
  });

  itInLongRun.each([
    ['a patient', patient, '/user/grants', 'Manage Apps'],
    ['a practitioner', practitioner, '/user/grants', 'Manage Apps'],
    ['an administrator', admin, '/admin/dashboard', 'Dashboard'],
  ] as const)('lets %s go on without one, and asks again at the next sign-in', async (_name, person, path, heading) => {
    const page = await browser.open();
    for (const _ of [1, 2]) {
      await asked(page, person);
      await button(page, 'Not on this device').click();
      await expectPage(page, path, heading);
      await page.goto('about:blank');
      await page.context().clearCookies();
    }
  });

  itInLongRun('says what to do in a browser without passkeys, and has no button for one', async () => {
    const page = await browser.open();
    await withoutPasskeys(page);
    await asked(page, patient);
    await page.getByText('This browser cannot make passkeys.').waitFor();
    expect(await button(page, 'Create a passkey').count()).toBe(0);
    await button(page, 'Not on this device').click();
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun.each([
    ['with a passkey', 'Create a passkey'],
    ['without one', 'Not on this device'],
  ] as const)(
    'goes on to the app that asked for the sign-in, %s, and does not stop later requests, also those without pages',
    async (_name, answer) => {
      const page = await browser.open({ width: 390, height: 844 });
      await withoutAutofill(page);
      await VirtualAuthenticator.connect(page);
      await asked(page, patient, portal.issuer + request().authorizationPath);
      await page.getByText(`Next: you continue to`).waitFor();
      await button(page, answer).click();
      expect((await expectBackInApp(page, `${callback.url}/callback`)).get('code')).toEqual(expect.any(String));
      await page.goto(portal.issuer + request({ prompt: 'none' }).authorizationPath);
      expect((await expectBackInApp(page, `${callback.url}/callback`)).get('code')).toEqual(expect.any(String));
    },
  );

  itInLongRun('stays as it is when the user stops, and says what to do when the sign-in has become old', async () => {
    browser.expectError(/status of 400/);
    const page = await browser.open();
    const device = await VirtualAuthenticator.connect(page);
    await withoutAutofill(page);
    await device.setUserVerified(false);
    await asked(page, patient);
    await button(page, 'Create a passkey').click();
    await page.locator('.ant-btn-loading').waitFor({ state: 'detached' });
    await expectPage(page, '/login', title);
    await makeSessionsOld();
    await button(page, 'Create a passkey').click();
    await page.getByRole('alert').getByText('You signed in more than five minutes ago.').waitFor();
    await button(page, 'Not on this device').click();
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('is answered by keyboard', async () => {
    const page = await browser.open();
    await withoutAutofill(page);
    await VirtualAuthenticator.connect(page);
    await asked(page, patient);
    await button(page, 'Create a passkey').press('Enter');
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun.each([
    ['a browser with passkeys', 0, () => undefined],
    ['a browser without passkeys', 1, withoutPasskeys],
  ])('fits every look, without accessibility violations, in %s', async (_name, number, prepare) => {
    const show = async (page: Page) => {
      await prepare(page);
      await asked(page, patient);
    };
    await expectFitInEveryLook(browser, show, { number });
  });
});

describe('The page of an invitation, where passkeys are required', () => {
  let number = 0;
  const invited = async () => {
    number += 1;
    const email = `required-${number}@example.org`;
    const agent = new Agent(portal.issuer);
    await login(agent, admin);
    const claims = [{ name: 'fhirUser', value: `Patient/${number}` }];
    await agent.post('/api/admin/user', { fullName: 'Ida Field', email, userType: 'Patient', claims });
    return { email, url: linkInMail(await sink.to(email)).url };
  };

  itInLongRun('asks for a passkey first', async () => {
    const { url } = await invited();
    const page = await browser.open({ width: 390, height: 844 });
    await withoutAutofill(page);
    await VirtualAuthenticator.connect(page);
    await page.goto(url);
    await button(page, 'Create a passkey').waitFor();
    expect(await page.getByLabel('New password').count()).toBe(0);
    await button(page, 'Create a passkey').press('Enter');
    await expectNotice(page, 'Your passkey was created. Sign in with it.');
    await expectLogin(page);
    await button(page, 'Sign in with a passkey').click();
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('takes a password from a user who has no such device, by keyboard', async () => {
    const { email, url } = await invited();
    const page = await browser.open();
    await page.goto(url);
    await button(page, 'Not on this device').press('Enter');
    await page.locator(':focus').and(page.getByLabel('New password')).waitFor();
    await page.keyboard.type(password);
    await page.getByLabel('Confirm password').fill(password);
    await button(page, 'Activate account').press('Enter');
    await expectNotice(page, 'Your account is active. Sign in with your new password.');
    expect((await login(new Agent(portal.issuer), { email, password })).status).toBe(200);
  });

  itInLongRun('asks for a password alone in a browser without passkeys', async () => {
    const { url } = await invited();
    const page = await browser.open();
    await withoutPasskeys(page);
    await page.goto(url);
    await button(page, 'Activate account').waitFor();
    expect(await button(page, 'Create a passkey').count()).toBe(0);
  });

  itInLongRun('fits every look, without accessibility violations', async () => {
    const { url } = await invited();
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await page.goto(url);
        await button(page, 'Not on this device').waitFor();
      },
      { number: 1 },
    );
  });
});
