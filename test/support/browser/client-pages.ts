import type { Locator, Page } from 'playwright-core';
import type { ClientView } from '../../../src/contract/clients.js';
import { publicApp } from '../clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../portal/admin-portal.js';
import { people } from '../users/people.js';
import { type TestBrowser, useBrowser } from './browser.js';
import { expectDialog, expectPage, signInByApi } from './pages.js';

export const clientsPath = '/admin/client-management';
const call = '/api/admin/client';

/** A portal with the choices that the client form offers. */
const startClientPortal = (): Promise<AdminPortal> =>
  startAdminPortal({
    config: {
      fhir: { resourceTypeGroups: [{ name: 'Laboratory', resourceTypes: ['Observation', 'Specimen'] }] },
      outbound: { allowedPrivateHosts: ['localhost'] },
    },
  });

/** A browser and this portal for the tests of one file. */
export function useClientPages(): { browser: TestBrowser; clients: ClientPages } {
  const browser = useBrowser();
  const clients = new ClientPages(browser);
  beforeAll(async () => {
    clients.portal = await startClientPortal();
  });
  afterAll(() => clients.portal.close());
  return { browser, clients };
}

/** The administrator's pages about clients. */
export class ClientPages {
  portal: AdminPortal;

  constructor(
    private readonly browser: TestBrowser,
    portal?: AdminPortal,
  ) {
    if (portal) this.portal = portal;
  }

  async open(query = ''): Promise<Page> {
    const page = await this.browser.open();
    await signInByApi(page, this.portal.issuer, people.admin);
    await page.goto(this.portal.issuer + clientsPath + query);
    await expectPage(page, clientsPath, 'Clients');
    return page;
  }

  async openForm(): Promise<{ page: Page; form: Locator }> {
    const page = await this.open();
    await page.getByRole('button', { name: 'Add Client' }).click();
    const form = await expectDialog(page, 'Add Client');
    // The form is ready when its first field has the focus.
    await form.locator('input:focus').waitFor({ state: 'attached' });
    return { page, form };
  }

  async openEdit({ id }: ClientView): Promise<{ page: Page; sheet: Locator }> {
    const page = await this.open(`?client=${id}`);
    const sheet = page.getByRole('dialog').filter({ has: page.getByRole('heading', { name: 'Permissions' }) });
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await fieldNamed(sheet, 'Client name').waitFor();
    return { page, sheet };
  }

  /** A new client for one test. */
  async createClient(clientName: string, more: object = {}): Promise<ClientView> {
    const clientId = clientName.toLowerCase().replaceAll(' ', '-');
    const client = { ...publicApp, clientId, clientName, ...more };
    return (await this.portal.api.post(call).send(client).expect(201)).body;
  }

  async storedClient(clientId: string): Promise<ClientView> {
    const { body } = await this.portal.api.get(call).query({ searchTerm: clientId }).expect(200);
    return body.clients.find((client: ClientView) => client.clientId === clientId);
  }
}

export const fieldNamed = (form: Locator, name: string) => form.getByLabel(name, { exact: true });

export async function openSection(form: Locator, section: string): Promise<void> {
  await form.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name: section }).click();
  await form.getByRole('heading', { level: 2, name: section }).waitFor();
}

export const clickSave = (within: Locator) => within.getByRole('button', { name: 'Save', exact: true }).click();
