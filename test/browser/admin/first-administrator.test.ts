import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectDialog, expectLogin, expectPage, expectText } from '../../support/browser/pages.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const { email, password } = people.admin;
let portal: TestPortal;

beforeEach(async () => {
  portal = await startPortal();
});

afterEach(() => portal.close());

async function fillIn(page: Page, secret: string = password): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
}

describe('The first visit', () => {
  it('leads from the welcome page to creating the administrator and on to the dashboard', async () => {
    const page = await browser.open();
    await page.goto(portal.issuer);
    await expectPage(page, '/welcome', 'Welcome to Gatehouse');
    expect(await page.title()).toBe('Gatehouse');
    await page.getByText(/^Version \d+\.\d+\.\d+$/).waitFor();
    const documentation = page.getByRole('link', { name: 'Read the documentation' });
    expect(await documentation.getAttribute('href')).toBe(portal.config.branding.documentation.product);

    await page.getByRole('button', { name: 'Get Started' }).click();
    await expectPage(page, '/register', 'Create an Admin Account');
    expect(new URL(page.url()).searchParams.get('firstVisit')).toBe('true');
    await fillIn(page);
    await page.getByRole('button', { name: 'Create account' }).click();

    await (await expectLogin(page)).signIn(people.admin);
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    await expectText(page, '0 of 2 steps done', 'At least one user created', 'At least one client created');
    await expectText(page, 'Users configured', 'Clients configured', 'FHIR server', 'Down');
    expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('0');
  });

  it('is remembered: the next one goes to the next page directly', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/admin/dashboard`);
    await expectPage(page, '/welcome', 'Welcome to Gatehouse');
    await page.goto(`${portal.issuer}/user/grants`);
    await expectPage(page, '/register', 'Create an Admin Account');
    await page.goto(`${portal.issuer}/register?firstVisit=true`);
    await page.getByRole('button', { name: 'Go Back' }).click();
    await expectPage(page, '/welcome', 'Welcome to Gatehouse');
  });

  it('shows which password rules are met, and creates no account before all are', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/register`);
    const create = page.getByRole('button', { name: 'Create account' });
    const rules = page.getByRole('list', { name: 'Password rules' }).getByRole('listitem');
    await fillIn(page, 'too-short');
    expect(await rules.allInnerTexts()).toEqual([expect.stringMatching(/^At least 12 characters\s+\(not met yet\)$/)]);
    expect(await create.isDisabled()).toBe(true);
    await fillIn(page);
    await rules.filter({ hasText: '(met)' }).waitFor();
    expect(await create.isEnabled()).toBe(true);
  });

  it('shows each problem beside its field', async () => {
    browser.expectFailure('/api/admin/adminmanagement/create-initial', 400);
    const page = await browser.open();
    await page.goto(`${portal.issuer}/register`);
    await fillIn(page, 'passwordpassword');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.locator('#Password_help').waitFor();
    expect(await page.locator('#Password_help').innerText()).toMatch(/common/i);
  });
});

describe('The page to create the administrator', () => {
  it('is accessible', async () => {
    await expectFitInEveryLook(browser, async (page) => {
      await page.goto(`${portal.issuer}/register`);
      await fillIn(page, 'short');
    });
  });
});

describe('A user who creates the first administrator when there is one already', () => {
  it('sees a message that says so', async () => {
    browser.expectFailure('/api/admin/adminmanagement/create-initial', 403);
    const page = await browser.open();
    await page.goto(`${portal.issuer}/register`);
    await fillIn(page);
    const created = await fetch(`${portal.issuer}/api/admin/adminmanagement/create-initial`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Email: 'first@example.org', Password: password }),
    });
    expect(created.ok).toBe(true);
    await page.getByRole('button', { name: 'Create account' }).click();

    const dialog = await expectDialog(page, 'Admin already exists!');
    await dialog.getByRole('button', { name: 'Go to Login' }).click();
    await expectLogin(page);

    await page.goto(`${portal.issuer}/register`);
    await expectDialog(page, 'Admin already exists!');
  });
});
