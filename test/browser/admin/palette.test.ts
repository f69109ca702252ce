/** The search over pages, clients, redirect URIs, users, FHIR ids and actions, which Control and K opens. */
import type { Page, Route } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { unfold } from '../../support/browser/client-pages.js';
import { expectDialog, expectLogin, expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { backendService, publicApp } from '../../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';
import { itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const clients = '/admin/client-management';
let portal: AdminPortal;

/** 302 clients, each with a redirect URI of its own, and 5,003 users with a FHIR id each. */
beforeAll(async () => {
  const viewer = { ...backendService, clientId: 'echo-viewer', clientName: 'Echo Viewer' };
  portal = await startAdminPortal({ config: { clients: [publicApp, viewer], users: [people.patient] } });
  await portal.query(`
    INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
    SELECT gen_random_uuid(), 'app-' || to_char(i, 'FM000'), 'Ward ' || to_char(i, 'FM000'), client_type, true, 1,
           settings || jsonb_build_object('redirectUris', jsonb_build_array('https://site' || i || '.example/callback')), now(), now()
      FROM generate_series(1, 300) AS i JOIN client ON client_id = '${publicApp.clientId}'`);
  await portal.query(`
    INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at)
    SELECT gen_random_uuid(), 'many' || i || '@example.org', 'Many ' || to_char(i, 'FM0000'), 'Patient',
           jsonb_build_array(jsonb_build_object('name', 'fhirUser', 'value', 'Patient/rec-' || i)), true, false, '', now()
      FROM generate_series(1, 5002) AS i`);
});
afterAll(() => portal.close());

async function open(path = '/admin/dashboard', title = 'Dashboard', look = {}): Promise<Page> {
  const page = await browser.open(look);
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(portal.issuer + path);
  await expectPage(page, path.split('?')[0] ?? '', title);
  return page;
}

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search', exact: true });
const field = (page: Page) => palette(page).getByRole('combobox');
const options = (page: Page) => palette(page).getByRole('option');
const current = (page: Page) => palette(page).getByRole('option', { selected: true });
const group = (page: Page, name: string) => palette(page).getByRole('group', { name, exact: true });
const groups = (page: Page) =>
  palette(page)
    .getByRole('group')
    .evaluateAll((all) => all.map((one) => one.firstElementChild?.textContent));

async function show(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await field(page).and(page.locator(':focus')).waitFor();
}

async function type(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await palette(page).locator('[role=listbox][aria-busy=false]').waitFor({ state: 'attached' });
  await palette(page)
    .getByRole('status')
    .getByText(/^(?:\d+ results?|Nothing was found\.)/)
    .waitFor({ state: 'attached' });
}

const sheet = (page: Page, of: 'Client' | 'User') => page.getByRole('dialog').filter({ hasText: `${of} Info` });

describe('Among 302 clients and 5,003 users', () => {
  it('an administrator finds whose app has a redirect URI in three actions, by keyboard alone', async () => {
    const page = await open();
    let actions = 0;
    const act = async (work: () => Promise<unknown>) => {
      actions += 1;
      await work();
    };
    await act(() => page.keyboard.press('Control+k'));
    await field(page).and(page.locator(':focus')).waitFor();
    await act(() => page.keyboard.type('https://site217.example/callback'));
    await expectText(group(page, 'Redirect URIs'), 'Ward 217');
    await act(() => page.keyboard.press('Enter'));
    await expectPage(page, clients, 'Clients');
    await unfold(sheet(page, 'Client'));
    await expectText(sheet(page, 'Client'), 'Ward 217', 'https://site217.example/callback');
    expect(actions).toBeLessThanOrEqual(4);
  });

  itInLongRun(
    'the groups are in a fixed order, five entries each, with their number announced, and a user is found by FHIR id and by name, apart from another one of the same name by the address',
    async () => {
      const ofNames = "UPDATE account SET full_name = $1 WHERE email IN ('many71@example.org', 'many72@example.org')";
      await portal.query(ofNames, ['Ada Twin']);
      const page = await open();
      await show(page);
      await type(page, 'e');
      expect(await groups(page)).toEqual([
        ...[
          'Pages',
          'Clients',
          'Redirect URIs',
          'Users',
          'FHIR records',
          'Actions for Echo Viewer',
          'Actions',
          'Documentation',
        ],
      ]);
      for (const name of ['Pages', 'Redirect URIs', 'Users', 'FHIR records']) {
        expect([name, await group(page, name).getByRole('option').count()]).toEqual([name, 5]);
      }
      const count = await options(page).count();
      await palette(page)
        .getByRole('status')
        .getByText(`${count} results`, { exact: true })
        .waitFor({ state: 'attached' });
      await type(page, 'Patient/rec-4321');
      expect(await groups(page)).toEqual(['FHIR records']);
      await page.keyboard.press('Enter');
      await expectPage(page, '/admin/user-management', 'Users');
      await expectText(sheet(page, 'User'), 'Many 4321');
      await show(page);
      await type(page, 'ada twin');
      await expectText(group(page, 'Users'), 'Patient · many71@example.org', 'Patient · many72@example.org');
      await type(page, 'many 0017');
      await expectText(group(page, 'Users'), 'Patient');
      expect(await palette(page).getByText('@').count()).toBe(0);
      await page.keyboard.press('Enter');
      await expectText(sheet(page, 'User'), 'Many 0017');
    },
  );
});

describe('The palette', () => {
  itInLongRun(
    'is gone through by the arrow keys, Home and End, and leaves the focus where it was by Escape',
    async () => {
      const page = await open();
      const opener = page.getByRole('button', { name: 'Search', exact: true });
      await opener.focus();
      await page.keyboard.press('Enter');
      await field(page).and(page.locator(':focus')).waitFor();
      await type(page, 'ward 00');
      const names = await options(page).allInnerTexts();
      const isCurrent = async (index: number) => {
        expect((await current(page).innerText()).split('\n')[0]).toBe(names.at(index)?.split('\n')[0]);
        expect(await field(page).getAttribute('aria-activedescendant')).toBe(await current(page).getAttribute('id'));
      };
      await isCurrent(0);
      await page.keyboard.press('ArrowDown');
      await isCurrent(1);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await isCurrent(-1);
      await page.keyboard.press('ArrowDown');
      await isCurrent(0);
      await page.keyboard.press('End');
      await isCurrent(-1);
      await page.keyboard.press('Home');
      await isCurrent(0);
      await page.keyboard.press('Escape');
      await palette(page).waitFor({ state: 'hidden' });
      await opener.and(page.locator(':focus')).waitFor();
    },
  );

  itInLongRun(
    'shows above an open sheet, which Escape does not close, what was opened last; the browser keeps its ids only, until sign-out',
    async () => {
      const page = await open(`${clients}?searchTerm=ward%20042`, 'Clients');
      await page.getByRole('button', { name: 'Ward 042', exact: true }).click();
      await expectText(sheet(page, 'Client'), 'General Information');
      await show(page);
      await type(page, 'Patient/rec-99');
      await page.keyboard.press('Enter');
      await expectText(sheet(page, 'User'), 'Many 0099');
      await show(page);
      await expectText(group(page, 'Opened last'), 'Many 0099', 'Ward 042');
      expect((await options(page).allInnerTexts()).slice(0, 2).map((text) => text.split('\n')[0])).toEqual([
        'Many 0099',
        'Ward 042',
      ]);
      const kept = await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })');
      expect(kept).toContain('opened');
      expect(kept).not.toMatch(/Many|Ward|rec-|example/);
      await type(page, 'many 0006');
      await page.keyboard.press('Escape');
      await palette(page).waitFor({ state: 'hidden' });
      await expectText(sheet(page, 'User'), 'Many 0099');
      await sheet(page, 'User').and(page.locator(':focus-within')).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Account menu/ }).click();
      await page.getByRole('menuitem', { name: 'Logout' }).click();
      await expectLogin(page);
      expect(await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(
        'opened',
      );
    },
  );

  itInLongRun('has the actions for the rows that are selected, without a query and by their names', async () => {
    const page = await open(`${clients}?searchTerm=ward%2010`, 'Clients');
    await page.getByRole('checkbox', { name: 'Select Ward 100', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Select Ward 101', exact: true }).check();
    await show(page);
    await expectText(group(page, '2 selected'), 'Disable', 'Export');
    expect(await group(page, '2 selected').getByRole('option', { name: 'Enable' }).count()).toBe(0);
    await type(page, 'disable');
    await page.keyboard.press('Enter');
    const question = await expectDialog(page, 'Disable 2 clients?');
    await question.getByRole('button', { name: 'Disable', exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    expect(await portal.query("SELECT FROM client WHERE NOT enabled AND client_id LIKE 'app-10%'")).toEqual([]);
  });

  itInLongRun('begins the rotation of a secret, and adds a client and a user', async () => {
    const page = await open();
    await show(page);
    await type(page, 'echo viewer');
    await group(page, 'Actions for Echo Viewer').getByRole('option', { name: 'Rotate a secret' }).click();
    await expectDialog(page, 'Rotate secret');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Rotate secret' }).waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.has('rotate')).toBe(false);
    for (const [action, title] of [
      ['add user', 'Add User'],
      ['verify the audit', null],
    ] as const) {
      await show(page);
      await type(page, action);
      await page.keyboard.press('Enter');
      if (title === null) {
        await expectPage(page, '/admin/audit', 'Audit');
        await page
          .getByText(/Sealed and unbroken|Nothing is wrong|The audit record is unbroken/)
          .first()
          .waitFor();
        continue;
      }
      await expectDialog(page, title);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: title }).waitFor({ state: 'hidden' });
    }
  });

  itInLongRun(
    'stays open with its text when the window gets narrower or wider than the links of the bar, and covers the whole window of a phone',
    async () => {
      const page = await open();
      await show(page);
      await type(page, 'ward 007');
      const menu = page.getByRole('button', { name: 'Menu', exact: true, includeHidden: true });
      for (const width of [1100, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await menu.waitFor({ state: width < 1200 ? 'attached' : 'detached' });
        await expectText(group(page, 'Clients'), 'Ward 007');
        expect(await field(page).inputValue()).toBe('ward 007');
        await field(page).and(page.locator(':focus')).waitFor();
      }
      await page.keyboard.press('Escape');
      await palette(page).waitFor({ state: 'hidden' });
      await page.setViewportSize({ width: 360, height: 740 });
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      expect(await palette(page).boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 740 });
      await type(page, 'nothing-like-it');
      const none = await palette(page).getByText('Nothing was found.').first().boundingBox();
      expect(none?.y).toBeLessThan(100);
      await palette(page).getByRole('button', { name: 'Close' }).click();
      await palette(page).waitFor({ state: 'hidden' });
    },
  );

  itInLongRun('asks before unsaved input is lost by it', async () => {
    const page = await open('/admin/user-management?add=true', 'Users');
    const form = await expectDialog(page, 'Add User');
    await form.getByLabel('Name', { exact: true }).first().fill('Ada');
    await show(page);
    await type(page, 'dashboard');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await form.getByLabel('Name', { exact: true }).first().inputValue()).toBe('Ada');
  });

  itInLongRun(
    'shows the answer to what is typed, in whatever order answers arrive, and opens its first entry by Enter, also if Enter comes first',
    async () => {
      const page = await open();
      const held: Route[] = [];
      await page.route(/\/api\/admin\/palette\?term=ward%2000[1]$|term=ward\+001$/, (route) => {
        held.push(route);
      });
      await show(page);
      await field(page).fill('ward 001');
      await until(() => held.length > 0);
      await type(page, 'ward 002');
      await expectText(group(page, 'Clients'), 'Ward 002');
      for (const route of held) await route.continue().catch(() => undefined);
      await page.waitForLoadState('networkidle');
      expect((await group(page, 'Clients').getByRole('option').allInnerTexts())[0]).toContain('Ward 002');

      held.length = 0;
      await page.route(/\/api\/admin\/palette\?/, (route) => {
        held.push(route);
      });
      await field(page).fill('');
      // 'Verify the audit record' is known at once, but stands below what the server finds.
      await page.keyboard.type('site44.');
      await page.keyboard.press('Enter');
      await until(() => held.length > 0);
      expect(await palette(page).isVisible()).toBe(true);
      // Where typing was slow, the server is asked more than once, and about the whole text last.
      await page.unroute(/\/api\/admin\/palette\?/);
      for (const route of held.splice(0)) await route.continue().catch(() => undefined);
      await expectText(sheet(page, 'Client'), 'Ward 044');
    },
  );

  itInLongRun('says that a client does not exist any more, if it was deleted before Enter', async () => {
    const page = await open();
    await show(page);
    await type(page, 'app-299');
    await portal.query("DELETE FROM client WHERE client_id = 'app-299'");
    browser.expectAnyFailure(404);
    await page.keyboard.press('Enter');
    await expectText(
      page,
      'The selected client no longer exists. Please refresh the page to view the latest client list.',
    );
  });

  itInLongRun(
    'answers without an error whatever is typed, cuts a pasted text of 10 kB to what can be searched, and finds pages and actions while the server cannot search, and says so',
    async () => {
      const page = await open();
      await show(page);
      const answer = palette(page).getByRole('status');
      for (const text of ['%', '\\', '\'"<b>&', '‮gnp.exe', '(((', 'a\tb']) {
        await field(page).fill('');
        await field(page).evaluate((input, value) => {
          (input as unknown as { focus: () => void }).focus();
          input.ownerDocument.execCommand('insertText', false, value);
        }, text);
        await palette(page).locator('[role=listbox][aria-busy=false]').waitFor({ state: 'attached' });
        await answer.getByText(/results?$|Nothing was found\./).waitFor({ state: 'attached' });
      }
      await field(page).fill('');
      await page.keyboard.insertText('x'.repeat(10_240));
      await answer.getByText('Nothing was found.').waitFor({ state: 'attached' });
      expect((await field(page).inputValue()).length).toBe(500);

      browser.expectFailure('/api/admin/palette', 503);
      await page.route(/\/api\/admin\/palette\?/, (route) => route.fulfill({ status: 503, json: {} }));
      await field(page).fill('audit');
      await expectText(palette(page), 'The search did not work. Pages and actions are found all the same.');
      await page.keyboard.press('Enter');
      await expectPage(page, '/admin/audit', 'Audit');
    },
  );

  it('is not there for a patient', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/grants`);
    await expectPage(page, '/user/grants', 'Manage Apps');
    expect(await page.getByRole('button', { name: 'Search', exact: true }).count()).toBe(0);
    await page.keyboard.press('Control+k');
    expect(await palette(page).count()).toBe(0);
  });

  itInLongRun('is accessible at its beginning, with results and with nothing found in every look', () =>
    expectFitInEveryLook(browser, {
      'at its beginning': async (page) => {
        await signInByApi(page, portal.issuer, people.admin);
        await page.goto(portal.issuer + clients);
        await expectPage(page, clients, 'Clients');
        await show(page);
      },
      'with results': (page) => type(page, 'ward'),
      'with nothing found': (page) => type(page, 'qqqqqq'),
    }),
  );
});
