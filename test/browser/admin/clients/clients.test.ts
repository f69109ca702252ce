import type { Locator, Page } from 'playwright-core';
import type { ClientView } from '../../../../src/contract/clients/clients.js';
import { expectFitInEveryLook, useBrowser } from '../../../support/browser/browser.js';
import { ClientPages, unfold } from '../../../support/browser/client-pages.js';
import { expectDialog, expectPage, expectText, signInByApi } from '../../../support/browser/pages.js';
import {
  alterClient,
  backendService,
  confidentialApp,
  publicApp,
  redirectUri,
} from '../../../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../../../support/portal/admin-portal.js';
import { itInLongRun } from '../../../support/runs.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const clients = new ClientPages(browser);
const path = '/admin/client-management';
const call = '/api/admin/client';
const statusPath = '/api/admin/dashboard/firely-server-status';
let portal: AdminPortal;
let cardiology: string;

/** Twelve apps whose order by id differs from that by name. */
const apps = Array.from({ length: 12 }, (_, index) => ({
  ...publicApp,
  clientId: `app-${String(index + 1).padStart(2, '0')}`,
  clientName: `Quill ${'LKJIHGFEDCBA'[index]}`,
}));
const quills = (ids: string) => [...ids].map((id) => `Quill ${id}`);

beforeAll(async () => {
  portal = await startAdminPortal({ config: { clients: [...apps, backendService, confidentialApp] } });
  clients.portal = portal;
  await alterClient(portal, 'app-03', { enabled: false });
  const tag = await portal.api.post('/api/admin/configuration/tag').send({ value: 'Cardiology', color: '#0A6375' });
  cardiology = tag.body.id;
  await portal.query("INSERT INTO client_tag_link (client, tag) SELECT id, $1 FROM client WHERE client_id = 'app-05'", [
    cardiology,
  ]);
});
afterAll(() => portal.close());

const open = (query = '', look = {}) => clients.open(query, look);

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const names = (page: Page) => page.getByRole('table').locator('tbody button').allInnerTexts();

/** Waits until the list has these names, in this order. */
async function expectNames(page: Page, ...wanted: string[]): Promise<void> {
  for (const name of wanted) await page.getByRole('button', { name, exact: true }).waitFor();
  await page.locator(`tbody tr:nth-child(${wanted.length}):last-child`).waitFor();
  expect(await names(page)).toEqual(wanted);
}

async function idOf(clientId: string): Promise<string> {
  const { body } = await portal.api.get(call).query({ searchTerm: clientId }).expect(200);
  return body.clients.find((client: ClientView) => client.clientId === clientId).id;
}

async function openSheet(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name, exact: true }).click();
  const sheet = page.getByRole('dialog').filter({ hasText: 'Client Info' });
  await expectText(sheet, 'General Information');
  return sheet;
}

describe('The list of clients', () => {
  it('is sorted by client id, or by each other column, with ten on a page, and shows type, tags and status, each on one line in a window of 768, 1099 and 1100 pixels', async () => {
    const page = await open();
    await expectNames(page, ...quills('LKJIHGFEDC'));
    const status = row(page, 'Quill L').getByText('Enabled', { exact: true });
    for (const width of [768, 1099, 1100, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
      expect((await status.boundingBox())?.height).toBeLessThan(30);
    }
    await expectText(page, '1–10 of 14', '14 in total');
    await expectText(row(page, 'Quill J'), 'app-03', 'Standalone app', 'Disabled');
    await expectText(row(page, 'Quill H'), 'app-05', 'Cardiology', 'Enabled');
    for (const [column, first] of [
      ['Client ID', 'Quill A'],
      ['Type', 'Nightly Export'],
      ['Status', 'Quill J'],
    ] as const) {
      const sort = page.getByRole('columnheader', { name: column, exact: true }).getByRole('button');
      await sort.click();
      if (column === 'Client ID') {
        await expectText(page, '1–10 of 14');
        await page.waitForURL((url) => url.searchParams.get('sortDirection') === '1');
        await page.locator('tbody tr:first-child').filter({ hasText: 'Ward Board' }).waitFor();
      } else {
        await page.locator('tbody tr:first-child').filter({ hasText: first }).waitFor();
      }
    }
  });

  itInLongRun('keeps search, order and page in the address, through reloading and Back', async () => {
    const page = await open();
    await expectNames(page, ...quills('LKJIHGFEDC'));
    await page.getByRole('searchbox', { name: 'Search by name, id, URI, company or tag' }).fill('quill');
    await page.waitForURL((url) => url.searchParams.get('searchTerm') === 'quill');
    await expectText(page, '1–10 of 12');
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('5');
    await expectNames(page, ...quills('LKJIH'));
    const head = page.getByRole('columnheader', { name: 'Client', exact: true });
    await head.getByRole('button').click();
    await expectNames(page, ...quills('ABCDE'));
    await head.getByRole('button').click();
    await expectNames(page, ...quills('LKJIH'));
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('button', { name: 'Next page' }).click();
    await expectNames(page, ...quills('GFEDC'));
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      searchTerm: 'quill',
      pageSize: '5',
      sortColumn: 'clientName',
      sortDirection: '1',
      page: '2',
    });
    await page.reload();
    await expectNames(page, ...quills('GFEDC'));
    await page.goBack();
    await expectNames(page, ...quills('LKJIH'));
    await page.goBack();
    await expectNames(page, ...quills('ABCDE'));
  });

  itInLongRun('is filtered by status, grant type and tag, and each filter can be removed', async () => {
    const page = await open();
    await page.getByRole('button', { name: /^Filter/ }).click();
    const filter = page.getByRole('dialog', { name: 'Filter' });
    await filter.getByRole('checkbox', { name: 'client_credentials' }).click();
    await expectNames(page, 'Nightly Export');
    await filter.getByRole('checkbox', { name: 'client_credentials' }).click();
    await filter.getByRole('checkbox', { name: 'Disable' }).click();
    await expectNames(page, 'Quill J');
    await filter.getByRole('checkbox', { name: 'Cardiology' }).click();
    await expectText(page, 'No clients found');
    await page.keyboard.press('Escape');
    await page.reload();
    await expectText(page, 'No clients found');
    await page.getByRole('button', { name: 'Remove filter Disable' }).click();
    await expectNames(page, 'Quill H');
    await page.goBack();
    await expectText(page, 'No clients found');
    await page.getByRole('button', { name: 'Remove filter Cardiology' }).click();
    await expectNames(page, 'Quill J');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expectNames(page, ...quills('LKJIHGFEDC'));
    expect(new URL(page.url()).search).toBe('');
  });

  itInLongRun('says when a tag of the filter was deleted, and ignores an invalid tag', async () => {
    const page = await open('?tags=00000000-0000-4000-8000-000000000000&tags=none');
    await expectText(page, 'No clients found');
    await page.getByRole('button', { name: 'Remove filter Deleted tag' }).click();
    await expectNames(page, ...quills('LKJIHGFEDC'));
  });

  itInLongRun('shows the last page for a page number beyond it', async () => {
    const page = await open('?page=5000');
    await page.waitForURL((url) => url.searchParams.get('page') === '2');
    await expectNames(page, 'Quill B', 'Quill A', 'Nightly Export', 'Ward Board');
  });

  itInLongRun('shows an error and can be loaded again', async () => {
    browser.expectFailure(call, 503);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.route(`**${call}?*`, (route) => route.fulfill({ status: 503, body: '{}' }), { times: 1 });
    await page.goto(portal.issuer + path);
    await page.locator('.notices').getByText('Something went wrong.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectNames(page, ...quills('LKJIHGFEDC'));
  });

  itInLongRun('can be sorted and opened on a phone', async () => {
    const page = await open('?searchTerm=quill', { width: 360, height: 740 });
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption({ label: 'Client, ascending' });
    await page.getByRole('listitem').filter({ hasText: 'Quill A' }).getByText('app-12').waitFor();
    await openSheet(page, 'Quill A');
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});

describe('The FHIR server’s status above the list of clients', () => {
  const disconnected =
    'The FHIR server is disconnected. Please follow the instructions to set it up before editing clients.';
  const lost = 'Connection to the FHIR server is lost. Please keep in mind that your data may be outdated.';
  const loading =
    'Configuration data from the FHIR server is still loading. Please wait before starting to edit clients.';

  itInLongRun(
    'says that it is disconnected, lost, when no client can be deleted, or still loading, and nothing while it is available',
    async () => {
      let status = { isFirelyServerAvailable: false, isAllDataLoaded: false };
      const page = await browser.open();
      await page.route(`**${statusPath}`, (route) => route.fulfill({ json: { firelyServerUrl: null, ...status } }));
      await clients.signIn(page, '');
      await expectText(page, disconnected);
      await expectNames(page, ...quills('LKJIHGFEDC'));
      // The page asks again when the user returns to the window.
      const becomes = (isFirelyServerAvailable: boolean, isAllDataLoaded: boolean) => {
        status = { isFirelyServerAvailable, isAllDataLoaded };
        return page.evaluate('window.dispatchEvent(new Event("focus"))');
      };
      await becomes(false, true);
      await expectText(page, lost);
      expect(
        await (await openSheet(page, 'Quill L')).getByRole('button', { name: 'Delete', exact: true }).isDisabled(),
      ).toBe(true);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await becomes(true, false);
      await expectText(page, loading);
      await becomes(true, true);
      await page.getByText(loading).waitFor({ state: 'hidden' });
      await expectNames(page, ...quills('LKJIHGFEDC'));
      for (const text of [disconnected, lost, loading]) expect(await page.getByText(text).count()).toBe(0);
    },
  );

  itInLongRun('is requested before clients and tags', async () => {
    const page = await browser.open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(`**${statusPath}`, async (route) => {
      await held;
      await route.continue();
    });
    await signInByApi(page, portal.issuer, people.admin);
    await page.goto(portal.issuer + path);
    await expectPage(page, path, 'Clients');
    await page.getByText('Loading').first().waitFor({ state: 'attached' });
    const tags = '/api/admin/configuration/tag';
    expect([asked.includes(statusPath), asked.includes(call), asked.includes(tags)]).toEqual([true, false, false]);
    answer();
    await expectNames(page, ...quills('LKJIHGFEDC'));
    expect(asked).toContain(tags);
  });
});

describe('The panel of a client', () => {
  it('shows the sections and fields of its type, and is in the address', async () => {
    const page = await open();
    const sheet = await openSheet(page, 'Quill H');
    const sections = () => sheet.getByRole('heading', { level: 2 }).allInnerTexts();
    expect(await sections()).toEqual([
      'Activity',
      'General Information',
      'Client Secret',
      'Permissions',
      'Authorization Process',
      'Token',
      'SSO',
      'Legal & Compliance',
    ]);
    // Of the settings, which are many, the sections alone are shown at first, but for one with a warning.
    await expectText(sheet, 'Enabled', 'Public', 'Cardiology', 'app-05', 'Last success');
    expect(await sheet.getByText('90 days').isVisible()).toBe(false);
    await expectText(sheet, 'authorization_code', redirectUri, 'Note: This is an unsecured URL');
    await unfold(sheet);
    await expectText(sheet, '1 hour', '90 days');
    expect(new URL(page.url()).searchParams.get('client')).toBe(await idOf('app-05'));
    await page.reload();
    await expectText(sheet, 'Last success');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.has('client')).toBe(false);

    await page.getByRole('button', { name: 'Next page' }).click();
    await openSheet(page, 'Nightly Export');
    await sheet.getByRole('button', { name: 'Rotate a secret' }).waitFor();
    await unfold(sheet);
    await expectText(sheet, 'Private', 'Shared secret', 'first', 'Cannot be viewed after saving', 'Backend service');
    expect(await sections()).not.toContain('SSO');
    await expectText(sheet, 'Last success', 'Never', 'Last launches', 'None yet', 'Refusals in 7 days', 'None');
    expect(await sheet.getByRole('link', { name: 'All launches' }).getAttribute('href')).toBe(
      '/admin/activity?clientId=backend-service',
    );
    for (const label of ['Redirect URIs', 'Require PKCE', 'Refresh token lifetime', 'Require consent']) {
      expect(await sheet.getByText(label, { exact: true }).count()).toBe(0);
    }
  });

  itInLongRun('marks a client without a type', async () => {
    await portal.query("UPDATE client SET client_type = 'Invalid' WHERE client_id = 'app-12'");
    const page = await open('?searchTerm=app-12');
    await expectText(row(page, 'Quill A'), 'Invalid');
    await expectText(await openSheet(page, 'Quill A'), 'Invalid');
    await portal.query("UPDATE client SET client_type = 'StandaloneApp' WHERE client_id = 'app-12'");
  });

  /** A new client for one test. */
  async function created(clientName: string): Promise<ClientView> {
    const clientId = clientName.toLowerCase().replaceAll(' ', '-');
    const { clientSecrets: _none, ...form } = { ...publicApp, clientSecrets: [] };
    const { body } = await portal.api
      .post(call)
      .send({ ...form, clientId, clientName })
      .expect(201);
    return body;
  }

  itInLongRun('deletes after a question, and moves the focus to the start of the list', async () => {
    const { id } = await created('Dora Gone');
    const page = await open('?searchTerm=dora');
    const sheet = await openSheet(page, 'Dora Gone');
    await sheet.getByRole('button', { name: 'Delete', exact: true }).click();
    const question = await expectDialog(page, 'Delete client Dora Gone?');
    await expectText(question, 'You will not be able to recover this client.');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    await portal.api.get(`${call}/${id}`).expect(200);
    await sheet.getByRole('button', { name: 'Delete', exact: true }).click();
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('region', { name: 'Undo' }).getByText('Client was successfully deleted').waitFor();
    await expectText(page, 'No clients found');
    await page.locator('h1:focus').waitFor();
    await portal.api.get(`${call}/${id}`).expect(404);
  });

  itInLongRun('reports that another administrator has deleted the client before it is opened or deleted', async () => {
    const [opened, deleted] = [await created('Gina Opened'), await created('Gina Deleted')];
    for (const { id } of [opened, deleted]) browser.expectFailure(`${call}/${id}`, 404);
    const page = await open('?searchTerm=gina');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const reported = async (name: string) => {
      const gone = await expectDialog(page, 'Oh No!');
      await expectText(gone, name);
      await expectText(
        gone,
        'The selected client no longer exists. Please refresh the page to view the latest client list.',
      );
      await gone.getByRole('button', { name: 'Refresh' }).click();
      await button(name).waitFor({ state: 'hidden' });
    };
    await button('Gina Opened').waitFor();
    await portal.api.delete(`${call}/${opened.id}`).expect(204);
    await button('Gina Opened').click();
    await reported('Gina Opened');
    await button('Gina Deleted').click();
    await button('Delete').click();
    const question = await expectDialog(page, 'Delete client Gina Deleted?');
    await portal.api.delete(`${call}/${deleted.id}`).expect(204);
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await reported('Gina Deleted');
    await expectText(page, 'No clients found');
  });
});

itInLongRun(
  'the list with and without a FHIR server, the filters, the sheet and the question before deleting are accessible and fit',
  () => {
    let isFirelyServerAvailable = false;
    return expectFitInEveryLook(browser, {
      'the list without a FHIR server': async (page) => {
        await page.route(`**${statusPath}`, (route) =>
          isFirelyServerAvailable
            ? route.continue()
            : route.fulfill({ json: { isFirelyServerAvailable, firelyServerUrl: null, isAllDataLoaded: false } }),
        );
        await clients.signIn(page, '');
        await page.getByRole('button', { name: 'Quill H', exact: true }).waitFor();
      },
      'the list': async (page) => {
        isFirelyServerAvailable = true;
        await page.evaluate('window.dispatchEvent(new Event("focus"))');
        await page.getByText('The FHIR server is disconnected.').waitFor({ state: 'hidden' });
      },
      'the filters': async (page) => {
        await page.getByRole('button', { name: /^Filter/ }).click();
        await (await expectDialog(page, 'Filter')).getByRole('checkbox', { name: 'Cardiology' }).click();
        await page.getByRole('button', { name: 'Remove filter Cardiology' }).waitFor({ state: 'attached' });
      },
      'the sheet': async (page) => {
        await page.keyboard.press('Escape');
        await openSheet(page, 'Quill H');
      },
      'the question before deleting': async (page) => {
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await expectDialog(page, 'Delete client Quill H?');
      },
    });
  },
);

// Last, because it deletes all clients.
itInLongRun('an empty list explains how to add the first client', async () => {
  await portal.query('DELETE FROM client');
  await expectText(await open(), 'No clients yet', '0 in total');
});
