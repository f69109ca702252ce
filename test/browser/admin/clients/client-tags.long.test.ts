import type { Locator, Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../../support/browser/browser.js';
import { expectDialog, expectNotice, expectPage, expectText, signInByApi } from '../../../support/browser/pages.js';
import { publicApp } from '../../../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../../../support/portal/admin-portal.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const path = '/api/admin/configuration/tag';
let portal: AdminPortal;

beforeAll(async () => {
  portal = await startAdminPortal({ config: { clients: [publicApp] } });
});
afterAll(() => portal.close());
beforeEach(() => portal.query('DELETE FROM tag'));

const create = async (value: string, color = '#0A6375'): Promise<string> =>
  (await portal.api.post(path).send({ value, color }).expect(201)).body.id;

/** The stored tags, read as another administrator. */
const stored = async (): Promise<[string, string][]> =>
  (await portal.api.get(path)).body.map(({ value, color }: { value: string; color: string }) => [value, color]);

const giveToClient = (tag: string) =>
  portal.query('INSERT INTO client_tag_link (client, tag) SELECT id, $1 FROM client', [tag]);

async function openTags(page: Page): Promise<Locator> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}/admin/client-management`);
  await expectPage(page, '/admin/client-management', 'Clients');
  await page.getByRole('button', { name: 'Tags', exact: true }).click();
  const sheet = page.getByRole('dialog').filter({ hasText: 'All administrators use the same tags.' });
  await sheet.getByRole('button', { name: 'Add tag' }).waitFor();
  return sheet;
}

const fields = (sheet: Locator) => ({
  value: sheet.getByLabel('Tag value'),
  color: sheet.getByLabel('Color', { exact: true }),
  save: sheet.getByRole('button', { name: 'Save' }),
});

describe('Client tags', () => {
  it('are added with a colour of the palette, or a custom one', async () => {
    const page = await browser.open();
    const sheet = await openTags(page);
    await expectText(sheet, 'There are no tags yet.');
    await sheet.getByRole('button', { name: 'Add tag' }).click();
    const { value, color, save } = fields(sheet);
    await value.and(page.locator(':focus')).waitFor();
    expect(await sheet.getByRole('radio').count()).toBe(10);
    await value.fill(' Cardiology ');
    await sheet.getByRole('radio', { name: 'Green' }).check();
    expect(await color.inputValue()).toBe('#1F7D4F');
    await save.click();
    await expectNotice(page, 'New tag was successfully added.');
    await expectText(sheet, 'Cardiology');
    await sheet.getByRole('button', { name: 'Add tag' }).and(page.locator(':focus')).waitFor();
    expect(await stored()).toEqual([['Cardiology', '#1F7D4F']]);

    await sheet.getByRole('button', { name: 'Add tag' }).click();
    await value.fill('Research');
    await color.fill('#abc');
    expect(await sheet.getByRole('radio', { checked: true }).count()).toBe(0);
    await save.click();
    await sheet.getByRole('button', { name: 'Edit tag Research' }).waitFor();
    expect(await stored()).toEqual([
      ['Cardiology', '#1F7D4F'],
      ['Research', '#abc'],
    ]);
  });

  it('L-06 have a valid colour, and a unique value of at most 20 characters', async () => {
    browser.expectFailure(path, 409);
    await create('Cardiology');
    const page = await browser.open();
    const sheet = await openTags(page);
    await sheet.getByRole('button', { name: 'Add tag' }).click();
    const { value, color, save } = fields(sheet);
    await value.fill('Research');
    for (const [wrong, text] of [
      ['red', 'Color must start with "#".'],
      ['#12345', 'Hex color must be either 3 or 6 characters long (excluding "#").'],
      ['#GGGGGG', 'Invalid hex color format. Use "#RRGGBB" or "#RGB", with valid hex characters (0-9, A-F).'],
    ] as const) {
      await color.fill(wrong);
      await expectText(sheet, text);
      expect([await save.isDisabled(), await color.getAttribute('aria-invalid')]).toEqual([true, 'true']);
      await color.fill('#0A6375');
      expect(await save.isDisabled()).toBe(false);
    }
    await value.fill('');
    await save.click();
    await expectText(sheet, 'Tag value is required');
    await value.fill('a'.repeat(21));
    await expectText(sheet, 'Please enter at most 20 characters');
    await value.fill('CARDIOLOGY');
    await save.click();
    await expectText(sheet, 'A tag with this value already exists.');
    await value.and(page.locator(':focus')).waitFor();
    expect(await stored()).toEqual([['Cardiology', '#0A6375']]);
  });

  it('are renamed, with a notice about the clients that have them', async () => {
    await giveToClient(await create('Cardiology'));
    await create('Research');
    const page = await browser.open();
    const sheet = await openTags(page);
    await sheet.getByRole('button', { name: 'Edit tag Research' }).click();
    await expectText(sheet, 'No client has this tag.');
    await sheet.getByRole('button', { name: 'Edit tag Cardiology' }).click();
    await expectText(sheet, '1 client has this tag and will show the change.');
    const { value, save } = fields(sheet);
    await value.fill('Heart');
    await save.click();
    await expectNotice(page, 'Tag was successfully changed.');
    await sheet.getByRole('button', { name: 'Edit tag Heart' }).and(page.locator(':focus')).waitFor();
    const { body } = await portal.api.get('/api/admin/client').expect(200);
    expect(body.clients[0].clientTags).toMatchObject([{ value: 'Heart', color: '#0A6375' }]);
  });

  it('are deleted after a question that names the affected clients', async () => {
    await giveToClient(await create('Cardiology'));
    const page = await browser.open();
    const sheet = await openTags(page);
    const press = sheet.getByRole('button', { name: 'Delete tag Cardiology' });
    await press.click();
    const question = await expectDialog(page, 'Delete tag Cardiology?');
    await expectText(question, 'You will not be able to recover this tag.');
    await expectText(question, 'It is taken off 1 client, which stays as it is otherwise.');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await stored()).toHaveLength(1);

    await press.click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await expectNotice(page, 'Tag was successfully deleted.');
    await expectText(sheet, 'There are no tags yet.');
    await sheet.getByRole('button', { name: 'Add tag' }).and(page.locator(':focus')).waitFor();
    const { body } = await portal.api.get('/api/admin/client').expect(200);
    expect([await stored(), body.clients[0].clientTags]).toEqual([[], []]);
  });

  it.each(['Edit', 'Delete'])('that another administrator has deleted cannot be %s', async (act) => {
    const id = await create('Cardiology');
    browser.expectFailure(`${path}/${id}`, 404);
    const page = await browser.open();
    const sheet = await openTags(page);
    await sheet.getByRole('button', { name: `${act} tag Cardiology` }).click();
    await portal.api.delete(`${path}/${id}`).expect(204);
    if (act === 'Edit') await fields(sheet).save.click();
    else
      await page
        .getByRole('dialog', { name: 'Delete tag Cardiology?' })
        .getByRole('button', { name: 'Delete' })
        .click();
    const gone = await expectDialog(page, 'Oh No!');
    await expectText(gone, 'Cardiology');
    await expectText(gone, 'The selected tag no longer exists. Please refresh the page to view the latest tag list.');
  });

  it('can be added by keyboard alone', async () => {
    const page = await browser.open();
    const sheet = await openTags(page);
    await sheet.getByRole('button', { name: 'Add tag' }).focus();
    await page.keyboard.press('Enter');
    await fields(sheet).value.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Pilot');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await fields(sheet).color.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await expectNotice(page, 'New tag was successfully added.');
    expect(await stored()).toEqual([['Pilot', '#B42318']]);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Tags', exact: true }).and(page.locator(':focus')).waitFor();
  });

  it('are accessible and fit when seen, changed, refused and deleted', async () => {
    await create('Cardiology', '#C2410C');
    await create('A tag without gaps,!', '#fff');
    const button = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
    await expectFitInEveryLook(browser, {
      seen: openTags,
      changed: async (page) => {
        await button(page, 'Edit tag Cardiology').click();
        await fields(page.getByRole('dialog')).value.waitFor();
      },
      refused: async (page) => {
        await button(page, 'Cancel').click();
        await button(page, 'Add tag').click();
        await fields(page.getByRole('dialog')).color.fill('red');
        await expectText(page, 'Color must start with "#".');
      },
      deleted: async (page) => {
        await button(page, 'Cancel').click();
        await button(page, 'Delete tag Cardiology').click();
        await expectDialog(page, 'Delete tag Cardiology?');
      },
    });
  });
});
