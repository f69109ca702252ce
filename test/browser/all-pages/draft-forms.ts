import type { Locator, Page } from 'playwright-core';
import type { ClientView } from '../../../src/contract/clients/clients.js';
import type { UserView } from '../../../src/contract/users/users.js';
import { fieldNamed, openNewClient, openSection } from '../../support/browser/client-pages.js';
import { expectDialog } from '../../support/browser/pages.js';
import { publicApp, redirectUri } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import type { TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { type Person, people } from '../../support/users/people.js';

const { admin, patient } = people;
/** A text that no storage may contain. */
export const secret = 'a secret that was typed';
export const users = '/admin/user-management';
const clients = '/admin/client-management';
let count = 0;

/** A form whose content survives a lost session and a failed save. */
export interface FormCase {
  name: string;
  /** True if another row has the same form, opened in another way. */
  again?: true;
  person: Person;
  /** Opens the form and types. */
  begin: (page: Page, portal: TestPortal) => Promise<void>;
  /** Reads the typed values from the form. */
  typed: (page: Page) => Promise<string[]>;
  expected: string[];
  /** Types the values that are never stored. */
  retype?: (page: Page) => Promise<void>;
  save: (page: Page) => Promise<void>;
  call: string;
  method: 'POST' | 'PUT';
  saved: string;
}

async function created<View extends object>(portal: TestPortal, path: string, body: object): Promise<View> {
  const agent = new Agent(portal.issuer);
  await login(agent, admin);
  const answer = await agent.post(path, body);
  expect(answer.status).toBe(201);
  return answer.json<View & Record<string, unknown>>();
}

const newUser = () => {
  count += 1;
  return {
    fullName: `Nina Draft ${count}`,
    email: `nina.draft.${count}@example.org`,
    userType: 'Patient',
    claims: [{ name: 'fhirUser', value: 'Patient/77' }],
  };
};
const newClient = (portal: TestPortal) => {
  count += 1;
  return created<ClientView>(portal, '/api/admin/client', {
    ...publicApp,
    clientId: `draft-app-${count}`,
    clientName: 'Draft',
  });
};

export async function at(page: Page, portal: TestPortal, address: string, heading: string): Promise<void> {
  await page.goto(portal.issuer + address);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

export const press = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).click();
export const dialog = (page: Page) => page.getByRole('dialog').filter({ has: page.locator('form') });

const values = (...fields: Locator[]) => Promise.all(fields.map((field) => field.inputValue()));
/** Claims have names, too. */
export const nameField = (form: Locator) => fieldNamed(form, 'Name').first();
const secretField = (page: Page) => fieldNamed(dialog(page), 'Secret');

async function chooseType(page: Page, portal: TestPortal): Promise<void> {
  const { id } = await newClient(portal);
  await portal.query("UPDATE client SET client_type = 'Invalid' WHERE id = $1", [id]);
  await at(page, portal, `${clients}?client=${id}`, 'Clients');
  await press(page, 'Set client type');
  await page.getByRole('radio', { name: /^Standalone app/ }).click();
  await press(page, 'Accept and Continue');
  await fieldNamed(dialog(page), 'Description (optional)').fill('typed while the type was set');
}

const saveNewSecret = async (page: Page) => {
  await press(dialog(page).last(), 'Save');
  await press(await expectDialog(page, 'Do you want to proceed?'), 'Proceed');
};

export const forms: FormCase[] = [
  {
    name: 'a new client',
    person: admin,
    begin: async (page, portal) => {
      count += 1;
      await at(page, portal, clients, 'Clients');
      const form = await openNewClient(page);
      await fieldNamed(form, 'Client ID').fill(`new-draft-${count}`);
      await fieldNamed(form, 'Client name').fill('Entered Client');
      await openSection(form, 'Client Secret');
      await press(form, 'Add client secret');
      await fieldNamed(form, 'Secret').fill(secret);
      await openSection(form, 'Authorization Process');
      await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
      await fieldNamed(form, 'Redirect URIs 1').fill(redirectUri);
      await openSection(form, 'Legal & Compliance');
    },
    typed: async (page) => {
      await openSection(dialog(page), 'General Information');
      const name = await fieldNamed(dialog(page), 'Client name').inputValue();
      await openSection(dialog(page), 'Authorization Process');
      return [name, await fieldNamed(dialog(page), 'Redirect URIs 1').inputValue()];
    },
    expected: ['Entered Client', redirectUri],
    retype: async (page) => {
      await openSection(dialog(page), 'Client Secret');
      expect(await secretField(page).inputValue()).toBe('');
      await secretField(page).fill(secret);
    },
    save: async (page) => {
      await openSection(dialog(page), 'Legal & Compliance');
      await saveNewSecret(page);
    },
    call: '**/api/admin/client',
    method: 'POST',
    saved: 'New client was successfully added.',
  },
  {
    name: 'a client that is changed',
    person: admin,
    begin: async (page, portal) => {
      const { id } = await newClient(portal);
      await at(page, portal, `${clients}?client=${id}`, 'Clients');
      await press(page, 'Edit');
      await fieldNamed(dialog(page), 'Description (optional)').fill('typed in the panel');
    },
    typed: (page) => values(fieldNamed(dialog(page), 'Description (optional)')),
    expected: ['typed in the panel'],
    save: (page) => press(dialog(page), 'Save'),
    call: '**/api/admin/client/*',
    method: 'PUT',
    saved: 'Client was successfully updated',
  },
  {
    name: 'a client that gets its type',
    again: true,
    person: admin,
    begin: chooseType,
    typed: (page) => values(fieldNamed(dialog(page), 'Description (optional)')),
    expected: ['typed while the type was set'],
    save: (page) => press(dialog(page), 'Save'),
    call: '**/api/admin/client/*',
    method: 'PUT',
    saved: 'Client was successfully updated',
  },
  {
    name: 'a new user',
    person: admin,
    begin: async (page, portal) => {
      count += 1;
      await at(page, portal, users, 'Users');
      await press(page, 'Add User');
      const form = await expectDialog(page, 'Add User');
      await nameField(form).fill('Entered User');
      await fieldNamed(form, 'Email').fill(`entered.${count}@example.org`);
      await form.getByRole('radio', { name: 'Practitioner' }).check();
      await form.getByLabel(/value/i).first().fill('Practitioner/9');
    },
    typed: async (page) => [
      ...(await values(nameField(dialog(page)), dialog(page).getByLabel(/value/i).first())),
      String(await dialog(page).getByRole('radio', { name: 'Practitioner' }).isChecked()),
    ],
    expected: ['Entered User', 'Practitioner/9', 'true'],
    save: (page) => press(dialog(page), 'Add User'),
    call: '**/api/admin/user',
    method: 'POST',
    saved: 'User was successfully added',
  },
  {
    name: 'a user who is changed',
    person: admin,
    begin: async (page, portal) => {
      const { id } = await created<UserView>(portal, '/api/admin/user', newUser());
      await at(page, portal, `${users}?user=${id}`, 'Users');
      await press(page, 'Edit');
      await nameField(dialog(page)).fill('Entered Name');
    },
    typed: (page) => values(nameField(dialog(page))),
    expected: ['Entered Name'],
    save: (page) => press(dialog(page), 'Save changes'),
    call: '**/api/admin/user/*',
    method: 'PUT',
    saved: 'User was successfully changed.',
  },
  {
    name: 'a tag',
    person: admin,
    begin: async (page, portal) => {
      await portal.query('DELETE FROM tag');
      await at(page, portal, clients, 'Clients');
      await press(page, 'Tags');
      await press(page, 'Add tag');
      await page.getByLabel('Tag value').fill('Entered tag');
    },
    typed: (page) => values(page.getByLabel('Tag value')),
    expected: ['Entered tag'],
    save: (page) => press(dialog(page), 'Save'),
    call: '**/api/admin/configuration/tag',
    method: 'POST',
    saved: 'New tag was successfully added.',
  },
  {
    name: 'a duplicate of a client',
    again: true,
    person: admin,
    begin: async (page, portal) => {
      const { id } = await newClient(portal);
      await at(page, portal, `${clients}?add=${id}`, 'Clients');
      await fieldNamed(dialog(page), 'Client ID').fill(`duplicate-${count}`);
      await fieldNamed(dialog(page), 'Client name').fill('Entered Duplicate');
    },
    typed: async (page) => {
      await openSection(dialog(page), 'General Information');
      return values(fieldNamed(dialog(page), 'Client name'));
    },
    expected: ['Entered Duplicate'],
    save: async (page) => {
      await openSection(dialog(page), 'Legal & Compliance');
      await press(dialog(page), 'Save');
    },
    call: '**/api/admin/client',
    method: 'POST',
    saved: 'New client was successfully added.',
  },
  ...[admin, patient].map(
    (person): FormCase => ({
      name: `the own name of a user of type ${person.userType}`,
      ...(person === admin && { again: true }),
      person,
      begin: async (page, portal) => {
        const area = person.userType === 'Admin' ? '/admin' : '/user';
        await at(page, portal, `${area}/account-settings`, 'Account settings');
        await press(page, 'Edit name');
        count += 1;
        await fieldNamed(page.locator('form'), 'Name').fill(`Entered ${person.userType}`);
      },
      typed: (page) => values(fieldNamed(page.locator('form'), 'Name')),
      expected: [`Entered ${person.userType}`],
      save: (page) => press(page, 'Save'),
      call: '**/api/user',
      method: 'PUT',
      saved: 'Name was successfully changed.',
    }),
  ),
];
