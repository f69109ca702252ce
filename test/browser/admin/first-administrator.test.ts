import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectDialog, expectLogin, expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const { email, password } = people.admin;
let portal: TestPortal;

/** A portal for the tests of a block. */
function usePortal(config = {}): void {
  beforeAll(async () => {
    portal = await startPortal({ config });
  });
  afterAll(() => portal.close());
}

async function fillIn(page: Page, secret: string = password): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
}

describe('The first visit', () => {
  usePortal();

  itInLongRun('is remembered: the next one goes to the next page directly', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/admin/dashboard`);
    await expectPage(page, '/welcome', 'Welcome to Gatehouse');
    await page.goto(`${portal.issuer}/user/grants`);
    await expectPage(page, '/register', 'Create an Admin Account');
    await page.goto(`${portal.issuer}/register?firstVisit=true`);
    await page.getByRole('button', { name: 'Go Back' }).click();
    await expectPage(page, '/welcome', 'Welcome to Gatehouse');
  });

  itInLongRun(
    'shows which password rules are met, creates no account before all are, and shows each problem beside its field',
    async () => {
      const page = await browser.open();
      await page.goto(`${portal.issuer}/register`);
      const create = page.getByRole('button', { name: 'Create account' });
      const rules = page.getByRole('list', { name: 'Password rules' }).getByRole('listitem');
      await fillIn(page, 'too-short');
      expect(await rules.allInnerTexts()).toEqual([expect.stringContaining('At least 12 characters: not met yet')]);
      expect(await create.isDisabled()).toBe(true);
      await fillIn(page);
      await rules.filter({ hasText: ': met' }).waitFor();
      expect(await create.isEnabled()).toBe(true);

      browser.expectFailure('/api/admin/adminmanagement/create-initial', 400);
      await fillIn(page, 'passwordpassword');
      await create.click();
      await page.locator('#Password_help').waitFor();
      expect(await page.locator('#Password_help').innerText()).toMatch(/common/i);
    },
  );

  itInLongRun('has an accessible page to create the administrator', () =>
    expectFitInEveryLook(browser, async (page) => {
      await page.goto(`${portal.issuer}/register`);
      await fillIn(page, 'short');
    }),
  );

  // Last, because there is an administrator then.
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

    // The new administrator is signed in.
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    await expectText(page, '0 of 2 steps done', 'At least one user created', 'At least one client created');
    await expectText(page, 'Users configured', 'Clients configured', 'FHIR server', 'Down');
    expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('0');
    // One list, in which no step comes twice.
    const setup = page.getByRole('region', { name: 'Finish setting up' });
    await expectText(setup, 'Waits for the FHIR server');
    expect(await setup.getByRole('button').allInnerTexts()).toEqual(['Add User']);
    const first = page.getByRole('region', { name: 'First steps' });
    await expectText(first, '0 of 4 steps done', 'Connect the FHIR server', 'Protect your account');
    expect(await first.getByRole('listitem').count()).toBe(4);
    await first.getByRole('button', { name: 'How to connect' }).click();
    await expectPage(page, '/admin/connect-fhir-server', 'Connect the FHIR server');
    await expectText(page, 'Down', 'Name its address', 'Close every other way to it');
    await page.getByRole('link', { name: 'Open the readiness report' }).click();
    await expectPage(page, '/admin/readiness', 'Readiness report');
  });
});

describe('A user who creates the first administrator when there is one already', () => {
  usePortal();

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

describe('The first steps on the dashboard', () => {
  usePortal({ users: [people.admin] });
  // Of the steps that are done, and that they are put away.
  beforeEach(() => portal.query('DELETE FROM readiness_note'));

  const steps = (page: Page) => page.getByRole('region', { name: 'First steps' });

  async function openDashboard(page?: Page): Promise<Page> {
    const shown = page ?? (await browser.open());
    await signInByApi(shown, portal.issuer, people.admin);
    await shown.goto(`${portal.issuer}/admin/dashboard`);
    await expectPage(shown, '/admin/dashboard', 'Dashboard');
    return shown;
  }

  it('lead to the place of each step, and tell which are done', async () => {
    const page = await openDashboard();
    await steps(page).getByRole('button', { name: 'Set up' }).click();
    await expectPage(page, '/admin/account-settings', 'Account settings');
    await portal.query(
      `INSERT INTO readiness_note (name, account_id, detail) SELECT 'test-mail', id, '{"confirmedAt": "2026-01-01T00:00:00Z"}' FROM account`,
    );
    await page.goto(`${portal.issuer}/admin/dashboard`);
    await expectText(steps(page), '1 of 4 steps done');
    expect(await steps(page).getByRole('button', { name: 'Send it' }).count()).toBe(0);
  });

  itInLongRun('have their buttons below their text on a phone, whatever the length of both', async () => {
    const page = await openDashboard();
    await page.setViewportSize({ width: 360, height: 740 });
    for (const name of ['First steps', 'Finish setting up']) {
      const items = page
        .getByRole('region', { name })
        .getByRole('listitem')
        .filter({ has: page.getByRole('button') });
      await items.first().waitFor();
      const rows = await items.all();
      for (const row of rows) {
        const text = await row
          .locator('span', { has: page.locator('span') })
          .last()
          .boundingBox();
        const button = await row.getByRole('button').boundingBox();
        expect(button?.x).toBe(text?.x);
        expect(button?.y).toBeGreaterThanOrEqual((text?.y ?? 0) + (text?.height ?? 0));
      }
    }
  });

  itInLongRun('show name, colors and logo as they are typed, with the lines for the configuration', async () => {
    const page = await openDashboard();
    await steps(page).getByRole('button', { name: 'Try it' }).click();
    const sheet = await expectDialog(page, 'First steps Name and colors');
    await sheet.getByText('Nothing to configure yet.').waitFor();
    await sheet.getByLabel('Name of the organization').fill('St. "Ann" Hospital');
    const color = sheet.getByRole('textbox', { name: 'Accent color', exact: true });
    await color.fill('#zz');
    await sheet.getByText('The color has the form #RRGGBB, such as #0A6375').waitFor();
    await color.fill('#FFEEDD');
    await sheet.getByText('White text on this color would be hard to read').waitFor();
    await color.fill('#7A1FA2');
    // In light and in dark, as the fields of the sign-in page have them.
    const edges = `[...document.querySelectorAll('figure span')].filter(({ textContent }) => textContent === 'Email')
      .map((field) => getComputedStyle(field).borderTopColor)`;
    expect(await page.evaluate<string[]>(edges)).toEqual(['rgb(130, 145, 157)', 'rgb(101, 119, 132)']);
    await sheet.locator('input[type=file]').setInputFiles({
      name: 'logo.svg',
      mimeType: 'image/svg+xml',
      buffer: Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>',
      ),
    });
    // The file is read after it was chosen.
    const lines = await sheet.locator('pre', { hasText: 'logo:' }).innerText();
    expect(lines).toContain(
      'branding:\n  organizationTitle: "St. \\"Ann\\" Hospital"\n  accentColor: "#7A1FA2"\n  logo:',
    );
    await sheet.getByRole('img', { includeHidden: true }).first().waitFor();
    await sheet.locator('input[type=file]').setInputFiles({
      name: 'letter.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF'),
    });
    await sheet.getByText('This is not a PNG, JPEG, WebP or SVG file').waitFor();
  });

  itInLongRun('are accessible, as is the sheet for name and colors', () =>
    expectFitInEveryLook(browser, {
      'the steps': async (page) => {
        await openDashboard(page);
        await steps(page).waitFor();
      },
      'the sheet': async (page) => {
        await steps(page).getByRole('button', { name: 'Try it' }).click();
        await expectDialog(page, 'First steps Name and colors');
      },
    }),
  );

  itInLongRun('are put away for all administrators, and come back by Undo', async () => {
    const page = await openDashboard();
    await steps(page).getByRole('button', { name: 'Hide' }).click();
    await steps(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await steps(page).waitFor();
    await steps(page).getByRole('button', { name: 'Hide' }).click();
    await steps(page).waitFor({ state: 'detached' });
    await page.reload();
    await expectText(page, 'Finish setting up');
    expect(await steps(page).count()).toBe(0);
  });
});
