import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import type { ClientView } from '../../../src/contract/clients.js';
import type { UserView } from '../../../src/contract/users.js';
import { startMetadataServer } from '../../support/admin-portal.js';
import { Agent } from '../../support/agent.js';
import { alterAccounts, login } from '../../support/authenticator.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser.js';
import { named, toSection } from '../../support/client-pages.js';
import { publicApp, redirectUri } from '../../support/clients.js';
import {
  beSignedIn,
  expectDialog,
  expectInView,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signIn,
} from '../../support/pages.js';
import { type Person, people } from '../../support/people.js';
import { startPortal, type TestPortal } from '../../support/portal.js';
import { until } from '../../support/until.js';

const browser = useBrowser();
const { admin, patient } = people;
const otherAdmin: Person = { ...admin, email: 'berta.admin@example.org', fullName: 'Berta Admin' };
const secret = 'a secret that was typed';
const users = '/admin/user-management';
const clients = '/admin/client-management';
let portal: TestPortal;
let fhirServer: Server;
let count = 0;

beforeAll(async () => {
  fhirServer = await startMetadataServer();
  const fhir = { baseUrl: `http://127.0.0.1:${(fhirServer.address() as AddressInfo).port}` };
  portal = await startPortal({ config: { fhir, users: [admin, otherAdmin, patient] } });
  const api = await signedIn(admin);
  await until(async () => {
    const status = await api.get('/api/admin/dashboard/firely-server-status');
    return status.json().isFirelyServerAvailable === true;
  });
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

async function signedIn(person: Person): Promise<Agent> {
  const agent = new Agent(portal.issuer);
  await login(agent, person);
  return agent;
}

async function created<View extends object>(path: string, body: object): Promise<View> {
  const answer = await (await signedIn(admin)).post(path, body);
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
const newClient = () => {
  count += 1;
  return created<ClientView>('/api/admin/client', {
    ...publicApp,
    clientId: `draft-app-${count}`,
    clientName: 'Draft',
  });
};

async function at(page: Page, address: string, heading: string): Promise<void> {
  await page.goto(portal.issuer + address);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

const press = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true }).click();
const dialog = (page: Page) => page.getByRole('dialog').filter({ has: page.locator('form') });

/** A form with something typed in it. */
interface FormCase {
  name: string;
  person: Person;
  /** Opens the form and types. */
  begin: (page: Page) => Promise<void>;
  /** What the form holds of that. */
  typed: (page: Page) => Promise<string[]>;
  expected: string[];
  /** Types what is not kept. */
  retype?: (page: Page) => Promise<void>;
  save: (page: Page) => Promise<void>;
  call: string;
  method: 'POST' | 'PUT';
  saved: string;
}

const values = (...fields: Locator[]) => Promise.all(fields.map((field) => field.inputValue()));
/** Claims have names, too. */
const nameField = (form: Locator) => named(form, 'Name').first();
const secretField = (page: Page) => named(dialog(page), 'Secret');

async function chooseType(page: Page): Promise<void> {
  const { id } = await newClient();
  await portal.query("UPDATE client SET client_type = 'Invalid' WHERE id = $1", [id]);
  await at(page, `${clients}?client=${id}`, 'Clients');
  await press(page, 'Set client type');
  await page.getByRole('radio', { name: /^Standalone app/ }).click();
  await press(page, 'Accept and Continue');
  await named(dialog(page), 'Description (optional)').fill('typed while the type was set');
}

const saveNewSecret = async (page: Page) => {
  await press(dialog(page).last(), 'Save');
  await press(await expectDialog(page, 'Do you want to proceed?'), 'Proceed');
};

const forms: FormCase[] = [
  {
    name: 'a new client',
    person: admin,
    begin: async (page) => {
      count += 1;
      await at(page, clients, 'Clients');
      await press(page, 'Add Client');
      const form = await expectDialog(page, 'Add Client');
      await named(form, 'Client ID').fill(`new-draft-${count}`);
      await named(form, 'Client name').fill('Entered Client');
      await toSection(form, 'Client Secret');
      await press(form, 'Add client secret');
      await named(form, 'Secret').fill(secret);
      await toSection(form, 'Authorization Process');
      await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
      await named(form, 'Redirect URIs 1').fill(redirectUri);
      await toSection(form, 'Legal & Compliance');
    },
    typed: async (page) => {
      await toSection(dialog(page), 'General Information');
      const name = await named(dialog(page), 'Client name').inputValue();
      await toSection(dialog(page), 'Authorization Process');
      return [name, await named(dialog(page), 'Redirect URIs 1').inputValue()];
    },
    expected: ['Entered Client', redirectUri],
    retype: async (page) => {
      await toSection(dialog(page), 'Client Secret');
      expect(await secretField(page).inputValue()).toBe('');
      await secretField(page).fill(secret);
    },
    save: async (page) => {
      await toSection(dialog(page), 'Legal & Compliance');
      await saveNewSecret(page);
    },
    call: '**/api/admin/client',
    method: 'POST',
    saved: 'New client was successfully added.',
  },
  {
    name: 'a client that is changed',
    person: admin,
    begin: async (page) => {
      const { id } = await newClient();
      await at(page, `${clients}?client=${id}`, 'Clients');
      await press(page, 'Edit');
      await named(dialog(page), 'Description (optional)').fill('typed in the panel');
    },
    typed: (page) => values(named(dialog(page), 'Description (optional)')),
    expected: ['typed in the panel'],
    save: (page) => press(dialog(page), 'Save'),
    call: '**/api/admin/client/*',
    method: 'PUT',
    saved: 'Client was successfully updated',
  },
  {
    name: 'a client that gets its type',
    person: admin,
    begin: chooseType,
    typed: (page) => values(named(dialog(page), 'Description (optional)')),
    expected: ['typed while the type was set'],
    save: (page) => press(dialog(page), 'Save'),
    call: '**/api/admin/client/*',
    method: 'PUT',
    saved: 'Client was successfully updated',
  },
  {
    name: 'a new user',
    person: admin,
    begin: async (page) => {
      count += 1;
      await at(page, users, 'Users');
      await press(page, 'Add User');
      const form = await expectDialog(page, 'Add User');
      await nameField(form).fill('Entered User');
      await named(form, 'Email').fill(`entered.${count}@example.org`);
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
    begin: async (page) => {
      const { id } = await created<UserView>('/api/admin/user', newUser());
      await at(page, `${users}?user=${id}`, 'Users');
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
    begin: async (page) => {
      await portal.query('DELETE FROM tag');
      await at(page, clients, 'Clients');
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
  ...[admin, patient].map(
    (person): FormCase => ({
      name: `the own name of one who is ${person.userType}`,
      person,
      begin: async (page) => {
        const area = person.userType === 'Admin' ? '/admin' : '/user';
        await at(page, `${area}/account-settings`, 'Account settings');
        await press(page, 'Edit name');
        count += 1;
        await named(page.locator('form'), 'Name').fill(`Entered ${person.userType}`);
      },
      typed: (page) => values(named(page.locator('form'), 'Name')),
      expected: [`Entered ${person.userType}`],
      save: (page) => press(page, 'Save'),
      call: '**/api/user',
      method: 'PUT',
      saved: 'Name was successfully changed.',
    }),
  ),
];

beforeEach(async () => {
  for (const { email, fullName } of [admin, patient]) {
    await alterAccounts(portal, `UPDATE account SET full_name = '${fullName}' WHERE email = '${email}'`);
  }
});

async function begun({ person, begin }: FormCase, look = {}): Promise<Page> {
  const page = await browser.open(look);
  await beSignedIn(page, portal.issuer, person);
  await begin(page);
  return page;
}

const endSessions = () => portal.query("DELETE FROM oidc_record WHERE model = 'Session'");
const lostTitle = 'You have been signed out';
const storage = (page: Page) => page.evaluate<string>('JSON.stringify(sessionStorage)');

/** Saves without a session, which asks to sign in again. */
async function loseSession(page: Page, form: FormCase): Promise<Locator> {
  browser.expectAnyFailure(401);
  await endSessions();
  await form.save(page);
  return expectDialog(page, lostTitle);
}

/** Signs in with the tab that the dialog opens. */
async function signInAgain(page: Page, asked: Locator, person: Person): Promise<Page> {
  const [tab] = await Promise.all([page.waitForEvent('popup'), press(asked, 'Sign in again')]);
  await signIn(tab, person);
  return tab;
}

/** A save that fails in the server. */
async function failToSave(page: Page, { call, method, save }: FormCase): Promise<void> {
  browser.expectAnyFailure(500);
  await page.route(call, (route) =>
    route.request().method() === method ? route.fulfill({ status: 500, json: {} }) : route.fallback(),
  );
  await save(page);
  await expectPage(page, '/error/500', 'Server error');
  await page.unroute(call);
}

describe.each(forms)('the form of $name', (form) => {
  it('keeps its content when the session ends, and is saved after the user has signed in again in another tab', async () => {
    const page = await begun(form);
    const tab = await signInAgain(page, await loseSession(page, form), form.person);
    const closed = tab.isClosed() ? Promise.resolve() : tab.waitForEvent('close');
    await page.getByRole('dialog', { name: lostTitle }).waitFor({ state: 'hidden' });
    await closed;
    const told = 'You were signed out, so this was not saved. You are signed in again: please save once more.';
    await expectInView(page.getByText(told, { exact: true }));
    expect(await page.getByText('Unable to save your changes. Please review the form for errors.').count()).toBe(0);
    expect(await form.typed(page)).toEqual(form.expected);
    await form.save(page);
    await expectNotice(page, form.saved);
    expect(await storage(page)).not.toContain('gatehouse.drafts');
  });

  it('has its content again after a save that failed in the server, without a question', async () => {
    const page = await begun(form);
    await failToSave(page, form);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await storage(page)).not.toContain(secret);
    await press(page, 'Back to what you entered');
    await expectText(page, 'What you entered is back. It is not saved yet.');
    expect(await form.typed(page)).toEqual(form.expected);
    await form.retype?.(page);
    await form.save(page);
    await expectNotice(page, form.saved);
    expect(await storage(page)).not.toContain('gatehouse.drafts');
  });
});

describe('The content of a form', () => {
  const [newClientForm, , , newUserForm, userForm] = forms as [FormCase, FormCase, FormCase, FormCase, FormCase];

  it('is hidden while no user is signed in, and deleted when another user signs in', async () => {
    const page = await begun(userForm);
    const asked = await loseSession(page, userForm);
    // Neither to be seen nor read aloud.
    expect(await page.getByLabel('Name', { exact: true }).first().isVisible()).toBe(false);
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Users' }).count()).toBe(0);
    expect(await storage(page)).toContain('Entered Name');
    const tab = await signInAgain(page, asked, otherAdmin);
    await expectPage(tab, '/admin/dashboard', 'Dashboard');
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    for (const one of [page, tab]) expect(await storage(one)).not.toContain('Entered Name');
  });

  it('is deleted when another user signs in after a failed save', async () => {
    const page = await begun(newUserForm);
    await failToSave(page, newUserForm);
    await endSessions();
    await beSignedIn(page, portal.issuer, otherAdmin);
    await at(page, `${users}?add=true`, 'Users');
    const form = await expectDialog(page, 'Add User');
    expect(await nameField(form).inputValue()).toBe('');
    expect(await storage(page)).not.toContain('Entered');
  });

  it('is deleted when another user signs in in another tab, and covered when the user signs out there', async () => {
    const page = await begun(userForm);
    const tab = await page.context().newPage();
    await tab.goto(`${portal.issuer}/logout`);
    await expectLogin(tab);
    await expectDialog(page, lostTitle);
    await signIn(tab, otherAdmin);
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    expect(await storage(page)).not.toContain('Entered Name');
  });

  it('is deleted when the page learns that another user is signed in', async () => {
    const page = await browser.open();
    await beSignedIn(page, portal.issuer, admin);
    await page.clock.install();
    await userForm.begin(page);
    await beSignedIn(page, portal.issuer, otherAdmin);
    await page.clock.fastForward(31_000);
    await nameField(dialog(page)).pressSequentially('!');
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    expect(await storage(page)).not.toContain('Entered Name');
  });

  it('is discarded by a button, in the dialog and in the restored form', async () => {
    const page = await begun(newUserForm);
    await press(await loseSession(page, newUserForm), 'Discard changes');
    await expectLogin(page);
    expect(await storage(page)).not.toContain('Entered');

    const other = await begun(newUserForm);
    await failToSave(other, newUserForm);
    await press(other, 'Back to what you entered');
    await press(other, 'Discard it');
    expect(await nameField(dialog(other)).inputValue()).toBe('');
    await press(other, 'Cancel');
    await dialog(other).waitFor({ state: 'hidden' });
  });

  it('is deleted when the user signs out', async () => {
    const page = await begun(newUserForm);
    await failToSave(page, newUserForm);
    await at(page, '/admin/dashboard', 'Dashboard');
    await press(page, `Account menu of ${admin.fullName}`);
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    await expectLogin(page);
    expect(await storage(page)).not.toContain('Entered');
  });

  it('is never stored when it is a password', async () => {
    const page = await browser.open();
    await beSignedIn(page, portal.issuer, patient);
    await at(page, '/user/account-settings', 'Account settings');
    await press(page, 'Change password');
    await page.getByLabel('Current password').fill(patient.password);
    for (const name of ['New password', 'Confirm new password']) await named(page.locator('form'), name).fill(secret);
    const save = () => press(page, 'Save');
    const form = { save: () => save(), call: '**/api/user/reset-password', method: 'POST' } as unknown as FormCase;
    const asked = await loseSession(page, form);
    expect(await storage(page)).not.toContain(secret);
    await signInAgain(page, asked, patient);
    await asked.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Save', exact: true }).and(page.locator(':focus')).waitFor();
    expect(await page.getByLabel('Current password').inputValue()).toBe(patient.password);
    await failToSave(page, form);
    expect(await storage(page)).not.toContain(secret);
  });

  it('is restored by accessible pages', async () => {
    await expectFitInEveryLook(browser, async (page) => {
      await beSignedIn(page, portal.issuer, admin);
      await newClientForm.begin(page);
      await loseSession(page, newClientForm);
    });
    await expectFitInEveryLook(browser, async (page) => {
      await beSignedIn(page, portal.issuer, admin);
      await newUserForm.begin(page);
      await failToSave(page, newUserForm);
      await page.getByRole('button', { name: 'Back to what you entered' }).waitFor();
    });
    await expectFitInEveryLook(browser, async (page) => {
      await beSignedIn(page, portal.issuer, admin);
      await newUserForm.begin(page);
      await failToSave(page, newUserForm);
      await press(page, 'Back to what you entered');
      await expectText(page, 'What you entered is back. It is not saved yet.');
    });
  });
});

describe('A page that requires sign-in', () => {
  const visited = async (page: Page) => {
    await page.goto(`${portal.issuer}/welcome`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };

  it.each([
    ['/admin/user-management?page=1&sortColumn=email', 'Users', admin],
    ['/admin/account-settings', 'Account settings', admin],
    ['/user/account-settings', 'Account settings', patient],
  ])('is opened after signing in: %s', async (address, heading, person) => {
    const page = await browser.open();
    await visited(page);
    await page.goto(portal.issuer + address);
    await signIn(page, person);
    await expectPage(page, new URL(address, portal.issuer).pathname, heading);
    expect(page.url()).toBe(portal.issuer + address);
  });

  it('is opened on a first visit, too, after the welcome page', async () => {
    const page = await browser.open();
    await page.goto(`${portal.issuer}/user/account-settings`);
    await page.waitForURL((url) => url.pathname === '/welcome');
    await press(page, 'Get Started');
    await signIn(page, patient);
    await expectPage(page, '/user/account-settings', 'Account settings');
  });

  it('is not opened for a user of the other area, who gets their start page', async () => {
    const page = await browser.open();
    await visited(page);
    await page.goto(portal.issuer + users);
    await signIn(page, patient);
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  it('is opened again after a session that ended while no form was filled in', async () => {
    browser.expectAnyFailure(401);
    const page = await browser.open();
    await beSignedIn(page, portal.issuer, admin);
    await at(page, `${users}?isExternal=false`, 'Users');
    // The list is loaded by then: a call that was still under way would be refused and lead away by itself.
    const sortByName = page.getByRole('button', { name: 'Name' }).first();
    await sortByName.waitFor();
    await page.waitForLoadState('networkidle');
    await endSessions();
    await sortByName.click();
    await signIn(page, admin);
    await page.waitForURL((url) => url.pathname === users && url.searchParams.get('isExternal') === 'false');
  });
});
