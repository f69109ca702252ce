import type { Page } from 'playwright-core';
import { ActivityLog } from '../../../src/activity/application/activity-log.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const path = '/admin/activity';
const board = { ...publicApp, clientId: 'ward-board', clientName: 'Ward Round Board', requireConsent: false };
let portal: TestPortal;

beforeAll(async () => {
  const users = [people.admin, people.patient, people.practitioner];
  portal = await startPortal({ config: { users, clients: [publicApp, board] } });
});
beforeEach(async () => {
  await portal.query('DELETE FROM launch');
});
afterAll(() => portal.close());

async function open(query = '', page?: Page): Promise<Page> {
  const shown = page ?? (await browser.open());
  await signInByApi(shown, portal.issuer, people.admin);
  await shown.goto(portal.issuer + path + query);
  await expectPage(shown, path, 'Activity');
  return shown;
}

const written = async () => {
  for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();
};

/** Launches an app whose request is refused. Returns the reference. */
async function refused(client = publicApp): Promise<string> {
  const parameters = { aud: 'https://elsewhere.test' };
  const { headers } = await new SmartApp(portal, { client, parameters }).authorize();
  await written();
  return headers['x-launch-reference']?.toString() ?? '';
}

/** Launches an app until it has its tokens. */
async function completed(client: typeof publicApp, person: typeof people.patient): Promise<void> {
  const app = new SmartApp(portal, { client });
  await app.exchange((await app.complete(person)).searchParams.get('code') ?? '');
  await written();
}

const rows = (page: Page) => page.getByRole('table').locator('tbody tr');

async function expectApps(page: Page, ...names: string[]): Promise<void> {
  const shown = () => page.getByRole('table').locator('tbody a').allInnerTexts();
  await until(async () => JSON.stringify(await shown()) === JSON.stringify(names));
}

describe('The list of launches', () => {
  it('has time, app, person, outcome and what decided of each launch, the newest first', async () => {
    await completed(board, people.patient);
    await refused();
    const page = await open();
    await expectApps(page, 'Heart Companion', 'Ward Round Board');
    await expectText(rows(page).nth(0), 'Today', publicApp.clientId, 'Not signed in', 'Refused');
    await expectText(rows(page).nth(1), 'Today', board.clientId, people.patient.fullName, 'Patient', 'Signed in');
    await page.getByRole('button', { name: 'Time' }).click();
    await expectApps(page, 'Ward Round Board', 'Heart Companion');
    expect(new URL(page.url()).search).toBe('?sortDirection=0');
  });

  it('finds launches by reference, app and person', async () => {
    const reference = await refused();
    await completed(board, people.patient);
    const page = await open();
    const search = page.getByRole('searchbox', { name: 'Reference, app or person' });
    for (const [term, app] of [
      [reference, 'Heart Companion'],
      [` ${reference.toLowerCase().replaceAll('-', '')} `, 'Heart Companion'],
      ['round', 'Ward Round Board'],
      ['amelia', 'Ward Round Board'],
    ] as const) {
      await search.fill(term);
      await search.press('Enter');
      await expectApps(page, app);
    }
    expect(new URL(page.url()).search).toBe('?searchTerm=amelia');
  });

  it('says that no launch has a reference, and offers to clear the search', async () => {
    await refused();
    const page = await open('?searchTerm=nb7q4k2m');
    await page.getByText('No launch has the reference NB-7Q4K-2M.').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await expectApps(page, 'Heart Companion');
  });

  it('shows only what did not succeed, with the number of each outcome, and keeps this in its address', async () => {
    await completed(board, people.patient);
    await refused();
    await refused(board);
    const page = await open();
    await page.getByRole('switch', { name: 'Only what did not succeed' }).click();
    await expectApps(page, 'Ward Round Board', 'Heart Companion');
    await expectText(page, 'Refused 2', 'Failed 0', 'Declined 0');
    expect(new URL(page.url()).search).toBe('?outcome=refused&outcome=failed&outcome=declined');
    await page.reload();
    expect(await page.getByRole('switch').getAttribute('aria-checked')).toBe('true');
    await page.getByRole('button', { name: 'Remove filter Refused 2' }).click();
    await expectText(page, 'No launches found');
    expect(await page.getByRole('switch').getAttribute('aria-checked')).toBe('false');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expectApps(page, 'Ward Round Board', 'Heart Companion', 'Ward Round Board');
  });

  it('is filtered by app and time', async () => {
    await refused(board);
    await refused();
    await portal.query(
      "UPDATE launch SET started_at = started_at - interval '2 hours', last_at = last_at - interval '2 hours' WHERE client_id = $1",
      [board.clientId],
    );
    const page = await open();
    await page.getByRole('button', { name: /^Filter/ }).click();
    await page.getByRole('combobox', { name: 'Period' }).selectOption('Last hour');
    await expectApps(page, 'Heart Companion');
    await page.getByRole('combobox', { name: 'Period' }).selectOption('Last 24 hours');
    await page.getByRole('combobox', { name: 'App' }).selectOption('Ward Round Board');
    await expectApps(page, 'Ward Round Board');
    expect(new URL(page.url()).search).toBe(`?clientId=${board.clientId}&period=day`);
    await page.getByLabel('Until').fill('2020-12-31');
    await expectText(page, 'No launches found', 'Until December 31, 2020');
    expect(new URL(page.url()).search).toBe(`?clientId=${board.clientId}&to=2020-12-31`);
  });

  it('says what is wrong with a period that ends before it begins', async () => {
    browser.expectFailure('/api/admin/activity', 400);
    const page = await open('?from=2026-02-02&to=2026-01-01');
    await expectText(page, 'The end of the period lies before its start.');
  });

  it('is empty before the first launch', async () => {
    const page = await open();
    await expectText(page, 'No launches yet');
  });

  it('shows a new launch by itself, and a focused row stays in its place', async () => {
    for (let launch = 0; launch < 5; launch += 1) await refused();
    const page = await open('?pageSize=5');
    await expectApps(page, ...Array(5).fill('Heart Companion'));
    const last = page.getByRole('table').locator('tbody a').last();
    await last.focus();
    const href = await last.getAttribute('href');
    const top = async () => (await page.locator(`a[href="${href}"]`).boundingBox())?.y;
    const before = await top();
    await refused(board);
    await page.getByRole('link', { name: 'Ward Round Board' }).waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(href);
    expect(Math.abs(((await top()) ?? 0) - (before ?? 0))).toBeLessThanOrEqual(1);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Heart Companion' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(href);
  });

  it('says that it is no longer live while the server does not answer, and keeps its rows', async () => {
    await refused();
    browser.expectFailure('/api/admin/activity', 503);
    const page = await open();
    await expectText(page, 'Live');
    await page.route('**/api/admin/activity?*', (route) => route.fulfill({ status: 503, json: {} }));
    await expectText(page, 'Not live: the list could not be loaded again');
    await expectApps(page, 'Heart Companion');
  });

  it('is used with the keyboard alone', async () => {
    await refused();
    const page = await open();
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.waitForURL((url) => url.searchParams.getAll('outcome').length === 3);
    const link = page.getByRole('link', { name: 'Heart Companion' });
    while (!(await link.evaluate((one) => one === one.ownerDocument.activeElement))) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Heart Companion' }).waitFor();
    await page.goBack();
    await expectApps(page, 'Heart Companion');
  });

  it('is one link of the administration, and accessible in every look', async () => {
    await completed(board, people.patient);
    await refused();
    await expectFitInEveryLook(browser, async (page) => {
      await open('?outcome=refused&outcome=completed', page);
      await page.getByText('Refused', { exact: true }).waitFor();
      const link = page.getByRole('navigation').getByRole('link', { name: 'Activity' });
      expect(await link.getAttribute('aria-current')).toBe('page');
    });
  });
});
