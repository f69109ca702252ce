/** The launches on the dashboard and the panel of a client, and the file that the list exports. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { ActivityLog } from '../../../src/activity/application/activity-log.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { backendService, confidentialApp, publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let portal: TestPortal;

/** Of an app that was registered long ago and never came. */
const idleApp = { ...backendService, clientId: 'idle', clientName: 'Old Export' };

/** Two launches of one app today: one was refused, and one completed. Another app has a secret that has expired. */
beforeAll(async () => {
  const users = [people.admin, people.patient];
  portal = await startPortal({ config: { users, clients: [publicApp, confidentialApp, idleApp] } });
  await new SmartApp(portal, { parameters: { aud: 'https://elsewhere.test' } }).authorize();
  const app = new SmartApp(portal);
  await app.exchange((await app.complete(people.patient)).searchParams.get('code') ?? '');
  await portal.apps[0]?.get(ActivityLog, { strict: false }).flush();
  const secretsOf = 'client = (SELECT id FROM client WHERE client_id = $1)';
  await portal.query(`UPDATE client_secret SET expires_at = now() - interval '2 days' WHERE ${secretsOf}`, [
    confidentialApp.clientId,
  ]);
  await portal.query("UPDATE client SET created_at = now() - interval '91 days' WHERE client_id = $1", [
    idleApp.clientId,
  ]);
});
afterAll(() => portal.close());

async function open(path: string, heading: string, width?: number): Promise<Page> {
  const page = await browser.open({ ...(width && { width }) });
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(portal.issuer + path);
  await expectPage(page, path.split('?', 1)[0] ?? path, heading);
  return page;
}

describe.each([1280, 360])('On the dashboard, %i pixels wide,', (width) => {
  it('the launches of 14 days are a table for screen readers, and its link is reached by keyboard', async () => {
    const page = await open('/admin/dashboard', 'Dashboard', width);
    const card = page.getByRole('region', { name: 'Launches per day' });
    await expectText(card, 'Today 1 of 2 did not succeed');
    const rows = card.getByRole('table', { name: 'Launches per day' }).getByRole('row');
    expect(await rows.count()).toBe(15);
    const today = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date());
    expect(await rows.last().getByRole('rowheader').innerText()).toBe(today);
    expect(await rows.last().getByRole('cell').allInnerTexts()).toEqual(['1', '1']);
    expect(await rows.nth(1).getByRole('cell').allInnerTexts()).toEqual(['0', '0']);
    await card.getByRole('link', { name: 'Open Activity' }).focus();
    await page.keyboard.press('Enter');
    await expectPage(page, '/admin/activity', 'Activity');
  });

  it('each problem that needs attention has its cause and one link', async () => {
    const page = await open('/admin/dashboard', 'Dashboard', width);
    const card = page.getByRole('region', { name: 'What wants attention' });
    await expectText(card, '1 client has an expired secret or key', confidentialApp.clientName);
    await expectText(card, '1 launch was refused or failed today');
    await card.getByText(/^Commonest cause: \w/).waitFor();
    await card.getByRole('link', { name: 'Show launches' }).focus();
    await page.keyboard.press('Enter');
    await expectPage(page, '/admin/activity', 'Activity');
    await expectText(page.getByRole('main'), publicApp.clientName);
    expect(new URL(page.url()).searchParams.getAll('outcome')).toEqual(['refused', 'failed']);
  });
});

it('The dashboard names clients that have been unused for 90 days, and no new one, and leads to their list', async () => {
  const page = await open('/admin/dashboard', 'Dashboard');
  const row = page.getByRole('listitem').filter({ hasText: 'unused' });
  await expectText(row, '1 client has been unused for 90 days', idleApp.clientName);
  await row.getByRole('link', { name: 'Review' }).click();
  await expectPage(page, '/admin/client-management', 'Clients');
  await expectText(page.getByRole('main'), idleApp.clientName, 'Unused for 90 days', 'Enabled');
  expect(await page.locator('[data-row]').count()).toBe(1);
});

it('On a phone the link of a problem begins where its text begins', async () => {
  const page = await open('/admin/dashboard', 'Dashboard', 360);
  const rows = page.getByRole('region', { name: 'What wants attention' }).getByRole('listitem');
  await rows.nth(1).waitFor();
  for (const row of await rows.all()) {
    const link = await row.getByRole('link').boundingBox();
    expect(link?.x).toBe((await row.locator('p').first().boundingBox())?.x);
  }
});

it('The panel of a client shows its launches, its refusals by cause and its secrets, each with a link', async () => {
  const [{ id } = { id: '' }] = await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [
    publicApp.clientId,
  ]);
  const page = await open(`/admin/client-management?client=${id}`, 'Clients');
  const panel = page.getByRole('dialog');
  await expectText(panel, 'Last success', 'Last launches', 'Signed in', 'Refused', 'Refusals in 7 days');
  await expectText(panel, 'None expires within 30 days, none is unused');
  const [cause] = await portal.query<{ id: string }>("SELECT id FROM launch WHERE outcome = 'refused'");
  await panel.locator('li', { hasText: '1 ×' }).getByRole('link').focus();
  await page.keyboard.press('Enter');
  const reference = cause?.id.replace(/^(..)(....)(..).*$/, '$1-$2-$3');
  await expectPage(page, `/admin/activity/${reference}`, publicApp.clientName);
});

it('The list exports what its filters find, by keyboard', async () => {
  const page = await open('/admin/activity?outcome=refused', 'Activity');
  const started = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export' }).focus();
  await page.keyboard.press('Enter');
  const file = await started;
  expect(file.suggestedFilename()).toMatch(/^activity-.*\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(',refused,');
});
