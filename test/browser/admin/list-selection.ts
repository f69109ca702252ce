import type { Page } from 'playwright-core';
import { expectDialog } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';

/**
 * 302 clients, of which 12 are of one vendor, and 5,002 patients, of whom every second one has confirmed the address.
 */
export async function startPortalWithLongLists(): Promise<AdminPortal> {
  const portal = await startAdminPortal({
    config: {
      clients: [publicApp],
      email: { smtp: { host: '127.0.0.1', port: 9, security: 'none' }, from: 'portal@example.org' },
    },
  });
  await portal.query(`
    INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
    SELECT gen_random_uuid(), 'app-' || to_char(i, 'FM000'), CASE WHEN i % 25 = 0 THEN 'Quill ' ELSE 'Ward ' END || to_char(i, 'FM000'),
           client_type, true, 1, settings, now(), now()
      FROM generate_series(1, 301) AS i JOIN client ON client_id = 'public-app'`);
  await portal.api
    .post('/api/admin/user')
    .send({
      fullName: 'Ada Abel',
      email: 'ada@example.org',
      userType: 'Patient',
      claims: [{ name: 'fhirUser', value: 'Patient/1' }],
    })
    .expect(201);
  const [row] = await portal.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
      WHERE table_name = 'account' AND is_generated = 'NEVER' AND column_name NOT IN ('id', 'email', 'full_name', 'email_confirmed')`,
  );
  await portal.query(`
    INSERT INTO account (id, email, full_name, email_confirmed, ${row?.columns})
    SELECT gen_random_uuid(), 'many' || i || '@example.org', 'Many ' || to_char(i, 'FM0000'), i % 2 = 0, ${row?.columns}
      FROM generate_series(1, 5001) AS i JOIN account ON email = 'ada@example.org'`);
  return portal;
}

export const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });
export const notice = (page: Page) => page.getByRole('region', { name: 'Undo' });
export const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
export const header = (page: Page) => page.getByRole('checkbox', { name: 'Select all on this page' });
export const selected = (page: Page, text: string) => bar(page).getByText(text, { exact: true }).waitFor();
export const isMixed = (page: Page) =>
  header(page).evaluate((input) => (input as unknown as { indeterminate: boolean }).indeterminate);

/** The question, with the focus on the button that confirms it. */
export async function expectConfirm(page: Page, title: string, button: string): Promise<void> {
  const dialog = await expectDialog(page, title);
  await dialog.getByRole('button', { name: button }).and(page.locator(':focus')).waitFor();
}

/** Disables what is selected; the dialog is confirmed by Enter. */
export async function disable(page: Page, title: string): Promise<void> {
  await bar(page).getByRole('button', { name: 'Disable', exact: true }).press('Enter');
  await expectConfirm(page, title, 'Disable');
  await page.keyboard.press('Enter');
  await notice(page).waitFor();
}

export const focusedRow = (page: Page) =>
  page.evaluate<string>('document.activeElement.closest("[data-row]")?.querySelector("button")?.textContent ?? ""');
