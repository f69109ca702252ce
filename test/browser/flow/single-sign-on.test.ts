import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import {
  chooseFromAccountMenu,
  expectBackInApp,
  expectConsent,
  expectLogin,
  expectPage,
  expectText,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/providers/identity-provider.js';
import { itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let provider: TestIdentityProvider;
let app: StaticApp;
let portal: TestPortal;
/** A portal whose only login method is the provider. */
let single: TestPortal;

beforeAll(async () => {
  provider = await startIdentityProvider();
  app = await startCallbackApp();
  const entry = { allowedGroups: ['patients', 'staff'], adminGroups: ['portal-admins'] };
  single = await startPortal({
    config: {
      account: { localLogin: false },
      users: [people.admin],
      identityProviders: [provider.entry({ ...entry, scheme: 'single', logoutMethod: 'single' })],
    },
  });
  portal = await startPortal({
    config: {
      users: [people.admin, people.patient],
      clients: [{ ...publicApp, redirectUris: [`${app.url}/callback`] }],
      identityProviders: [provider.entry(entry)],
      branding: { organizationTitle: 'Lakeside Hospital' },
    },
  });
});

afterAll(async () => {
  await portal.close();
  await single.close();
  await app.close();
  await provider.close();
});

/** The provider's own page, at its own address. */
async function expectProvider(page: Page): Promise<void> {
  await page.waitForURL((url) => url.origin === provider.authority);
  await page.getByRole('heading', { level: 1, name: 'Hospital ID' }).waitFor();
}

async function signInThere(page: Page, subject: string): Promise<void> {
  await expectProvider(page);
  await page.getByLabel('Name').fill(subject);
  await page.getByRole('button', { name: 'Go on' }).click();
}

const continueWith = (page: Page) => page.getByRole('link', { name: 'Continue with Hospital ID' });

async function comeAs(page: Page, subject: string): Promise<void> {
  await page.goto(`${portal.issuer}/login`);
  await expectLogin(page);
  await continueWith(page).click();
  await signInThere(page, subject);
}

describe('Single sign-on', () => {
  beforeAll(() => provider.trust(portal));

  it('leads from the app to the provider by keyboard, to consent and back to the app', async () => {
    const page = await browser.open();
    const smartApp = new SmartApp(portal, { parameters: { redirect_uri: `${app.url}/callback` } });
    await page.goto(`${portal.issuer}/connect/authorize?${smartApp.query()}`);
    await expectLogin(page);
    await continueWith(page).waitFor();
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Tab');
      if (await continueWith(page).evaluate((link) => link === link.ownerDocument.activeElement)) break;
    }
    await page.keyboard.press('Enter');
    await signInThere(page, 'grace');
    const consent = await expectConsent(page, publicApp.clientName);
    await consent.accept.click();
    const answer = await expectBackInApp(page, `${app.url}/callback`);
    expect(answer.get('state')).toBe(smartApp.state);
    expect(answer.get('code')).not.toBeNull();
  });

  itInLongRun('leads administrators to their dashboard', async () => {
    const page = await browser.open();
    await comeAs(page, 'root');
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    await page.getByRole('button', { name: 'Account menu of Rita Root' }).waitFor();
  });

  itInLongRun('leaves password and second factor to the provider', async () => {
    const page = await browser.open();
    await comeAs(page, 'no-email');
    await expectPage(page, '/user/grants', 'Manage Apps');
    await chooseFromAccountMenu(page, { fullName: 'Nora Nomail' }, 'Account settings');
    await expectPage(page, '/user/account-settings', 'Account settings');
    await expectText(page, 'Personal Information', 'Nora Nomail', 'No value set');
    expect(await page.getByText('Password and Security').count()).toBe(0);
    expect(await page.getByText('Two-factor Authentication').count()).toBe(0);
  });

  itInLongRun('shows the error of the provider, and both login methods', async () => {
    const page = await browser.open();
    await comeAs(page, 'double');
    const login = await expectLogin(page);
    await login.expectErrors(
      'You have an account here with this e-mail address. Sign in with its password. If that does not help, contact your administrator.',
    );
    await login.signIn(people.patient);
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('returns to the request of the app when the user cancels at the provider', async () => {
    const page = await browser.open();
    const smartApp = new SmartApp(portal, { parameters: { redirect_uri: `${app.url}/callback` } });
    await page.goto(`${portal.issuer}/connect/authorize?${smartApp.query()}`);
    await continueWith(page).click();
    await expectProvider(page);
    await page.getByRole('button', { name: 'Leave' }).click();
    const login = await expectLogin(page);
    await login.expectErrors('You are not signed in. The sign-in with your provider was cancelled or refused.');
    await login.signIn(people.patient);
    await expectConsent(page, publicApp.clientName);
  });

  itInLongRun('explains to a user that the account is incomplete', async () => {
    const page = await browser.open();
    await comeAs(page, 'no-record');
    await expectPage(page, '/account/error', 'Your account is not ready');
    await page.getByRole('button', { name: 'Go to Login' }).click();
    await expectLogin(page);
  });

  it('K-01 shows an error page for an unexpected answer', async () => {
    browser.expectFailure('/federation/hospital/signin', 400);
    const page = await browser.open();
    await page.goto(`${portal.issuer}/federation/hospital/signin?code=any&state=made-up`);
    await page.getByRole('heading', { level: 1, name: 'Oh no!' }).waitFor();
  });

  itInLongRun('has an accessible button', async () => {
    await expectFitInEveryLook(browser, async (page) => {
      await page.goto(`${portal.issuer}/login?error=account-exists`);
      await expectLogin(page);
      await continueWith(page).waitFor();
    });
  });
});

describe('An identity provider that is the only login method', () => {
  beforeAll(() => provider.trust(single, 'single'));

  itInLongRun('is opened directly, and not after signing out', async () => {
    const page = await browser.open();
    await page.goto(`${single.issuer}/login`);
    await signInThere(page, 'otto');
    await expectPage(page, '/user/grants', 'Manage Apps');
    await chooseFromAccountMenu(page, { fullName: 'Otto Stone' }, 'Logout');
    // Single sign-out: the provider asks for confirmation, and redirects back.
    await page.waitForURL((url) => url.origin === provider.authority);
    await page.getByRole('button', { name: /yes/i }).click();
    await expectPage(page, '/login', 'Sign in');
    await continueWith(page).waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
    await continueWith(page).click();
    await expectProvider(page);
  });

  it('K-13 is not opened again after an error', async () => {
    const page = await browser.open();
    await page.goto(`${single.issuer}/login`);
    await signInThere(page, 'stranger');
    await expectPage(page, '/login', 'Sign in');
    await expectText(page, 'You have no account here, or may not use it this way. Please contact your administrator.');
    await continueWith(page).waitFor();
  });

  itInLongRun('explains to a user that the account is incomplete, without a link to local login', async () => {
    const page = await browser.open();
    await page.goto(`${single.issuer}/login`);
    await signInThere(page, 'no-record');
    await expectPage(page, '/account/error', 'Your account is not ready');
    expect(await page.getByRole('button', { name: 'Go to Login' }).count()).toBe(0);
  });
});
