import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectPage, signInByApi } from '../../support/browser/pages.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin] } });
});

afterEach(() => browser.closePages());
afterAll(() => portal.close());

async function open(page: Page): Promise<void> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}/admin/api`);
  await expectPage(page, '/admin/api', 'API');
}

/** Opens a subject, and one of its calls. */
async function unfold(page: Page, subject: string, call: string): Promise<void> {
  await page.locator(`h3[data-tag="${subject}"] button`).first().click();
  await page.getByRole('button', { name: call }).first().click();
}

describe('The page of the API', () => {
  it('is reached from the menu of the technical pages, shows what a call does, which limits its members have, and an example, but no way to make it with the session of the administrator, and gives the document as a file', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.goto(`${portal.issuer}/admin/openid-configuration`);
    await page.getByRole('button', { name: 'OAuth 2.0 configuration' }).click();
    await page.getByRole('menuitem', { name: 'API', exact: true }).click();
    await expectPage(page, '/admin/api', 'API');
    await unfold(page, 'Tags', 'post /api/admin/configuration/tag');
    await page.getByText('Callers: Administrators.').waitFor();
    expect(await page.getByRole('button', { name: /try it out|execute|authorize/i }).count()).toBe(0);
    const body = page.locator('.opblock-section-request-body');
    await body.getByText('Cardiology').first().waitFor();
    await body.getByRole('tab', { name: 'Schema' }).click();
    await body.getByText('1000').first().waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('gatehouse-openapi.json');
  });

  it('can be loaded again after a failure', async () => {
    const page = await browser.open();
    browser.expectFailure('/api/openapi.json', 503);
    await page.route('**/api/openapi.json', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 });
    await open(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('h3[data-tag="Clients"]').waitFor();
  });

  it('fits in every look, with a call unfolded', async () => {
    const unfolded = async (page: Page) => {
      await open(page);
      await unfold(page, 'Tags', 'post /api/admin/configuration/tag');
      await page.getByText('Callers: Administrators.').waitFor();
    };
    await expectFitInEveryLook(browser, unfolded, { number: 1 });
  });
});
