import type { Page } from 'playwright-core';
import { expectFitInEveryLook, expectNoSidewaysScroll, useBrowser } from '../../support/browser/browser.js';
import { expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { type AsCodePortal, startAsCodePortal } from '../../support/portal/as-code-portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const claims = [{ name: 'fhirUser', value: 'Patient/1' }];
process.env.TEST_PAGES_SECRET = 'typed-secret-of-a-service';
const managed = {
  version: 1,
  tags: [{ value: 'Pilot', color: '#1D6FB8' }],
  clients: [
    {
      clientId: 'lab-feed',
      clientName: 'Lab feed',
      clientType: 'BackendService',
      clientTags: ['Pilot'],
      clientSecrets: [{ secretType: 'SharedSecret', secret: 'env:TEST_PAGES_SECRET', description: '2026' }],
    },
  ],
  users: [{ email: 'ann@example.org', userType: 'Patient', claims }],
};
let portal: AsCodePortal;
let clientId: string;
let userId: string;

beforeAll(async () => {
  portal = await startAsCodePortal();
  const ann = { fullName: 'Ann Example', email: 'ann@example.org', userType: 'Patient', claims };
  userId = (await portal.api.post('/api/admin/user').send(ann).expect(201)).body.id;
  await portal.apply(managed, { adopt: true });
  await portal.api.post('/api/admin/configuration/tag').send({ value: 'By hand', color: '#0A6375' }).expect(201);
  clientId = (await portal.api.get('/api/admin/client').expect(200)).body.clients[0].id;
});
afterAll(() => portal.close());

async function openClient(page: Page): Promise<void> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}/admin/client-management?client=${clientId}`);
  await expectPage(page, '/admin/client-management', 'Clients');
  await page.getByText('npx gatehouse release client lab-feed').waitFor();
}

async function openUser(page: Page): Promise<void> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}/admin/user-management?user=${userId}`);
  await page.getByText('npx gatehouse release user ann@example.org').waitFor();
}

async function openTags(page: Page): Promise<void> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}/admin/client-management`);
  await expectPage(page, '/admin/client-management', 'Clients');
  await showTags(page);
}

async function showTags(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Tags', exact: true }).click();
  await page.getByRole('button', { name: 'Add tag' }).waitFor();
}

describe('An object that a file manages', () => {
  it('is marked in the lists of clients and users, on a wide page and on a phone', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.goto(`${portal.issuer}/admin/client-management`);
    for (const name of ['Lab feed', 'Ann Example']) {
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        const row = page.locator('[data-row]').filter({ has: page.getByRole('button', { name, exact: true }) });
        await row.getByText('Managed by file').filter({ visible: true }).waitFor();
        await expectNoSidewaysScroll(page, width);
      }
      const others = page.locator('[data-row]').filter({ hasNot: page.getByRole('button', { name, exact: true }) });
      expect(await others.getByText('Managed by file').count()).toBe(0);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('link', { name: 'User management' }).click();
      await expectPage(page, '/admin/user-management', 'Users');
    }
  });

  it('is a client with a mark and the reason, that can be disabled but neither edited nor deleted, nor opened in the form by a link to a field', async () => {
    const page = await browser.open();
    await openClient(page);
    await expectText(page, 'Managed by file');
    expect(await page.getByRole('button', { name: 'Edit', exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Disable', exact: true }).isEnabled()).toBe(true);

    await page.goto(`${portal.issuer}/admin/client-management?client=${clientId}&field=clientName`);
    await page.getByText('npx gatehouse release client lab-feed').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  });

  it('is a user whose name can be saved, and whose type and claims are shown only', async () => {
    const page = await browser.open();
    await openUser(page);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    expect(await page.getByRole('button', { name: 'Add claim' }).count()).toBe(0);
    await expectText(page, 'fhirUser: Patient/1');
    await page.getByLabel('Name', { exact: true }).fill('Ann Other');
    await page.getByRole('button', { name: 'Save changes', exact: true }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    const { body } = await portal.api.get(`/api/admin/user/${userId}`).expect(200);
    expect(body).toMatchObject({ fullName: 'Ann Other', claims, managed: true });
  });

  it('is a tag with a mark that can be neither edited nor deleted, next to one that can', async () => {
    const page = await browser.open();
    await openTags(page);
    await expectText(page, 'Managed by file');
    const disabled = (name: string) => page.getByRole('button', { name, exact: true }).isDisabled();
    const names = ['Edit tag Pilot', 'Delete tag Pilot', 'Edit tag By hand', 'Delete tag By hand'];
    expect(await Promise.all(names.map(disabled))).toEqual([true, true, false, false]);
  });

  it('is accessible and fits as a client, a user and a tag', async () => {
    await expectFitInEveryLook(browser, {
      'a client': openClient,
      tags: async (page) => {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        await showTags(page);
      },
      'a user': openUser,
    });
  });
});
