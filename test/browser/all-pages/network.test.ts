/** The pages on a slow or unavailable network, and after the portal was updated. */
import type { Page, Route } from 'playwright-core';
import { useBrowser } from '../../support/browser/browser.js';
import { expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const users = '/admin/user-management';
/** The code of the users page, which the dashboard does not load. */
const chunk = /\/assets\/users-page-[^/]+\.js$/;
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient] } });
});
afterAll(() => portal.close());

/** Opens the dashboard, and answers requests for the code of the users page like this. */
async function openDashboard(answer: (route: Route) => Promise<void>): Promise<Page> {
  const page = await browser.open();
  await page.route(chunk, answer);
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}/admin/dashboard`);
  await expectPage(page, '/admin/dashboard', 'Dashboard');
  return page;
}

const toUsers = (page: Page) => page.getByRole('link', { name: 'User management' }).first().click();

itInLongRun('a page that loads slowly is announced, and the previous one stays visible', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const page = await openDashboard(async (route) => {
    await released;
    await route.continue();
  });
  await toUsers(page);
  await page.getByRole('status').getByText('Loading', { exact: true }).waitFor();
  expect(await page.getByRole('heading', { level: 1, name: 'Dashboard' }).isVisible()).toBe(true);
  release();
  await expectPage(page, users, 'Users');
  await page.getByRole('status').getByText('Loading', { exact: true }).waitFor({ state: 'detached' });
});

it('code of an older version that no longer exists is replaced by reloading the page', async () => {
  browser.expectError(/responded with a status of 404/);
  let asked = 0;
  const page = await openDashboard((route) => {
    asked += 1;
    return asked === 1 ? route.fulfill({ status: 404 }) : route.continue();
  });
  await toUsers(page);
  await expectPage(page, users, 'Users');
  expect(asked).toBe(2);
});

it('a page that cannot be loaded says so in its frame, without a loop, and can be loaded again', async () => {
  browser.expectError(/responded with a status of 404|dynamically imported module/);
  const page = await openDashboard((route) => route.fulfill({ status: 404 }));
  await toUsers(page);
  await expectPage(page, users, 'Something went wrong.');
  await expectText(page, 'This page could not be loaded. Check your connection and try again.');
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
  await expectPage(page, '/admin/dashboard', 'Dashboard');
  await page.goBack();
  await expectPage(page, users, 'Something went wrong.');
  await page.unroute(chunk);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectPage(page, users, 'Users');
});

itInLongRun(
  'a press on the button of the account menu opens it also if the menu arrives during the press',
  async () => {
    const menu = /\/assets\/account-dropdown-[^/]+\.js$/;
    const held: Route[] = [];
    const page = await browser.open();
    await page.route(menu, (route) => {
      held.push(route);
    });
    await signInByApi(page, portal.issuer, people.admin);
    await page.goto(`${portal.issuer}/admin/dashboard`);
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    await until(() => held.length > 0);
    await page.getByRole('button', { name: /^Account menu of / }).hover();
    await page.mouse.down();
    const arrived = page.waitForResponse(menu);
    for (const route of held) await route.continue();
    await (await arrived).finished();
    // It has run, and what it changed is painted.
    await page.waitForLoadState('networkidle');
    await page.mouse.up();
    await page.getByRole('menuitem', { name: 'Logout' }).waitFor();
  },
);

itInLongRun('a call that failed offline is repeated once the browser is online', async () => {
  browser.expectFailure('/api/admin/user', 'offline');
  const page = await openDashboard((route) => route.continue());
  await toUsers(page);
  await page.getByRole('table', { name: 'Users' }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Email', exact: true }).click();
  await page.getByRole('heading', { level: 2, name: 'Something went wrong.' }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole('table', { name: 'Users' }).waitFor();
});

itInLongRun('a tab of a user who has signed out shows the start page of the user who has signed in since', async () => {
  browser.expectFailure('/api/admin/user', 403);
  const page = await openDashboard((route) => route.continue());
  await toUsers(page);
  await page.getByRole('table', { name: 'Users' }).waitFor();
  const patient = await browser.open();
  await signInByApi(patient, portal.issuer, people.patient);
  // Replaced in one step: the tab never asks for anything without a session.
  await page.context().addCookies(await patient.context().cookies());
  await page.getByRole('button', { name: 'Email', exact: true }).click();
  await expectPage(page, '/user/grants', 'Manage Apps');
});
