/** A change of many clients whose page was closed: any page of its administrator shows it, and tells its end once. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectPage, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const count = 29;
let portal: AdminPortal;

beforeAll(async () => {
  portal = await startAdminPortal({ config: { clients: [publicApp] } });
  await portal.query(`
    INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
    SELECT gen_random_uuid(), 'vendor-x-' || to_char(i, 'FM00'), 'Vendor X ' || i, client_type, true, 1, settings, now(), now()
      FROM generate_series(1, ${count}) AS i JOIN client ON client_id = 'public-app'`);
});
afterAll(() => portal.close());

async function open(page: Page): Promise<Page> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}/admin/activity`);
  await expectPage(page, '/admin/activity', 'Activity');
  return page;
}

const notice = (page: Page) => page.getByRole('status').filter({ hasText: 'Disable clients' });
const disabledOnes = async () =>
  (
    await portal.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM client WHERE client_id LIKE 'vendor-x-%' AND NOT enabled",
    )
  )[0]?.count;

/** 20 of 29 clients are disabled when the page is closed; the job is due when the test says so. */
async function closedInTheMiddle(): Promise<void> {
  const id = randomUUID();
  const request = { action: 'disable', filter: { searchTerm: 'vendor-x' } };
  await portal.query(
    `WITH change AS (
       INSERT INTO bulk_change (id, actor, request, subject)
       SELECT $1, account.id::text, $2, 'clients' FROM account WHERE email = $3 RETURNING id),
     rows AS (
       INSERT INTO bulk_change_item (bulk_change, target, outcome, version)
       SELECT $1, id, CASE WHEN number <= 20 THEN 'changed' END, CASE WHEN number <= 20 THEN 2 END
         FROM (SELECT id, row_number() OVER (ORDER BY client_id) AS number FROM client WHERE client_id LIKE 'vendor-x-%') AS numbered
       RETURNING target, outcome)
     SELECT FROM change`,
    [id, JSON.stringify(request), people.admin.email],
  );
  await portal.query(
    `UPDATE client SET enabled = false, version = 2 WHERE id IN
       (SELECT target FROM bulk_change_item WHERE bulk_change = $1 AND outcome = 'changed')`,
    [id],
  );
  const work = {
    id,
    userId: '',
    issuer: portal.issuer,
    address: '127.0.0.1',
    correlationId: randomUUID(),
    language: 'en',
  };
  await portal.query("INSERT INTO job (kind, payload, due_at) VALUES ('bulk-changes', $1, now() + interval '1 hour')", [
    JSON.stringify(work),
  ]);
}

const goOn = async () => {
  await portal.query("UPDATE job SET due_at = now() WHERE kind = 'bulk-changes'");
  await portal.query("SELECT pg_notify('gatehouse_jobs', 'bulk-changes')");
};

it('a change that continues without its page is shown with its progress on any page, and its end until it is closed', async () => {
  await closedInTheMiddle();
  const page = await open(await browser.open());
  await notice(page).getByText('Disable clients: 20 of 29 done').waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await goOn();
  await notice(page).getByText('Disable clients: 29 of 29 changed').waitFor();
  expect(await disabledOnes()).toBe(count);
  const elsewhere = await open(await browser.open());
  await notice(elsewhere).getByText('29 of 29 changed').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await notice(page).getByText('Disable clients: undone for 29 of 29').waitFor();
  expect(await disabledOnes()).toBe(0);
  await page.getByRole('button', { name: 'Close' }).last().click();
  await notice(page).waitFor({ state: 'detached' });
  await page.reload();
  await expectPage(page, '/admin/activity', 'Activity');
  await until(async () => (await portal.query('SELECT FROM bulk_change WHERE seen_at IS NULL')).length === 0);
  expect(await notice(page).count()).toBe(0);
});

it('it is stopped on any page, which says that the rest was not done, and fits in every look', async () => {
  await portal.query('DELETE FROM bulk_change');
  await portal.query("UPDATE client SET enabled = true, version = 1 WHERE client_id LIKE 'vendor-x-%'");
  await closedInTheMiddle();
  await expectFitInEveryLook(browser, {
    'While it goes on': async (page) => {
      await open(page);
      await notice(page).getByText('20 of 29 done').waitFor();
    },
    Stopped: async (page) => {
      await page.getByRole('button', { name: 'Stop' }).click();
      await notice(page).getByText('Disable clients: stopped after 20 of 29. The rest was not done.').waitFor();
    },
  });
  await goOn();
  expect(await disabledOnes()).toBe(20);
});
