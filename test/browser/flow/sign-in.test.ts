import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import {
  chooseFromAccountMenu,
  expectDialog,
  expectLogin,
  expectPage,
  expectText,
  signIn,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { inTurn, isLong, itInLongRun } from '../../support/runs.js';
import { eventually } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const organizationTitle = 'Lakeside </title><script>alert(1)</script> Hospital';
const loginPageText = 'Use your <b onclick="alert(1)">hospital</b> account.';

const browser = useBrowser();
/** A page that is still there would notice the end by itself, and go to the sign-in page meanwhile. */
const endSession = async (page: Page) => {
  await page.goto('about:blank');
  await page.context().clearCookies();
};
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.admin, people.patient, people.otherPatient],
      clients: [publicApp],
      branding: { organizationTitle, loginPageText, accentColor: '#7A1FA2' },
    },
  });
});

afterAll(() => portal.close());

describe('The sign-in page', () => {
  itInLongRun('L-05 shows the organization and its text unchanged, and links to the start page', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/login`);
    await expectText(page, organizationTitle, loginPageText);
    expect(await page.title()).toBe(organizationTitle);
    await signIn(page, people.patient);
    await expectPage(page, '/user/grants', 'Manage Apps');
    await expectText(page, people.patient.fullName, 'Patient', 'No Applications Yet');
  });

  itInLongRun('has the accent of the branding, in light and dark, which error pages do not have', async () => {
    const page = await browser.open();
    // The page is rendered again some time after the scheme has changed.
    const expectAccent = async (accents: Record<'light' | 'dark', string>) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator('main .ant-btn-primary').waitFor();
        const accent = () =>
          page.evaluate("getComputedStyle(document.querySelector('main .ant-btn-primary')).backgroundColor");
        await eventually(async () => expect(await accent()).toBe(accents[colorScheme]));
      }
    };
    await page.goto(`${portal.issuer}/login`);
    await expectLogin(page);
    await expectAccent({ light: 'rgb(122, 31, 162)', dark: 'rgb(138, 58, 173)' });
    await page.goto(`${portal.issuer}/error/500`);
    await expectAccent({ light: 'rgb(10, 99, 117)', dark: 'rgb(24, 120, 139)' });
  });

  it('shows missing fields next to them, reveals the password on request, shows the error of a wrong one below the form, and accepts the next attempt', async () => {
    browser.expectFailure('/api/session/login', 401);
    const page = await browser.open();
    await page.goto(`${portal.issuer}/login`);
    const login = await expectLogin(page);
    await login.submit.click();
    await expectText(page, 'Email cannot be empty', 'Password cannot be empty');
    expect(await login.email.getAttribute('aria-invalid')).toBe('true');
    expect(await login.email.getAttribute('aria-describedby')).toBe(
      await page.getByText('Email cannot be empty').locator('xpath=ancestor::*[@id][1]').getAttribute('id'),
    );

    await login.password.fill('a secret');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await login.password.getAttribute('type')).toBe('text');
    await page.getByRole('button', { name: 'Hide password' }).click();
    expect(await login.password.getAttribute('type')).toBe('password');

    await login.signIn({ email: people.patient.email, password: 'not-the-password' });
    await login.expectErrors('The email or the password is wrong.');
    expect(await login.email.inputValue()).toBe(people.patient.email);
    await login.signIn(people.patient);
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('links to the welcome page on a first visit only', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/`);
    await page.getByRole('button', { name: 'Get Started' }).click();
    await expectLogin(page);
    await page.getByRole('button', { name: 'Go Back' }).click();
    await expectPage(page, '/welcome', `Welcome to ${organizationTitle}`);
    await page.goto(`${portal.issuer}/login`);
    await expectLogin(page);
    expect(await page.getByRole('button', { name: 'Go Back' }).count()).toBe(0);
  });

  itInLongRun('explains that the portal is still initializing', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/login?error=fhir-connection-required`);
    const dialog = await expectDialog(page, 'Unable to authenticate user!');
    await expectText(
      dialog,
      'The system is still initializing and retrieving required configuration from the FHIR server. Please try again in a few minutes.',
    );
    await dialog.getByRole('button', { name: 'OK' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expectLogin(page);
  });

  it('ignores a foreign return URL', async () => {
    const page = await browser.open();
    for (const returnUrl of inTurn(['https://evil.example/user/grants', '//evil.example', 'javascript:alert(1)'], 1)) {
      await endSession(page);
      await page.goto(`${portal.issuer}/login?${new URLSearchParams({ returnUrl })}`);
      await signIn(page, people.patient);
      await expectPage(page, '/user/grants', 'Manage Apps');
      expect(new URL(page.url()).origin).toBe(portal.issuer);
    }
  });

  itInLongRun('A-31 shows the login hint of the app as text, no longer than an address', async () => {
    const page = await browser.open();
    for (const [hint, shown] of [
      ['<script>alert(1)</script>', '<script>alert(1)</script>'],
      ['a'.repeat(3_000), ''],
    ] as const) {
      const app = new SmartApp(portal, { parameters: { login_hint: hint } });
      await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
      expect(await (await expectLogin(page)).email.inputValue()).toBe(shown);
    }
  });
});

describe('A user whose account is not set up', () => {
  itInLongRun('sees an explanation with a link back', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/account/error`);
    await expectPage(page, '/account/error', 'Your account is not ready');
    await expectText(page, 'Your account setup has not been completed yet. Please try again later.');
    await page.getByRole('button', { name: 'Go to Login' }).click();
    await expectLogin(page);
  });

  it('sees the explanation after the right password only', async () => {
    browser.expectFailure('/api/session/login', 401);
    browser.expectFailure('/api/session/login', 403);
    const page = await browser.open();
    await page.goto(`${portal.issuer}/login`);
    await portal.query("UPDATE account SET user_type = 'Incomplete' WHERE email = $1", [people.otherPatient.email]);
    const login = await expectLogin(page);
    await login.signIn({ email: people.otherPatient.email, password: 'not-the-password' });
    await login.expectErrors('The email or the password is wrong.');
    await login.signIn(people.otherPatient);
    await expectPage(page, '/account/error', 'Your account is not ready');
  });
});

describe('Signing out', () => {
  it('leads to the sign-in page, and deletes all data of the session', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.goto(portal.issuer);
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    await chooseFromAccountMenu(page, people.admin, 'Logout');
    await expectLogin(page);
    await expectText(page, 'You are signed out');
    const session = await page.context().request.get(`${portal.issuer}/api/session`);
    expect(session.status()).toBe(401);
  });
});

describe('The routing rules', () => {
  it.each([
    {
      person: people.patient,
      ways: [
        ['/admin/dashboard', '/user/grants', 'Manage Apps'],
        ['/admin', '/user/grants', 'Manage Apps'],
        ['/login', '/user/grants', 'Manage Apps'],
        ['/', '/user/grants', 'Manage Apps'],
      ],
    },
    {
      person: people.admin,
      ways: [
        ['/user/grants', '/admin/dashboard', 'Dashboard'],
        ['/welcome', '/admin/dashboard', 'Dashboard'],
        ['/register', '/admin/dashboard', 'Dashboard'],
        ['/no/such/page', '/no/such/page', 'Page not found'],
      ],
    },
  ] as const)('keep $person.fullName in the area of their type', async ({ person, ways }) => {
    // The document preloads the first calls of the page.
    browser.expectFailure('/api/grant', 403);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, person);
    for (const [from, to, heading] of ways) {
      await page.goto(portal.issuer + from);
      await expectPage(page, to, heading);
    }
  });

  it('lead a user who is not signed in to the welcome page first, and afterwards to the sign-in page', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/user/grants`);
    await expectPage(page, '/welcome', `Welcome to ${organizationTitle}`);
    for (const path of ['/', '/admin/dashboard', '/user/grants', '/user/no-such-page']) {
      await page.goto(portal.issuer + path);
      await expectLogin(page);
    }
  });
});

describe('A page that requires sign-in', () => {
  it('is opened after signing in, unless it is of the other area, in place of which users get their start page', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/welcome`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const further = [
      ['/admin/account-settings', 'Account settings', people.admin],
      ['/user/account-settings', 'Account settings', people.patient],
    ] as const;
    for (const [address, heading, person, opened = address] of [
      ['/admin/user-management?page=1&sortColumn=email', 'Users', people.admin],
      ['/admin/user-management', 'Manage Apps', people.patient, '/user/grants'],
      ...(isLong ? further : []),
    ] as const) {
      await endSession(page);
      await page.goto(portal.issuer + address);
      await signIn(page, person);
      await expectPage(page, new URL(opened, portal.issuer).pathname, heading);
      expect(page.url()).toBe(portal.issuer + opened);
    }
  });

  itInLongRun('is opened on a first visit, too, after the welcome page', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/user/account-settings`);
    await page.waitForURL((url) => url.pathname === '/welcome');
    await page.getByRole('button', { name: 'Get Started' }).click();
    await signIn(page, people.patient);
    await expectPage(page, '/user/account-settings', 'Account settings');
  });

  itInLongRun('is opened again after a session that ended while no form was filled in', async () => {
    browser.expectAnyFailure(401);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.goto(`${portal.issuer}/admin/user-management?isExternal=false`);
    await expectPage(page, '/admin/user-management', 'Users');
    // Waits until the list is loaded: a refused call would lead to the sign-in page without the click.
    const sortByName = page.getByRole('button', { name: 'Name' }).first();
    await sortByName.waitFor();
    await page.waitForLoadState('networkidle');
    await portal.query("DELETE FROM oidc_record WHERE model = 'Session'");
    await sortByName.click();
    await signIn(page, people.admin);
    await page.waitForURL(
      (url) => url.pathname === '/admin/user-management' && url.searchParams.get('isExternal') === 'false',
    );
  });
});
