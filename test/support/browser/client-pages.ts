import type { Locator, Page } from 'playwright-core';
import type { ClientView } from '../../../src/contract/clients/clients.js';
import { publicApp } from '../clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../portal/admin-portal.js';
import { type Credentials, people } from '../users/people.js';
import { type PageOptions, type TestBrowser, useBrowser } from './browser.js';
import { expectDialog, expectNotice, expectPage, signInByApi } from './pages.js';

export const clientsPath = '/admin/client-management';
const call = '/api/admin/client';

export const secondAdmin = { ...people.admin, email: 'jonas.vale@example.org', fullName: 'Jonas Vale' };

/** A portal with the choices that the client form offers. */
const startClientPortal = (): Promise<AdminPortal> =>
  startAdminPortal({
    config: {
      users: [secondAdmin],
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

/** Opens all sections of the client that is shown. */
export async function unfold(sheet: Locator): Promise<void> {
  const folded = sheet.locator('details:not([open]) > summary');
  await folded.first().waitFor();
  while ((await folded.count()) > 0) await folded.first().click();
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

  async open(query = '', { as = people.admin, ...look }: PageOptions & { as?: Credentials } = {}): Promise<Page> {
    const page = await this.browser.open(look);
    await this.signIn(page, query, as);
    return page;
  }

  async signIn(page: Page, query: string, as: Credentials = people.admin): Promise<void> {
    await signInByApi(page, this.portal.issuer, as);
    await page.goto(this.portal.issuer + clientsPath + query);
    await expectPage(page, clientsPath, 'Clients');
  }

  async openForm(kind?: string): Promise<{ page: Page; form: Locator }> {
    const page = await this.open();
    return { page, form: await openNewClient(page, kind) };
  }

  async openEdit(
    { id }: ClientView,
    options: Parameters<ClientPages['open']>[1] = {},
  ): Promise<{ page: Page; sheet: Locator }> {
    const page = await this.open(`?client=${id}`, options);
    return { page, sheet: await this.edit(page) };
  }

  /** Opens the form of the client that is shown. */
  async edit(page: Page): Promise<Locator> {
    const sheet = page.getByRole('dialog').filter({ has: page.getByRole('heading', { name: 'Permissions' }) });
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await fieldNamed(sheet, 'Client name').waitFor();
    return sheet;
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

/** Opens the form of a new client, which begins with a template or without. */
export async function openNewClient(page: Page, kind = 'Without a template'): Promise<Locator> {
  await page.getByRole('button', { name: 'Add Client' }).click();
  const form = await expectDialog(page, 'Add Client');
  await form.getByRole('button', { name: kind }).click();
  // The form is ready when its first field has the focus.
  await form.locator('input:focus').waitFor({ state: 'attached' });
  return form;
}

/** On the page of users: adds this patient, who gets the claim that an app with a FHIR server needs. */
export async function addPatient(page: Page, patient: { fullName: string; email: string }): Promise<void> {
  await page.getByRole('button', { name: 'Add User' }).click();
  const user = await expectDialog(page, 'Add User');
  await user.locator('#add-user_fullName').fill(patient.fullName);
  await fieldNamed(user, 'Email').fill(patient.email);
  await user.getByRole('radio', { name: 'Patient' }).click();
  await fieldNamed(user, 'Value').fill('Patient/1');
  await user.getByRole('button', { name: 'Add User' }).click();
  await expectNotice(page, 'User was successfully added');
}

/** On the page of clients: adds 'Heart Companion', a public app that asks for no consent. */
export async function addFirstApp(page: Page, redirectUri: string): Promise<void> {
  const client = await openNewClient(page);
  await fieldNamed(client, 'Client name').fill('Heart Companion');
  await fieldNamed(client, 'Client ID').fill('heart-companion');
  await openSection(client, 'Client Secret');
  await client.getByRole('switch', { name: 'Require client secret' }).click();
  await openSection(client, 'Authorization Process');
  await client.getByRole('switch', { name: 'Require consent' }).click();
  await client.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
  await fieldNamed(client, 'Redirect URIs 1').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(redirectUri);
  await openSection(client, 'Legal & Compliance');
  await clickSave(client);
  await expectNotice(page, 'New client was successfully added.');
}

export const fieldNamed = (form: Locator, name: string) => form.getByLabel(name, { exact: true });

export async function openSection(form: Locator, section: string): Promise<void> {
  await form.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name: section }).click();
  await form.getByRole('heading', { level: 2, name: section }).waitFor();
}

export const clickSave = (within: Locator) => within.getByRole('button', { name: 'Save', exact: true }).click();
