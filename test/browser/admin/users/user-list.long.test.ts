import type { Page } from 'playwright-core';
import { useBrowser } from '../../../support/browser/browser.js';
import { expectPage, expectText, signInByApi } from '../../../support/browser/pages.js';
import { type AdminPortal, startAdminPortal } from '../../../support/portal/admin-portal.js';
import { until } from '../../../support/until.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const path = '/admin/user-management';
let portal: AdminPortal;

beforeAll(async () => {
  portal = await startAdminPortal({ fhirServer: false });
});

afterAll(() => portal.close());

async function open(query = '', look = {}): Promise<Page> {
  const page = await browser.open(look);
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(portal.issuer + path + query);
  await expectPage(page, path, 'Users');
  return page;
}

const names = (page: Page) => page.getByRole('table').locator('tbody button').allInnerTexts();

/** Waits until the list has these names, in this order. */
async function expectNames(page: Page, ...wanted: string[]): Promise<void> {
  for (const name of wanted) await page.getByRole('button', { name, exact: true }).waitFor();
  await page.locator(`tbody tr:nth-child(${wanted.length}):last-child`).waitFor();
  expect(await names(page)).toEqual(wanted);
}

describe('The list of users', () => {
  const other = 'Amelia Ward';
  const family = ['Quinn Abel', 'Quinn Baker', 'Quinn Cole', 'Quinn Dale', 'Quinn Ebner', 'Quinn Frost', 'Quinn Gale'];

  beforeAll(async () => {
    for (const [index, name] of [...family, other].entries()) {
      const userType = index % 2 === 0 ? 'Patient' : 'Practitioner';
      const email = `${name.toLowerCase().replace(' ', '.')}@example.org`;
      const claims = [{ name: 'fhirUser', value: `${userType}/q${index}` }];
      await portal.api.post('/api/admin/user').send({ fullName: name, email, userType, claims }).expect(201);
    }
  });

  it('is filtered by type, sign-in and claim, keeps each of several filters that are chosen at once, and each can be removed', async () => {
    const page = await open('?searchTerm=quinn');
    const wanted = [
      ['usertype', 'Patient'],
      ['usertype', 'Practitioner'],
      ['isExternal', 'false'],
    ];
    await page.getByRole('button', { name: /^Filter/ }).click();
    const filter = page.getByRole('dialog', { name: 'Filter' });
    await filter.waitFor();
    await page.evaluate(`(() => {
      const labels = [...document.querySelectorAll('[role=dialog] label')];
      for (const name of ['Patient', 'Practitioner', 'Local']) labels.find((label) => label.textContent === name).click();
    })()`);
    const filters = () => [...new URL(page.url()).searchParams].filter(([name]) => name !== 'searchTerm');
    await until(() => filters().length === 3);
    expect(filters()).toEqual(wanted);
    await page.getByRole('list', { name: 'Active filters' }).waitFor();
    await page.evaluate(`(() => {
      for (const name of ['Patient', 'Local']) document.querySelector('button[aria-label="Remove filter ' + name + '"]').click();
    })()`);
    await until(() => filters().length === 1);
    expect(filters()).toEqual([['usertype', 'Practitioner']]);
    await expectNames(page, 'Quinn Baker', 'Quinn Dale', 'Quinn Frost');
    await filter.getByRole('textbox', { name: 'Claim value' }).fill('Practitioner/q3');
    await page.keyboard.press('Enter');
    await expectNames(page, 'Quinn Dale');
    await page.keyboard.press('Escape');
    await filter.waitFor({ state: 'hidden' });
    await page.locator('button:focus', { hasText: 'Filter' }).waitFor();
    await page.reload();
    await expectNames(page, 'Quinn Dale');
    await page.getByRole('button', { name: 'Remove filter Claim Practitioner/q3' }).click();
    await expectNames(page, 'Quinn Baker', 'Quinn Dale', 'Quinn Frost');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expectNames(page, ...family.slice(0, 5));
    await page.getByRole('button', { name: /^Filter/ }).click();
    await filter.getByRole('checkbox', { name: 'Single sign-on' }).click();
    await expectText(page, 'No users found');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByRole('button', { name: other, exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('searches one second after the last key, sorts and pages, and Back undoes each', async () => {
    const page = await open();
    await page.getByRole('searchbox', { name: 'Search by name, email or FHIR reference' }).fill('quinn');
    await expectText(page, '1–5 of 7');
    await expectNames(page, ...family.slice(0, 5));
    expect(new URL(page.url()).search).toBe('?searchTerm=quinn');
    await expectText(page, '7 in total');

    await page.getByRole('button', { name: 'Next page' }).click();
    await expectNames(page, ...family.slice(5));
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await expectNames(page, ...family.toReversed().slice(0, 5));
    expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('10');
    await expectNames(page, ...family.toReversed());
    expect(new URL(page.url()).search).toBe('?searchTerm=quinn&sortDirection=1&pageSize=10');

    await page.goBack();
    await expectNames(page, ...family.toReversed().slice(0, 5));
    await page.goBack();
    await expectNames(page, ...family.slice(5));
    await page.goBack();
    await page.goBack();
    await page.waitForURL(portal.issuer + path);
    await page.getByRole('button', { name: other, exact: true }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
  });

  it('shows 999+ for more matches, and leads to the last page', async () => {
    await portal.query(`
      INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at)
      SELECT gen_random_uuid(), 'many-' || i || '@example.org', 'Many', 'Patient', '[]', true, true, '', now()
        FROM generate_series(1, 1000) i`);
    const page = await open('?page=5000&isExternal=true');
    await page.waitForURL((url) => url.searchParams.get('page') === '200');
    await expectText(page, '996–1,000 of 1,000', '999+ in total');
    await portal.query("DELETE FROM account WHERE email LIKE 'many-%'");
  });

  it('shows an error and can be loaded again', async () => {
    browser.expectFailure('/api/admin/user', 503);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.route('**/api/admin/user?*', (route) => route.fulfill({ status: 503, body: '{}' }), { times: 1 });
    await page.goto(portal.issuer + path);
    await page.locator('.notices').getByText('Something went wrong.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').waitFor();
  });

  it('can be sorted and opened on a phone', async () => {
    const page = await open('?searchTerm=quinn', { width: 360, height: 740 });
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption({ label: 'Name, descending' });
    await page.getByRole('button', { name: 'Quinn Gale', exact: true }).click();
    await page.getByRole('dialog').getByText('quinn.gale@example.org').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});
