import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { AuditSeals } from '../../../src/audit/domain/audit-seals.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectNotice, expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const path = '/admin/audit';
const launch = 'B'.repeat(12);
let portal: TestPortal;
let clientRecord = '';
const ids: Record<string, string> = {};

beforeAll(async () => {
  const users = [people.admin, people.patient, people.practitioner];
  portal = await startPortal({ config: { users, clients: [publicApp] } });
  for (const { id, email } of await portal.query<{ id: string; email: string }>('SELECT id, email FROM account')) {
    ids[email] = id;
  }
  clientRecord = (await portal.query<{ id: string }>('SELECT id FROM client'))[0]?.id ?? '';
  const read = { method: 'GET', target: '/Observation', status: 200, interaction: 'search', resource: 'Observation' };
  const access = {
    type: 'record.accessed',
    userId: ids[people.practitioner.email] ?? '',
    clientId: publicApp.clientId,
  };
  for (let count = 0; count < 12; count += 1) {
    await given({ ...access, detail: { ...read, patients: ['p-1', 'p-2'], seen: [{ Observation: 2 }, {}], launch } });
  }
  await given({
    type: 'user.changed',
    userId: ids[people.admin.email] ?? '',
    subject: ids[people.patient.email] ?? '',
    detail: { fullName: ['Amelia', 'Amelia Ward'] },
  });
  await given({
    type: 'client.changed',
    userId: ids[people.admin.email] ?? '',
    clientId: publicApp.clientId,
    subject: clientRecord,
    detail: {
      accessTokenLifetime: ['01:00:00', '00:15:00'],
      require2fa: [false, true],
      redirectUris: [[], ['https://one.example/callback', 'https://two.example/callback']],
      clientSecrets: [[], [{ id: 'x' }]],
    },
  });
  await portal.apps[0]?.get(AuditSeals, { strict: false }).seal();
});
afterAll(() => portal.close());

async function given(event: { type: string; userId: string; clientId?: string; subject?: string; detail: object }) {
  await portal.query(
    `WITH event AS (
       INSERT INTO audit_event (type, outcome, user_id, client_id, subject, address, detail)
       VALUES ($1, 'success', $2, $3, $4, '203.0.113.24', $5) RETURNING id)
     INSERT INTO audit_unsealed (event_id) SELECT id FROM event`,
    [event.type, event.userId, event.clientId ?? null, event.subject ?? null, JSON.stringify(event.detail)],
  );
}

async function open(query = '', page?: Page): Promise<Page> {
  const shown = page ?? (await browser.open());
  await signInByApi(shown, portal.issuer, people.admin);
  await shown.goto(portal.issuer + path + query);
  await expectPage(shown, path, 'Audit');
  return shown;
}

const rows = (page: Page) => page.getByRole('table', { name: 'Audit' }).locator('tbody tr');
const panel = (page: Page) => page.getByRole('dialog', { name: /Audit entry/ });

describe('The audit page', () => {
  it('has time, person, what happened and on what of each entry, and opens one next to the list', async () => {
    const page = await open('?group=changes');
    await expectText(rows(page).first(), 'Ada Admin', 'Changed a client', publicApp.clientName, publicApp.clientId);
    await expectText(rows(page).nth(1), 'Changed a user', 'Amelia Ward');
    await page.getByRole('button', { name: 'Changed a client' }).click();
    await expectText(panel(page), 'Changed a client', '203.0.113.24', 'Sealed', '4 settings');
    await expectText(
      panel(page),
      'Access token lifetime',
      '1 hour',
      '15 minutes',
      'Off',
      'On',
      'Client secrets',
      'Changed',
    );
    expect(await panel(page).getByText('https://one.example/callback').innerText()).toBe(
      'https://one.example/callback\nhttps://two.example/callback',
    );
    await expectText(panel(page), 'Unchanged since it was written');
    await panel(page).getByText('Seal 1, ').waitFor();
    expect(await panel(page).getByRole('link', { name: publicApp.clientName }).getAttribute('href')).toBe(
      `/admin/client-management?client=${clientRecord}`,
    );
    await panel(page).getByRole('button', { name: 'Entry below' }).click();
    await expectText(panel(page), 'Changed a user', 'Name', 'Amelia');
    expect(await panel(page).getByRole('button', { name: 'Entry above' }).isEnabled()).toBe(true);
    await panel(page).getByRole('button', { name: 'Show technical details' }).click();
    await panel(page).getByText('"fullName"').waitFor();
    const [seal, details] = await Promise.all(
      ['Seal', 'Technical details'].map((name) =>
        panel(page)
          .locator('section', { has: page.getByRole('heading', { name, exact: true }) })
          .boundingBox(),
      ),
    );
    expect((details?.y ?? 0) - (seal?.y ?? 0) - (seal?.height ?? 0)).toBe(24);
    await page.goBack();
    await expectText(panel(page), 'Changed a client');
    await panel(page).getByRole('button', { name: 'Check seal again' }).click();
    await panel(page).getByRole('status').filter({ hasText: 'Unchanged since it was written' }).waitFor();
  });

  itInLongRun('points from the value before to the one after, also in languages from right to left', async () => {
    const page = await open('?group=changes');
    await page.getByRole('button', { name: 'Changed a client' }).click();
    await panel(page).getByText('→').first().waitFor();
    const mirroring = "getComputedStyle(document.querySelector('[role=dialog] del ~ [aria-hidden]')).transform";
    expect(await page.evaluate(mirroring)).toBe('none');
    await page.evaluate("document.documentElement.dir = 'rtl'");
    expect(await page.evaluate(mirroring)).toBe('matrix(-1, 0, 0, 1, 0, 0)');
  });

  itInLongRun('is filtered, and the filters are in the address and in chips that can be removed', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'What', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Accesses' }).click();
    await expectText(page, '1–12 of 12');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Who', exact: true }).click();
    browser.expectFailure('/api/admin/audit', 400);
    await page.getByRole('textbox', { name: 'Patient ID' }).fill('Observation/p-3');
    await page.getByRole('textbox', { name: 'Patient ID' }).press('Enter');
    await page.getByRole('dialog').getByText('Please enter the id of a patient').waitFor();
    await page.getByText('This search was not made').waitFor();
    expect(await page.getByRole('textbox', { name: 'Patient ID' }).getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('textbox', { name: 'Patient ID' }).fill('Patient/p-3');
    await page.keyboard.press('Enter');
    await expectText(page, 'No entries found');
    expect(new URL(page.url()).search).toBe('?group=accesses&patient=Patient%2Fp-3');
    await page.getByRole('button', { name: 'Remove filter Patient ID: Patient/p-3' }).click();
    await expectText(rows(page).first(), 'Read health data', 'Patient p-1 and 1 more', 'Observation');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.waitForURL(portal.issuer + path);
  });

  itInLongRun('is read page by page, and Back returns to the page before', async () => {
    const page = await open('?group=accesses&pageSize=5');
    await expectText(page, '1–5 of 12');
    await page.getByRole('button', { name: 'Next page' }).click();
    await expectText(page, '6–10 of 12');
    await page.getByRole('button', { name: 'Next page' }).click();
    await expectText(page, '11–12 of 12');
    await page.getByRole('button', { name: 'Previous page' }).click();
    await expectText(page, '6–10 of 12');
    await page.goBack();
    await expectText(page, '11–12 of 12');
    await page.getByRole('button', { name: 'Time' }).click();
    await expectText(page, '1–5 of 12');
    // The second click comes before the next page: it is the same step.
    await page.getByRole('button', { name: 'Next page' }).dblclick();
    await expectText(page, '6–10 of 12');
  });

  itInLongRun('says what is wrong with a filter, and that it could not be loaded', async () => {
    browser.expectFailure('/api/admin/audit', 400);
    const page = await open('?launch=nonsense');
    await expectText(page, 'A reference has eight letters and digits, such as NB-7Q4K-2M.');
    browser.expectFailure('/api/admin/audit', 503);
    await page.route('**/api/admin/audit?*', (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  itInLongRun('exports what is filtered', async () => {
    const page = await open('?group=accesses');
    await expectText(page, '1–12 of 12');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    await expectNotice(page, '12 entries exported.');
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^audit-.*\.csv$/);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(13);
  });

  itInLongRun.each([
    [
      'a user',
      `/admin/user-management?user=`,
      () => ids[people.patient.email],
      () => `?accountId=${ids[people.patient.email]}`,
    ],
    ['a client', `/admin/client-management?client=`, () => clientRecord, () => `?clientId=${publicApp.clientId}`],
  ])('is one click away from %s', async (_what, address, id, query) => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.goto(portal.issuer + address + id());
    await page.getByRole('link', { name: 'Audit entries' }).first().click();
    await expectPage(page, path, 'Audit');
    expect(new URL(page.url()).search).toBe(query());
    await rows(page).first().waitFor();
  });

  itInLongRun('is used with the keyboard alone', async () => {
    const page = await open('?group=changes');
    const first = page.getByRole('button', { name: 'Changed a client' });
    await first.waitFor();
    await page.getByRole('searchbox').focus();
    while (!(await first.evaluate((one) => one === one.ownerDocument.activeElement))) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expectText(panel(page), 'Unchanged since it was written');
    await panel(page).getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    await until(() => first.evaluate((one) => one === one.ownerDocument.activeElement));
  });

  itInLongRun('fits in every look, with and without an opened entry', () =>
    expectFitInEveryLook(browser, {
      'The list': async (page) => {
        await open('?group=changes&administrators=true', page);
        await page.getByText('Changed a client').first().waitFor();
      },
      'An opened entry': async (page) => {
        await page.getByRole('button', { name: 'Changed a client' }).click();
        await page.getByText('Unchanged since it was written').first().waitFor();
      },
    }),
  );

  itInLongRun('verifies the seals on request, and tells of a broken one with its proof', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Verify now' }).click();
    await expectNotice(page, 'The audit record is unbroken.');
    await expectText(page, 'Sealed and unbroken');
    await page.getByText('verified by Ada Admin').waitFor();
    await portal.query(
      `SET session_replication_role = replica; UPDATE audit_event SET address = '198.51.100.9' WHERE type = 'client.changed';
       SET session_replication_role = DEFAULT`,
    );
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByRole('alert').getByText('The audit record was changed outside of the portal').waitFor();
    await page.getByText('seal 1 is broken').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the proof' }).click();
    expect((await download).suggestedFilename()).toMatch(/^audit-proof-/);
    await page.goto(`${portal.issuer}${path}?group=changes`);
    await page.getByRole('button', { name: 'Changed a client' }).click();
    await expectText(panel(page), 'Broken', 'Changed after it was written, or an entry around it');
  });
});
