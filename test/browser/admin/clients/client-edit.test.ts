/** The edit form of a client: its sections, what differs from the default, and what was changed. */
import type { Locator, Page } from 'playwright-core';
import { expectFitInEveryLook } from '../../../support/browser/browser.js';
import { clickSave, fieldNamed, secondAdmin, useClientPages } from '../../../support/browser/client-pages.js';
import { expectNamedControls } from '../../../support/browser/controls.js';
import { expectInView, expectNotice, expectPage, expectText } from '../../../support/browser/pages.js';
import { itInLongRun } from '../../../support/runs.js';
import { until } from '../../../support/until.js';

const { browser, clients } = useClientPages();
const onlyWhatDiffers = (page: Page) => page.getByRole('switch', { name: 'Only what differs from default' });
const rail = (sheet: Locator) => sheet.getByRole('navigation', { name: 'Sections' });
const marked = (sheet: Locator) => rail(sheet).locator('[aria-current=true]');
const settings = { accessTokenLifetime: '00:45:00', legalCompanyName: 'Heart Company' };

describe('The sections of the edit form', () => {
  it('are followed in scrolling, reached by arrows and Enter, which take the focus to the heading, and say how many settings differ', async () => {
    const { page, sheet } = await clients.openEdit(await clients.createClient('Counted', settings));
    await marked(sheet).getByText('General Information').waitFor();
    await sheet.getByRole('heading', { name: 'Permissions' }).hover();
    await page.mouse.wheel(0, 900);
    await marked(sheet).getByText('Permissions').waitFor();
    await fieldNamed(sheet, 'Terms of service URL (optional)').focus();
    await marked(sheet).getByText('Legal & Compliance').waitFor();

    await rail(sheet).getByRole('button').first().focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'ArrowUp']) {
      await page.keyboard.press(key);
    }
    await rail(sheet).getByRole('button', { name: /^SSO/ }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await sheet.getByRole('heading', { name: 'SSO' }).and(page.locator(':focus')).waitFor();
    await expectInView(sheet.getByRole('heading', { name: 'SSO' }));
    await marked(sheet).getByText('SSO').waitFor();
    await page.keyboard.press('Tab');
    await sheet.getByRole('switch', { name: 'Local login' }).and(page.locator(':focus')).waitFor();

    const items = await rail(sheet).getByRole('button').allInnerTexts();
    expect(items.map((text) => text.split('\n').slice(0, 2).join(' '))).toEqual([
      'General Information 2',
      'Client Secret 1',
      'Permissions 1',
      'Authorization Process 4',
      'Token 1',
      'SSO default',
      'Legal & Compliance 1',
    ]);
    await rail(sheet).getByRole('button', { name: 'Permissions 1 setting differs from the default' }).waitFor();
    await sheet.getByRole('switch', { name: 'Online access' }).click();
    await rail(sheet).getByRole('button', { name: 'Permissions 2 settings differ from the default' }).waitFor();
  });

  itInLongRun('are one line that opens the list in a window of 991 and of 360 pixels', async () => {
    const { page, sheet } = await clients.openEdit(await clients.createClient('Line'), { width: 991 });
    const line = rail(sheet).getByRole('button', { expanded: false });
    for (const [width, section] of [
      [991, 'Token'],
      [360, 'Permissions'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await until(async () => (await sheet.boundingBox())?.width === width);
      expect(await rail(sheet).getByRole('button').count()).toBe(1);
      await line.press('Enter');
      await rail(sheet)
        .getByRole('button', { name: new RegExp(`^${section}`) })
        .waitFor();
      await page.keyboard.press('Escape');
      await line.and(page.locator(':focus')).waitFor();
      await line.press('Enter');
      await rail(sheet)
        .getByRole('button', { name: new RegExp(`^${section}`) })
        .press('Enter');
      await sheet.getByRole('heading', { name: section }).and(page.locator(':focus')).waitFor();
      await line.getByText(section).waitFor();
    }
  });

  itInLongRun('stay usable at 200 % zoom, where the whole sheet scrolls', async () => {
    const { page, sheet } = await clients.openEdit(await clients.createClient('Zoomed'), { width: 640, height: 400 });
    await fieldNamed(sheet, 'Terms of service URL (optional)').focus();
    await expectInView(fieldNamed(sheet, 'Terms of service URL (optional)'));
    await page.keyboard.type('https://app.example/terms');
    await clickSave(sheet);
    await expectNotice(page, 'Client was successfully updated');
  });
});

describe('Only what differs from the default', () => {
  itInLongRun('leaves out all other settings of each section, and shows them on request', async () => {
    const { page, sheet } = await clients.openEdit(await clients.createClient('Only', settings));
    await onlyWhatDiffers(page).press('Space');
    await fieldNamed(sheet, 'Refresh token lifetime').waitFor({ state: 'hidden' });
    expect(await fieldNamed(sheet, 'Access token lifetime').count()).toBe(1);
    const token = sheet.getByRole('region', { name: 'Token' });
    await token.getByText('9 more settings are at their default.').waitFor();
    await token.getByRole('button', { name: 'Show all settings of Token' }).press('Enter');
    await token.getByRole('radio', { name: 'Jwt' }).and(page.locator(':focus')).waitFor();
    expect(await fieldNamed(sheet, 'Refresh token lifetime').count()).toBe(1);
    expect(await token.getByText('at their default').count()).toBe(0);
  });

  itInLongRun('leaves out neither edited settings nor errors', async () => {
    const { page, sheet } = await clients.openEdit(await clients.createClient('Kept', settings));
    await sheet.getByRole('switch', { name: 'Require PKCE' }).click();
    await sheet.getByRole('switch', { name: 'Require pushed requests' }).click();
    await onlyWhatDiffers(page).click();
    await fieldNamed(sheet, 'Refresh token lifetime').waitFor({ state: 'hidden' });
    expect(await sheet.getByRole('switch', { name: 'Require PKCE' }).count()).toBe(1);
    expect(await sheet.getByRole('switch', { name: 'Require pushed requests' }).count()).toBe(1);
    await fieldNamed(sheet, 'Access token lifetime').fill('91');
    await clickSave(sheet);
    await fieldNamed(sheet, 'Refresh token lifetime').and(page.locator(':focus')).waitFor();
    await expectText(sheet, 'The Refresh Token Lifetime must be greater then the Access Token Lifetime');
    await rail(sheet).getByRole('button', { name: 'Token 1 setting to decide or to correct' }).waitFor();
  });

  itInLongRun('keeps the field in sight that a link has opened', async () => {
    const { id } = await clients.createClient('Linked');
    const page = await clients.open(`?client=${id}&field=requireDpop`);
    const control = page.getByRole('switch', { name: 'Require DPoP' });
    await control.and(page.locator(':focus')).waitFor();
    await expectInView(control);
    await onlyWhatDiffers(page).click();
    await page.getByRole('switch', { name: 'Online access' }).waitFor({ state: 'hidden' });
    expect(await control.count()).toBe(1);
  });
});

describe('A setting of the edit form', () => {
  itInLongRun('is marked as edited, and is reset to its default with the focus on it', async () => {
    const client = await clients.createClient('Reset', settings);
    const { page, sheet } = await clients.openEdit(client);
    await sheet.getByText('Default: 1 hour').waitFor();
    await sheet.getByText('Default: none').first().waitFor();
    expect(await sheet.getByText('Edited').count()).toBe(0);
    await sheet.getByRole('button', { name: 'Reset Access token lifetime' }).press('Enter');
    const field = fieldNamed(sheet, 'Access token lifetime');
    await field.and(page.locator(':focus')).waitFor();
    expect(await field.inputValue()).toBe('01:00:00');
    await expectText(sheet, 'Edited', '1 change');
    await sheet.getByRole('button', { name: 'Reset Require PKCE' }).click();
    await expectText(sheet, '2 changes');
    expect(await sheet.getByRole('button', { name: 'Reset Redirect URIs', exact: true }).count()).toBe(0);
    await clickSave(sheet);
    await expectNotice(page, 'Client was successfully updated');
    expect(await clients.storedClient(client.clientId)).toMatchObject({
      accessTokenLifetime: '01:00:00',
      requirePkce: false,
    });
  });

  itInLongRun('says since when and by which administrator it has its value, and what it was before', async () => {
    const client = await clients.createClient('Past');
    const { page, sheet } = await clients.openEdit(client, { as: secondAdmin });
    await sheet.getByText('Added by Ada Admin, this minute').waitFor();
    await sheet.getByRole('switch', { name: 'Require pushed requests' }).click();
    await fieldNamed(sheet, 'Access token lifetime').fill('00:15:00');
    await clickSave(sheet);
    await expectNotice(page, 'Client was successfully updated');
    const changes = page.locator('section', { has: page.getByRole('heading', { name: 'Last changes' }) });
    await until(async () => (await changes.getByRole('listitem').count()) === 2);
    const [change] = await changes.getByRole('listitem').allInnerTexts();
    expect(change).toMatch(/^Jonas Vale\n.*: Require pushed requests and Access token lifetime$/);
    const mine = await clients.openEdit(client);
    await mine.sheet.getByText('Changed by Jonas Vale, this minute').waitFor();
    const since = mine.sheet.getByRole('button', { name: /^Changed .* by Jonas Vale$/ });
    expect(await since.count()).toBe(2);
    await since.last().press('Enter');
    const past = mine.sheet.getByRole('list', { name: 'Changes of Access token lifetime' });
    await until(async () => (await past.getByRole('listitem').count()) === 2);
    const [last, first] = await past.getByRole('listitem').allInnerTexts();
    expect(last).toMatch(/, Jonas Vale: 1 hour became 15 minutes$/);
    expect(first).toMatch(/, Ada Admin: added with 1 hour$/);
    await mine.sheet.getByRole('link', { name: 'All changes' }).click();
    await expectPage(mine.page, '/admin/audit', 'Audit');
    expect(Object.fromEntries(new URL(mine.page.url()).searchParams)).toEqual({ clientId: 'past', group: 'changes' });
  });
});

// The usual run sees it from right to left (`all-pages/admin-dialogs.test.ts`), and in all sections at once
// (`client-form-fields.test.ts`).
itInLongRun(
  'the edit form fits every layout without accessibility violations, and each control has a name',
  async () => {
    await expectFitInEveryLook(browser, async (page) => {
      const { id } = await clients.createClient('Look', settings);
      await clients.signIn(page, `?client=${id}`);
      const sheet = await clients.edit(page);
      await onlyWhatDiffers(page).click();
      await sheet.getByRole('switch', { name: 'Require PKCE' }).click();
      await expectNamedControls(page);
    });
  },
);
