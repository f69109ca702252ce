/** Users from a CSV file: chosen or pasted, checked, and imported. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../../support/browser/browser.js';
import { expectDialog, expectPage, expectText, signInByApi } from '../../../support/browser/pages.js';
import { type AdminPortal, startAdminPortal } from '../../../support/portal/admin-portal.js';
import { itInLongRun } from '../../../support/runs.js';
import { until } from '../../../support/until.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const path = '/admin/user-management';
const header = 'name,email,type,fhir_user';
let portal: AdminPortal;

beforeAll(async () => {
  portal = await startAdminPortal({ fhirServer: false });
});
afterAll(() => portal.close());

async function open(query = '?import=true', look = {}): Promise<Page> {
  const page = await browser.open(look);
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(portal.issuer + path + query);
  await expectPage(page, path, 'Users');
  return page;
}

const line = (name: string) => `${name},${name.toLowerCase()}@file.example,Patient,Patient/${name}`;

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, role: 'button' | 'textbox', name: RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name }).and(page.locator(':focus'));
  for (let steps = 0; steps < 40 && !(await wanted.isVisible()); steps += 1) await page.keyboard.press('Tab');
  await wanted.waitFor();
}

describe('The import of users', () => {
  it('is found, checked and begun by keyboard alone, names each wrong line, and says how it ended', async () => {
    const page = await open('');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('import users');
    await page.keyboard.press('Enter');
    const dialog = await expectDialog(page, 'Import users');
    await tabTo(page, 'textbox', /^Or paste its lines/);
    await page.keyboard.insertText([header, line('Ada'), line('Bert'), 'Carl,nowhere,Patient,Patient/1'].join('\n'));
    await tabTo(page, 'button', /^Check/);
    await page.keyboard.press('Enter');
    await expectText(dialog, '2 users will be created.', '1 line is wrong. It is left out.', 'Line 4');
    await expectText(dialog, 'email: The Email field is not a valid e-mail address');
    expect(await portal.query("SELECT FROM account WHERE email LIKE '%@file.example'")).toEqual([]);
    await tabTo(page, 'button', /^Import 2 users/);
    await page.keyboard.press('Enter');
    await dialog.getByText('The import is finished. 2 users were created.').waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download the wrong lines' }).click();
    const saved = await readFile(await (await download).path(), 'utf8');
    expect(saved.split('\r\n')).toEqual([
      `\uFEFF${header},problem`,
      expect.stringMatching(/^Carl,nowhere,Patient,Patient\/1,"email: .+"$/),
      '',
    ]);
    // A reload shows how the same import ended, and begins nothing.
    await page.reload();
    await expectText(await expectDialog(page, 'Import users'), 'The import is finished. 2 users were created.');
    await page.keyboard.press('Escape');
    await expectText(page, 'ada@file.example', 'bert@file.example');
    expect(await portal.query("SELECT FROM account WHERE email LIKE '%@file.example'")).toHaveLength(2);
  });

  itInLongRun(
    'is stopped in the middle, says what was created, and is undone by keyboard alone, but for used invitations',
    async () => {
      const names = Array.from({ length: 400 }, (_, at) => `Stop${at}`);
      const page = await open();
      const dialog = await expectDialog(page, 'Import users');
      await dialog.getByLabel('Or paste its lines').fill([header, ...names.map(line)].join('\n'));
      await dialog.getByRole('button', { name: 'Check' }).click();
      await tabTo(page, 'button', /^Import 400 users/);
      await page.keyboard.press('Enter');
      await dialog.getByText(/^\d+ of 400 done\./).waitFor();
      await tabTo(page, 'button', /^Stop$/);
      await page.keyboard.press('Enter');
      const stopped = dialog.getByText(/^The import was stopped\. \d+ users were created\.$/);
      await stopped.waitFor();
      const created = Number(/\d+/.exec((await stopped.textContent()) ?? '')?.[0]);
      expect(created).toBeLessThan(400);
      expect(await dialog.getByRole('progressbar').getAttribute('value')).toBe(String(created));
      await expectText(dialog, `${400 - created} lines were not imported. Import the same file again to continue.`);
      const left = () => portal.query("SELECT FROM account WHERE email LIKE 'stop%@file.example'");
      expect(await left()).toHaveLength(created);
      await portal.query("UPDATE account SET email_confirmed = true WHERE email = 'stop1@file.example'");
      // Also after a reload.
      await page.reload();
      await expectDialog(page, 'Import users');
      await tabTo(page, 'button', /^Undo the import$/);
      await page.keyboard.press('Enter');
      await expectText(dialog, `Remove the ${created} users that this import has created?`);
      await tabTo(page, 'button', /^Cancel$/);
      await page.keyboard.press('Enter');
      expect(await left()).toHaveLength(created);
      await tabTo(page, 'button', /^Undo the import$/);
      await page.keyboard.press('Enter');
      await tabTo(page, 'button', new RegExp(`^Remove ${created} users$`));
      await page.keyboard.press('Enter');
      await dialog.getByText(`The import was undone. ${created - 1} users were removed.`).waitFor();
      await expectText(dialog, '1 user was kept.', 'Stop1', 'The invitation was used.');
      expect(await left()).toHaveLength(1);
      await page.keyboard.press('Escape');
      await expectText(page, 'stop1@file.example');
    },
  );

  itInLongRun('says in the dialog why an undo is refused, and can be pressed again', async () => {
    const id = randomUUID();
    const csv = [header, line('Once')].join('\n');
    await portal.api.put(`/api/admin/user/import/${id}`).send({ csv }).expect(200);
    const page = await open(`?import=${id}`);
    const dialog = await expectDialog(page, 'Import users');
    await dialog.getByRole('button', { name: 'Undo the import' }).click();
    browser.expectFailure(`/api/admin/user/import/${id}/undo`, 503);
    const failing = `**/api/admin/user/import/${id}/undo`;
    await page.route(failing, (route) => route.fulfill({ status: 503, json: { message: 'Later, please.' } }));
    await dialog.getByRole('button', { name: 'Remove 1 user' }).click();
    await dialog.getByRole('button', { name: 'Undo the import' }).waitFor();
    await expectText(dialog, 'Later, please.');
    await page.unroute(failing);
    await dialog.getByRole('button', { name: 'Undo the import' }).click();
    await dialog.getByRole('button', { name: 'Remove 1 user' }).click();
    await dialog.getByText('The import was undone. 1 user was removed.').waitFor();
  });

  itInLongRun(
    'reads a file of an older spreadsheet as Windows-1252, says so, or why a file cannot be checked, and keeps what was typed',
    async () => {
      const page = await open();
      const dialog = await expectDialog(page, 'Import users');
      const buffer = Buffer.from(`${header}\r\nZo\u00eb,zoe@file.example,Patient,Patient/Z\r\n`, 'latin1');
      await dialog.getByLabel('CSV file').setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer });
      await dialog.getByText(/^The file is not UTF-8/).waitFor();
      expect(await dialog.getByLabel('Or paste its lines').inputValue()).toContain('Zoë,');
      await dialog.getByRole('button', { name: 'Check' }).click();
      await expectText(dialog, '1 user will be created.');
      // Back loses nothing.
      await dialog.getByRole('button', { name: 'Back' }).click();
      expect(await dialog.getByLabel('Or paste its lines').inputValue()).toContain('Zoë,');
      browser.expectFailure('/api/admin/user/import', 400);
      await dialog.getByLabel('Or paste its lines').fill('a,b\n1,2');
      await dialog.getByRole('button', { name: 'Check' }).click();
      await expectText(
        dialog,
        'The header has no column name, email, type, fhir_user. The first line must name the columns.',
      );
      expect(await dialog.getByLabel('Or paste its lines').inputValue()).toBe('a,b\n1,2');
    },
  );

  itInLongRun('is accessible in every look, when it was undone and users were kept', async () => {
    const id = randomUUID();
    const csv = [header, line('Eve'), line('Fay')].join('\n');
    await portal.api.put(`/api/admin/user/import/${id}`).send({ csv }).expect(200);
    const isDone = async () => (await portal.api.get(`/api/admin/user/import/${id}`)).body.done === 2;
    await until(isDone);
    await portal.query("UPDATE account SET version = 2 WHERE email = 'eve@file.example'");
    await expectFitInEveryLook(browser, {
      'the question': async (page) => {
        await signInByApi(page, portal.issuer, people.admin);
        await page.goto(`${portal.issuer}${path}?import=${id}`);
        const dialog = await expectDialog(page, 'Import users');
        await dialog.getByRole('button', { name: 'Undo the import' }).click();
        await expectText(dialog, 'Remove the 2 users that this import has created?');
      },
      'the users that were kept': async (page) => {
        await page.getByRole('button', { name: 'Remove 2 users' }).click();
        await expectText(page.getByRole('dialog'), '1 user was kept.', 'The user was changed since.');
      },
    });
  });

  itInLongRun('is accessible in every look, with wrong lines', async () => {
    await expectFitInEveryLook(browser, {
      'the form': async (page) => {
        await signInByApi(page, portal.issuer, people.admin);
        await page.goto(`${portal.issuer}${path}?import=true`);
        await expectDialog(page, 'Import users');
      },
      'the wrong lines': async (page) => {
        const dialog = await expectDialog(page, 'Import users');
        await dialog
          .getByLabel('Or paste its lines')
          .fill([header, line('Dora'), 'x,y', ',z,Patient,Patient/1'].join('\n'));
        await dialog.getByRole('button', { name: 'Check' }).click();
        await expectText(dialog, 'Line 3', 'Number of cells: 2. The header has 4.', 'Line 4');
      },
    });
  });
});
