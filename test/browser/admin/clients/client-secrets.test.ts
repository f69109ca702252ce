import type { Page } from 'playwright-core';
import type { ClientView } from '../../../../src/contract/clients/clients.js';
import { expectFitInEveryLook } from '../../../support/browser/browser.js';
import { clickSave, clientsPath, openSection, useClientPages } from '../../../support/browser/client-pages.js';
import { expectDialog, expectNotice, expectText, signInByApi } from '../../../support/browser/pages.js';
import { itInLongRun } from '../../../support/runs.js';
import { people } from '../../../support/users/people.js';

const { browser, clients } = useClientPages();
const shared = (description: string, more: object = {}) => ({
  secretType: 'SharedSecret',
  secret: 'correct horse',
  description,
  ...more,
});
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

let ending: ClientView;

beforeAll(async () => {
  const secret = (description: string, more?: object) => ({
    requireClientSecret: true,
    clientSecrets: [shared(description, more)],
  });
  ending = await clients.createClient('Ends Soon', {
    requireClientSecret: true,
    clientSecrets: [shared('past', { expires: inDays(100) }), shared('soon', { expires: inDays(7) }), shared('unused')],
  });
  await clients.portal.query(
    "UPDATE client_secret SET expires_at = now() - interval '3 days', last_used_at = now() WHERE description = 'past'",
  );
  await clients.portal.query("UPDATE client_secret SET last_used_at = now() WHERE description = 'soon'");
  await clients.createClient('Ends Later', secret('later', { expires: inDays(300) }));
  await clients.portal.query("UPDATE client_secret SET last_used_at = now() WHERE description = 'later'");
  await clients.createClient('Never Came', secret('unused'));
});

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

describe('Secrets that have expired, expire within 30 days, or were never used', () => {
  itInLongRun('are marked in the list, the panel and the form, and cannot be given an expiry in the past', async () => {
    const page = await clients.open();
    await expectText(row(page, 'Ends Soon'), 'Secret expired');
    await expectText(row(page, 'Never Came'), 'Secret never used');
    expect(
      await row(page, 'Ends Later')
        .getByText(/^Secret/)
        .count(),
    ).toBe(0);
    await page.getByRole('button', { name: 'Ends Soon', exact: true }).click();
    const sheet = await clients.edit(page);
    const marks = ['Expired', 'Ends within 30 days', 'Never used'];
    for (const [index, mark] of marks.entries()) {
      await sheet
        .getByRole('group', { name: `Secret ${index + 1}`, exact: true })
        .getByText(mark)
        .waitFor();
    }
    await sheet.getByRole('button', { name: 'Discard Changes' }).click();
    const panel = page.getByRole('dialog').filter({ hasText: 'Client Info' });
    // Its section about activity has a mark as well, once it is loaded.
    for (const mark of marks) await panel.getByText(mark, { exact: true }).first().waitFor();
    await clients.edit(page);
    const last = sheet.getByRole('group', { name: 'Secret 3', exact: true });
    await last.getByLabel('Expires (optional)').fill('2020-01-31');
    await clickSave(sheet);
    await last.getByText('The end must be in the future').waitFor();
    expect((await clients.storedClient(ending.clientId)).version).toBe(ending.version);
  });

  itInLongRun('are found by a filter that can be removed', async () => {
    const page = await clients.open();
    await page.getByRole('button', { name: 'Filter' }).click();
    const filter = page.getByRole('dialog', { name: 'Filter' });
    await filter.getByRole('checkbox', { name: 'Secret expired' }).click();
    await row(page, 'Never Came').waitFor({ state: 'hidden' });
    await row(page, 'Ends Soon').waitFor();
    expect(new URL(page.url()).searchParams.getAll('secretStates')).toEqual(['expired']);
    await filter.getByRole('checkbox', { name: 'Backend service' }).click();
    await expectText(page, 'No clients found');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove filter Backend service' }).click();
    await row(page, 'Ends Soon').waitFor();
    await page.getByRole('button', { name: 'Remove filter Secret expired' }).click();
    await row(page, 'Never Came').waitFor();
  });

  itInLongRun('fit every layout without accessibility violations', () =>
    expectFitInEveryLook(browser, async (page) => {
      await signInByApi(page, clients.portal.issuer, people.admin);
      await page.goto(`${clients.portal.issuer}${clientsPath}?secretStates=expired&clientTypes=StandaloneApp`);
      await page.getByRole('button', { name: 'Ends Soon' }).waitFor();
      await page.getByRole('button', { name: /^Filter/ }).click();
      await expectDialog(page, 'Filter');
    }),
  );
});

describe('Redirect URIs', () => {
  const uris = ['https://one.example/back', 'https://two.example/back', 'https://three.example/back'];
  const rows = (page: Page) => page.getByRole('textbox', { name: /^Redirect URIs \d+$/ });
  const values = async (page: Page) => Promise.all((await rows(page).all()).map((one) => one.inputValue()));
  const paste = (page: Page, text: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(text)});
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }`);

  itInLongRun('pasted together, one a line, with spaces or in quotes with commas, become several rows', async () => {
    const { page, form } = await clients.openForm();
    await openSection(form, 'Authorization Process');
    const texts = [uris.join('\r\n'), ` ${uris.join(' ')} `, uris.map((uri) => `"${uri}"`).join(',\n')];
    for (const [times, text] of texts.entries()) {
      await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
      await rows(page)
        .nth(3 * times)
        .and(page.locator(':focus'))
        .waitFor();
      await paste(page, text);
      await rows(page)
        .nth(3 * times + 2)
        .and(page.locator(':focus'))
        .waitFor();
      expect((await values(page)).slice(3 * times)).toEqual(uris);
    }
  });

  itInLongRun('stay in the row where one is pasted, and Enter adds a row without saving', async () => {
    const client = await clients.createClient('Row By Row', {
      redirectUris: ['https://first.example/', 'https://last.example/'],
    });
    const { page, sheet } = await clients.openEdit(client);
    await rows(page).first().focus();
    await paste(page, uris.slice(0, 2).join('\n'));
    await rows(page).nth(2).and(page.locator(':focus')).waitFor();
    expect(await values(page)).toEqual(['https://first.example/', uris[0], uris[1], 'https://last.example/']);
    await page.keyboard.press('Enter');
    await rows(page).nth(3).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('https://typed.example/');
    expect(await values(page)).toEqual([
      'https://first.example/',
      uris[0],
      uris[1],
      'https://typed.example/',
      'https://last.example/',
    ]);
    expect((await clients.storedClient(client.clientId)).version).toBe(1);
    await clickSave(sheet);
    await expectNotice(page, 'Client was successfully updated');
    expect((await clients.storedClient(client.clientId)).redirectUris).toHaveLength(5);
  });
});

describe('Small details of the forms', () => {
  it('S5-143 client_credentials without system scopes has a remark, and a problem of the client type is set apart from its remedy', async () => {
    const client = await clients.createClient('No System');
    await clients.portal.query(
      `UPDATE client SET client_type = 'Invalid', settings = settings ||
         '{"allowedGrantTypes": ["client_credentials"], "allowedSmartSubjects": ["patient"]}' WHERE id = $1`,
      [client.id],
    );
    const page = await clients.open(`?client=${client.id}`);
    const fact = page
      .locator('div')
      .filter({ has: page.getByText('Allowed grant types', { exact: true }) })
      .last();
    await expectText(fact, 'client_credentials', 'Note: client_credentials can only be granted system scopes.');
    await page.getByRole('button', { name: 'Set client type' }).click();
    await page.getByText('Client Type is Invalid: Please choose a valid type').waitFor();
  });

  itInLongRun('an error of the new-user form keeps its distance from the button', async () => {
    browser.expectFailure('/api/admin/user', 429);
    const page = await browser.open();
    await signInByApi(page, clients.portal.issuer, people.admin);
    await page.route('**/api/admin/user', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 429, json: { errors: [{ messages: ['Too many.'] }], title: 'Too Many Requests' } })
        : route.continue(),
    );
    await page.goto(`${clients.portal.issuer}/admin/user-management?add=true`);
    const dialog = await expectDialog(page, 'Add User');
    await dialog.getByRole('textbox', { name: 'Name' }).first().fill('Una Far');
    await dialog.getByRole('textbox', { name: 'Email' }).fill('una@example.org');
    await dialog.getByRole('radio', { name: 'Patient' }).check();
    await dialog.getByRole('textbox', { name: 'Value' }).fill('Patient/7');
    await dialog.getByRole('button', { name: 'Add User' }).click();
    const box = await dialog.getByRole('listitem').filter({ hasText: 'Too many.' }).locator('..').boundingBox();
    const button = await dialog.getByRole('button', { name: 'Add claim' }).boundingBox();
    expect((box?.y ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)).toBeGreaterThanOrEqual(16);
  });
});

describe('The panel of a user', () => {
  itInLongRun('shows the last sign-in and the apps', async () => {
    const { body: user } = await clients.portal.api
      .post('/api/admin/user')
      .send({
        fullName: 'Ada Abel',
        email: 'ada@example.org',
        userType: 'Patient',
        claims: [{ name: 'fhirUser', value: 'Patient/77' }],
      })
      .expect(201);
    const app = await clients.createClient('Heart Board');
    await clients.portal.query(
      `INSERT INTO app_consent (account_id, client_id, scopes, remembered, redirect_host, granted_at)
       SELECT $1::uuid, $2, '{openid}', true, 'app.example', now()`,
      [user.id, app.clientId],
    );
    const page = await browser.open();
    await signInByApi(page, clients.portal.issuer, people.admin);
    await page.goto(`${clients.portal.issuer}/admin/user-management?searchTerm=Abel%2C+Ada&user=${user.id}`);
    const sheet = page.getByRole('dialog').filter({ hasText: 'User Info' });
    await expectText(sheet, 'Activity', 'Last sign-in', 'Never', 'Apps', 'Heart Board');
    await clients.portal.query(
      "INSERT INTO audit_event (recorded_at, type, outcome, user_id) VALUES ('2026-03-04T12:30:00Z', 'login', 'success', $1)",
      [user.id],
    );
    await page.reload();
    await sheet.getByText(/^March 4, 2026/).waitFor();
  });
});
