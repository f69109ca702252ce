/** Rows of the lists of administrators: chosen, changed together, undone, and reached by keys. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectDialog, expectInView, expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import type { AdminPortal } from '../../support/portal/admin-portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';
import {
  bar,
  box,
  disable,
  expectConfirm,
  focusedRow,
  header,
  isMixed,
  notice,
  selected,
  startPortalWithLongLists,
} from './list-selection.js';

const browser = useBrowser();
const path = '/admin/client-management';
let portal: AdminPortal;

beforeAll(async () => {
  portal = await startPortalWithLongLists();
});
afterAll(() => portal.close());

beforeEach(async () => {
  await portal.query('UPDATE client SET enabled = true WHERE NOT enabled');
});

async function open(query = '', look = {}, address = path, title = 'Clients'): Promise<Page> {
  const page = await browser.open(look);
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(portal.issuer + address + query);
  await expectPage(page, address, title);
  await page.locator('[data-row]').first().waitFor();
  return page;
}

const disabledOnes = async () =>
  (
    await portal.query<{ client_name: string }>('SELECT client_name FROM client WHERE NOT enabled ORDER BY client_id')
  ).map(({ client_name }) => client_name);

describe('The selection of a list', () => {
  it('is that of a page by its header, which is mixed while only some rows are chosen, or a range by Shift, is announced, is kept while the list is paged and sorted, and ends with another search and by Escape', async () => {
    const page = await open();
    await box(page, 'Ward 001').check();
    await selected(page, '1 selected');
    expect(await isMixed(page)).toBe(true);
    await header(page).click();
    await selected(page, '10 selected');
    expect([await isMixed(page), await header(page).isChecked()]).toEqual([false, true]);
    await page.getByRole('status').getByText('10 selected', { exact: true }).waitFor({ state: 'attached' });
    await header(page).click();
    await bar(page).waitFor({ state: 'hidden' });
    await page.getByRole('status').getByText('Nothing is selected', { exact: true }).waitFor({ state: 'attached' });
    await box(page, 'Ward 002').click();
    await box(page, 'Ward 005').click({ modifiers: ['Shift'] });
    await selected(page, '4 selected');
    expect(await box(page, 'Ward 003').isChecked()).toBe(true);
    await page.locator('[data-row]').nth(6).focus();
    await page.keyboard.press('Shift+Space');
    await selected(page, '6 selected');
    await page.keyboard.press('Escape');
    await bar(page).waitFor({ state: 'hidden' });

    await box(page, 'Ward 001').check();
    await page.getByRole('button', { name: 'Page 2', exact: true }).click();
    await box(page, 'Ward 011').check();
    await page.getByRole('button', { name: 'Client', exact: true }).click();
    await selected(page, '2 selected');
    await page.getByRole('searchbox').fill('ward');
    await page.keyboard.press('Enter');
    await bar(page).waitFor({ state: 'hidden' });
    await page.locator('[data-row]').first().waitFor();
    await box(page, 'Ward 001').check();
    await page.keyboard.press('Escape');
    await bar(page).waitFor({ state: 'hidden' });
  });

  it('is of all that the search and the filters find, apart from those that are taken out of it, and is exported', async () => {
    const page = await open('?searchTerm=quill');
    const linesOf = async () => {
      const loading = page.waitForEvent('download');
      await bar(page).getByRole('button', { name: 'Export' }).click();
      const file = await loading;
      expect(file.suggestedFilename()).toMatch(/^clients-[\d-]+\.csv$/);
      return (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    };
    await box(page, 'Quill 025').check();
    expect(await linesOf()).toHaveLength(2);
    await bar(page).getByRole('button', { name: 'Select all 12' }).click();
    await selected(page, '12 selected');
    expect(await linesOf()).toHaveLength(13);
    await page.getByRole('button', { name: 'Page 2', exact: true }).click();
    await box(page, 'Quill 300').uncheck();
    await disable(page, 'Disable 11 clients?');
    await expectText(notice(page), '11 clients disabled');
    expect(await disabledOnes()).not.toContain('Quill 300');
    expect(await disabledOnes()).toHaveLength(11);
  });

  it('is accessible in every look, with its bar, the columns and the dialogs', async () => {
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await signInByApi(page, portal.issuer, people.admin);
        await page.goto(portal.issuer + path);
        await box(page, 'Ward 001').check();
        await box(page, 'Ward 003').check();
        await expectInView(bar(page));
      },
      { number: 1 },
    );
  });

  it('has actions that fit a phone, in a menu', async () => {
    const page = await open('', { width: 360 });
    await box(page, 'Ward 001').check();
    await bar(page).getByRole('button', { name: 'Actions' }).click();
    // The menu takes the focus a moment after it has opened.
    await page.getByRole('menu').and(page.locator(':focus-within')).waitFor();
    // At its place, as a finger does: the second attempt of `click` scrolls the page, and the menu follows in the next
    // frame.
    const place = await page.getByRole('menuitem', { name: 'Disable' }).boundingBox();
    if (!place) throw new Error('the menu has no such item');
    await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
    const dialog = await expectDialog(page, 'Disable 1 client?');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await expectText(notice(page), '1 client disabled');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });
});

describe('An administrator', () => {
  it('disables every app of a vendor among 302 clients in four actions, by keyboard alone', async () => {
    const page = await open();
    let actions = 0;
    const act = async (action: () => Promise<unknown>) => {
      actions += 1;
      await action();
    };
    await act(async () => {
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('quill');
      await page.keyboard.press('Enter');
      await expectText(page, '1–10 of 12');
    });
    await act(async () => {
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Control+a');
      await selected(page, '12 selected');
    });
    await act(async () => {
      await page.keyboard.press('.');
      const wanted = bar(page).getByRole('button', { name: 'Disable', exact: true }).and(page.locator(':focus'));
      while (!(await wanted.isVisible())) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await expectConfirm(page, 'Disable 12 clients?', 'Disable');
    });
    await act(() => page.keyboard.press('Enter'));
    await expectText(notice(page), '12 clients disabled');
    expect(actions).toBe(4);
    const disabled = await disabledOnes();
    expect([disabled.length, disabled.every((name) => name.startsWith('Quill '))]).toEqual([12, true]);
  });

  it('goes through the rows by j and k, which the opened panel follows while the focus stays in the list, types them into a field, and finds them by ?', async () => {
    const page = await open();
    await page.keyboard.press('j');
    await until(async () => (await focusedRow(page)) === 'Ward 001');
    await page.keyboard.press('j');
    expect(await focusedRow(page)).toBe('Ward 002');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog').filter({ hasText: 'Client Info' });
    await expectText(panel, 'Ward 002', 'General Information');
    await panel.and(page.locator(':focus-within')).waitFor();
    await page.locator('[data-row]').nth(1).focus();
    await page.keyboard.press('j');
    await expectText(panel, 'Ward 003', 'General Information');
    await until(async () => (await focusedRow(page)) === 'Ward 003');
    await page.keyboard.press('k');
    await expectText(panel, 'Ward 002', 'General Information');
    await page.keyboard.press(' ');
    expect(await box(page, 'Ward 002').isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await bar(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await panel.and(page.locator(':focus-within')).waitFor();
    await page.keyboard.press('j');
    await expectText(panel, 'Ward 003', 'General Information');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    await until(async () => (await focusedRow(page)) === 'Ward 003');
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('jk? .');
    expect(await page.getByRole('searchbox').inputValue()).toBe('jk? .');
    expect(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count()).toBe(0);
    await page.locator('[data-row]').first().focus();
    await page.keyboard.press('?');
    const help = await expectDialog(page, 'Keyboard shortcuts');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
  });

  it('goes through 5,003 users by the keys, with the panel over the list, and finds the keys by ?', async () => {
    const page = await open('', {}, '/admin/user-management', 'Users');
    await page.keyboard.press('?');
    const help = await expectDialog(page, 'Keyboard shortcuts');
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await page.locator('[data-row]').first().focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog').filter({ hasText: 'User Info' });
    await expectText(panel, 'Ada Abel');
    await page.keyboard.press('j');
    await expectText(panel, 'Many 0001');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    await until(async () => (await focusedRow(page)) === 'Many 0001');
  });

  it('chooses the columns; they are kept for this administrator, and the one that the list is sorted by stays', async () => {
    const page = await open();
    const columns = () => page.getByRole('columnheader').allInnerTexts();
    const menu = page.getByRole('dialog', { name: 'Columns' });
    await page.getByRole('button', { name: 'Columns' }).click();
    await menu.getByRole('checkbox', { name: 'Type', exact: true }).uncheck();
    await menu.getByRole('checkbox', { name: 'Redirect URIs' }).check();
    await menu.getByRole('checkbox', { name: 'Last used' }).check();
    expect(await menu.getByRole('checkbox', { name: 'Client ID (sorted by it)' }).isDisabled()).toBe(true);
    await page.reload();
    await page.locator('[data-row]').first().waitFor();
    expect(await columns()).toEqual(['', 'Client', 'Client ID', 'Tags', 'Status', 'Redirect URIs', 'Last used']);
    await expectText(page.locator('[data-row]').first(), 'N/A');
    await page.getByRole('button', { name: 'Columns' }).click();
    await menu.getByRole('button', { name: 'Reset' }).click();
    expect(await columns()).toEqual(['', 'Client', 'Client ID', 'Type', 'Tags', 'Status']);
  });

  it('sends invitations again; users who have confirmed their address are named', async () => {
    const page = await open('?searchTerm=many', {}, '/admin/user-management', 'Users');
    await box(page, 'Many 0001').check();
    await box(page, 'Many 0002').check();
    await bar(page).getByRole('button', { name: 'Resend invitation' }).click();
    await expectConfirm(page, 'Send the invitation again to 2 users?', 'Send');
    await page.keyboard.press('Enter');
    await expectText(page, 'Invitations to be sent: 1 of 2');
    await bar(page).getByRole('button', { name: 'Show' }).click();
    const dialog = await expectDialog(page, 'Not changed');
    await expectText(dialog, 'Many 0002', 'Has confirmed the email address already, or signs in elsewhere.');
  });
});

describe('The notice that offers to undo', () => {
  it('restores what was changed, also when the first answer was lost, and nothing that another administrator changed since', async () => {
    const page = await open('?searchTerm=quill');
    await header(page).click();
    browser.expectError(/ERR_FAILED|ERR_CONNECTION/);
    await page.route(
      '**/api/admin/client/bulk/*',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await disable(page, 'Disable 10 clients?');
    await expectText(notice(page), '10 clients disabled');
    const { body } = await portal.api.get('/api/admin/client').query({ searchTerm: 'Quill 050' });
    await portal.api.put(`/api/admin/client/${body.clients[0].id}`).send({ description: 'Changed' }).expect(200);
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await expectText(page, 'Undone for 9 of 10; the others were changed again since.');
    expect(await disabledOnes()).toEqual(['Quill 050']);
  });

  it('restores deleted clients, and names those that could not be restored in time; the question says what ends', async () => {
    const page = await open('?searchTerm=quill');
    const rows = await portal.query<{ id: string }>(
      "SELECT id FROM client WHERE client_name IN ('Quill 025', 'Quill 050', 'Quill 075') ORDER BY client_name",
    );
    await portal.query(
      `INSERT INTO oidc_record (model, id_hash, payload, grant_id, account_id, client_id, created_at, expires_at)
       SELECT kind.model, kind.model || n, '{}', 'g' || n, md5(n::text)::uuid, 'app-025', now(), now() + interval '1 day'
         FROM generate_series(1, 3) AS n, (VALUES ('Grant'), ('RefreshToken'), ('AccessToken')) AS kind (model)`,
    );
    for (const name of ['Quill 025', 'Quill 050', 'Quill 075']) await box(page, name).check();
    const ask = async () => {
      await bar(page).getByRole('button', { name: 'Delete', exact: true }).click();
      const question = await expectDialog(page, 'Delete 3 clients?');
      const ends =
        'This ends the access of 3 people, 6 tokens. Self-contained access tokens are not counted. They are refused here, too.';
      await expectText(question, ends, 'No launch is recorded in the last 30 days.');
      await question.getByRole('button', { name: 'Delete' }).click();
      await expectText(notice(page), '3 clients deleted');
    };
    await ask();
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await expectText(page, 'Undone for 3 clients.');
    await box(page, 'Quill 050').waitFor();
    await ask();
    await portal.query("UPDATE job SET due_at = now() - interval '1 second' WHERE key = $1", [`client ${rows[1]?.id}`]);
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await expectText(page, 'Undone for 2 of 3; not undone: Quill 050.');
    await box(page, 'Quill 025').waitFor();
    await box(page, 'Quill 050').waitFor({ state: 'detached' });
  });

  it('disappears after ten seconds, later while it has the pointer or the focus, is closed by Escape, and outlives the page that it was given on', async () => {
    const page = await open();
    await page.clock.install();
    await box(page, 'Ward 001').check();
    await disable(page, 'Disable 1 client?');
    await notice(page).hover();
    await page.clock.runFor(30_000);
    await notice(page).waitFor();
    await page.mouse.move(5, 400);
    await page.clock.runFor(10_500);
    await notice(page).waitFor({ state: 'detached' });
    await bar(page).getByRole('button', { name: 'Enable', exact: true }).click();
    await notice(page).getByRole('button', { name: 'Undo' }).focus();
    await page.keyboard.press('Escape');
    await notice(page).waitFor({ state: 'detached' });
    expect(await disabledOnes()).toEqual([]);

    await disable(page, 'Disable 1 client?');
    await page.clock.runFor(6000);
    await page.getByRole('link', { name: 'User management' }).click();
    await expectPage(page, '/admin/user-management', 'Users');
    await notice(page).getByRole('button', { name: 'Undo' }).focus();
    await page.clock.runFor(60_000);
    // The minute under the focus was too long for the access to be restored, too.
    await portal.query("UPDATE job SET due_at = now() - interval '1 second' WHERE kind = 'client-endings'");
    await notice(page).getByRole('button', { name: 'Undo' }).press('Enter');
    await expectText(page, 'Undone for 1 client. Access that had ended by then stays ended: its users sign in again.');
    await notice(page).waitFor({ state: 'detached' });
    expect(await disabledOnes()).toEqual([]);
  });

  it('is announced politely with its key, which undoes outside of fields only, also when an undo has failed', async () => {
    const page = await open();
    await box(page, 'Ward 001').check();
    await disable(page, 'Disable 1 client?');
    await notice(page)
      .getByRole('status')
      .getByText('press Control and Z within 10 seconds')
      .waitFor({ state: 'attached' });
    browser.expectAnyFailure(503);
    await page.route('**/undo', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 });
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await expectText(page, 'This could not be undone. Try again.');
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('Control+z');
    expect(await disabledOnes()).toEqual(['Ward 001']);
    await bar(page).getByRole('button', { name: 'Export' }).focus();
    await page.keyboard.press('Control+z');
    await expectText(page, 'Undone for 1 client.');
    expect(await disabledOnes()).toEqual([]);
  });
});
