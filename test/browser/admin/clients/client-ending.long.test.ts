import type { Locator, Page } from 'playwright-core';
import { useBrowser } from '../../../support/browser/browser.js';
import { expectDialog, expectPage, expectText, signInByApi } from '../../../support/browser/pages.js';
import { publicApp } from '../../../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../../../support/portal/admin-portal.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const path = '/admin/client-management';
const diary = { ...publicApp, clientId: 'diary', clientName: 'Heart Diary', accessTokenType: 'Reference' };
let portal: AdminPortal;
let id: string;

beforeAll(async () => {
  portal = await startAdminPortal({ config: { clients: [diary] } });
  const [row] = await portal.query<{ id: string }>("SELECT id FROM client WHERE client_id = 'diary'");
  id = row?.id ?? '';
  await portal.query(
    `INSERT INTO oidc_record (model, id_hash, payload, grant_id, account_id, client_id, created_at, expires_at)
     SELECT kind.model, kind.model || n, '{}', 'g' || n, md5(n::text)::uuid, 'diary', now(), now() + interval '1 day'
       FROM generate_series(1, 3) AS n,
            (VALUES ('Grant'), ('RefreshToken'), ('AccessToken')) AS kind (model)`,
  );
});
afterAll(() => portal.close());

async function openSheet(look = {}): Promise<{ page: Page; sheet: Locator }> {
  const page = await browser.open(look);
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}${path}?client=${id}`);
  await expectPage(page, path, 'Clients');
  const sheet = page.getByRole('dialog').filter({ hasText: 'Client Info' });
  await expectText(sheet, 'General Information');
  return { page, sheet };
}

const undoNotice = (page: Page) => page.getByRole('region', { name: 'Undo' });
const isEnabled = async () => (await portal.api.get(`/api/admin/client/${id}`).expect(200)).body.enabled;
const ends = 'This ends the access of 3 people, 6 tokens.';

/** Continues with Tab until Undo has the focus, then presses it. */
async function tabTo(undo: Locator): Promise<void> {
  const page = undo.page();
  const hasFocus = async () => (await undo.and(page.locator(':focus')).count()) === 1;
  for (let count = 0; count < 60 && !(await hasFocus()); count++) await page.keyboard.press('Tab');
  expect(await hasFocus()).toBe(true);
  await page.keyboard.press('Enter');
}

describe.each([
  ['a wide page', { width: 1280, height: 800 }],
  ['a phone', { width: 360, height: 740 }],
] as const)('On %s, the panel of a client', (_, look) => {
  it('disables it after a question that says what ends, and enables it again by Control and Z', async () => {
    const { page, sheet } = await openSheet(look);
    await sheet.getByRole('button', { name: 'Disable' }).press('Enter');
    const question = await expectDialog(page, 'Disable client Heart Diary?');
    await expectText(question, ends, 'No launch is recorded in the last 30 days.');
    await page.locator('button:focus', { hasText: 'Cancel' }).waitFor();
    await question.getByRole('button', { name: 'Disable' }).press('Enter');
    await undoNotice(page).getByText('is disabled').waitFor();
    await sheet.getByRole('button', { name: 'Enable' }).waitFor();
    expect(await isEnabled()).toBe(false);
    await page.keyboard.press('Control+z');
    await sheet.getByRole('button', { name: 'Disable' }).waitFor();
    expect(await isEnabled()).toBe(true);
  });

  it('does what is chosen while the question is still opening', async () => {
    const { page, sheet } = await openSheet(look);
    await page.evaluate(`new MutationObserver((_, observer) => {
      const [button] = [...document.querySelectorAll('[role=dialog] .ant-modal-footer button')].filter((one) => one.textContent === 'Disable');
      if (!button) return;
      observer.disconnect();
      button.focus();
    }).observe(document.body, { childList: true, subtree: true })`);
    await sheet.getByRole('button', { name: 'Disable' }).press('Enter');
    const question = await expectDialog(page, 'Disable client Heart Diary?');
    await page.locator('.ant-zoom-appear, .ant-zoom-enter').waitFor({ state: 'detached' });
    await question.getByRole('button', { name: 'Disable' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await sheet.getByRole('button', { name: 'Enable' }).waitFor();
    expect(await isEnabled()).toBe(false);
    await page.keyboard.press('Control+z');
    await sheet.getByRole('button', { name: 'Disable' }).waitFor();
  });

  it('stays open while Undo is pressed by Enter, by the pointer or by Tab and Enter, and has the focus afterwards', async () => {
    const { page, sheet } = await openSheet(look);
    for (const press of [(undo: Locator) => undo.press('Enter'), (undo: Locator) => undo.click(), tabTo]) {
      await sheet.getByRole('button', { name: 'Disable' }).press('Enter');
      const question = await expectDialog(page, 'Disable client Heart Diary?');
      await question.getByRole('button', { name: 'Disable' }).press('Enter');
      await question.waitFor({ state: 'detached' });
      await sheet.getByRole('button', { name: 'Enable' }).waitFor();
      await press(undoNotice(page).getByRole('button', { name: 'Undo' }));
      await undoNotice(page).waitFor({ state: 'detached' });
      await sheet.getByRole('button', { name: 'Disable' }).waitFor();
      await sheet.locator(':focus').waitFor();
      expect(await isEnabled()).toBe(true);
    }
  });

  it('lets a screen reader leave it for the notice, and a dialog that opens meanwhile, too, until the notice is gone', async () => {
    const { page, sheet } = await openSheet(look);
    const usual = look.width < 1280 ? 'true' : 'false';
    expect(await sheet.getAttribute('aria-modal')).toBe(usual);
    await sheet.getByRole('button', { name: 'Disable' }).press('Enter');
    const question = await expectDialog(page, 'Disable client Heart Diary?');
    expect(await question.getAttribute('aria-modal')).toBe('true');
    await question.getByRole('button', { name: 'Disable' }).press('Enter');
    await question.waitFor({ state: 'detached' });
    const undo = undoNotice(page).getByRole('button', { name: 'Undo' });
    await undo.hover();
    await sheet.and(page.locator('[aria-modal="false"]')).waitFor();
    await sheet.getByRole('button', { name: 'Delete' }).press('Enter');
    const next = await expectDialog(page, 'Delete client Heart Diary?');
    await next.and(page.locator('[aria-modal="false"]')).waitFor();
    await undo.press('Enter');
    await undoNotice(page).waitFor({ state: 'detached' });
    await next.and(page.locator('[aria-modal="true"]')).waitFor();
    await sheet.and(page.locator(`[aria-modal="${usual}"]`)).waitFor();
    expect(await isEnabled()).toBe(true);
  });

  it('leaves the focus on Undo if the user reaches it while a question is still opening', async () => {
    const { page, sheet } = await openSheet(look);
    await sheet.getByRole('button', { name: 'Disable' }).press('Enter');
    const question = await expectDialog(page, 'Disable client Heart Diary?');
    await question.getByRole('button', { name: 'Disable' }).press('Enter');
    await question.waitFor({ state: 'detached' });
    const undo = undoNotice(page).getByRole('button', { name: 'Undo' });
    await undo.hover();
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (!document.querySelector('[role=dialog] .ant-modal-footer')) return;
      observer.disconnect();
      document.querySelector('section[aria-label=Undo] button').focus();
    }).observe(document.body, { childList: true, subtree: true })`);
    await sheet.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByRole('dialog', { name: 'Delete client Heart Diary?' }).waitFor();
    await page.locator('.ant-zoom-appear, .ant-zoom-enter').waitFor({ state: 'detached' });
    await undo.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await undoNotice(page).waitFor({ state: 'detached' });
    expect(await isEnabled()).toBe(true);
  });

  it('stays open when Escape closes the notice, and has the focus afterwards', async () => {
    const { page, sheet } = await openSheet(look);
    await sheet.getByRole('button', { name: 'Disable' }).press('Enter');
    const question = await expectDialog(page, 'Disable client Heart Diary?');
    await question.getByRole('button', { name: 'Disable' }).press('Enter');
    await question.waitFor({ state: 'detached' });
    await undoNotice(page).getByRole('button', { name: 'Undo' }).press('Escape');
    await undoNotice(page).waitFor({ state: 'detached' });
    await sheet.locator(':focus').waitFor();
    expect(await isEnabled()).toBe(false);
    await sheet.getByRole('button', { name: 'Enable' }).press('Enter');
    await sheet.getByRole('button', { name: 'Disable' }).waitFor();
  });

  it('deletes it, and Undo brings it back to the list', async () => {
    const { page, sheet } = await openSheet(look);
    await sheet.getByRole('button', { name: 'Delete', exact: true }).click();
    const question = await expectDialog(page, 'Delete client Heart Diary?');
    await expectText(
      question,
      ends,
      'You will not be able to recover this client.',
      'For 10 seconds you can undo the deletion.',
    );
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await undoNotice(page).getByText('Client was successfully deleted').waitFor();
    await portal.api.get(`/api/admin/client/${id}`).expect(404);
    await undoNotice(page).getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByRole('button', { name: 'Heart Diary', exact: true }).waitFor();
    expect(await isEnabled()).toBe(true);
  });
});
