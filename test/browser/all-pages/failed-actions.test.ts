import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import {
  acceptDisclaimer,
  expectConsent,
  expectDialog,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signIn,
  signInByApi,
} from '../../support/browser/pages.js';
import { backendService, publicApp } from '../../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { Agent } from '../../support/http/agent.js';
import { untilFhirServerIsAvailable } from '../../support/portal/fhir-portal.js';
import { pauseApp } from '../../support/portal/paused-app.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { enableTwoFactor, login, signInByPassword } from '../../support/users/authenticator.js';
import { type Person, people } from '../../support/users/people.js';

const browser = useBrowser();
const { admin, patient, otherPatient, practitioner } = people;
const chooser = { ...publicApp, clientId: 'chooser', clientName: 'Ward Board', requireConsent: false };
const agreed = { id: 'use', description: 'Portal use', html: '<p>Be careful.</p>', everyLogin: true };
const paused = { ...publicApp, clientId: 'paused-app', clientName: 'Paused App' };
const careful = { ...chooser, clientId: 'careful', clientName: 'Careful' };
const rotating = { ...backendService, clientId: 'rotating', clientName: 'Rotating' };
const secured = { ...practitioner, email: 'secured@example.org', fullName: 'Sara Secured' };
let fhirServer: SmallFhirServer;
let portal: TestPortal;
let api: Agent;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      // No mail server listens there: mail waits.
      email: { smtp: { host: '127.0.0.1', port: 9, security: 'none' }, from: 'portal@example.org' },
      users: [admin, patient, otherPatient, practitioner, secured],
      clients: [publicApp, chooser, careful, paused, rotating],
      disclaimers: [{ ...agreed, clients: [careful.clientId] }],
    },
  });
  api = new Agent(portal.issuer);
  await login(api, admin);
  await api.post('/api/admin/configuration/tag', { value: 'Cardiology', color: '#0A6375' });
  await portal.query('UPDATE account SET email_confirmed = false, password_hash = NULL WHERE email = $1', [
    otherPatient.email,
  ]);
  await new SmartApp(portal, { scope: 'openid offline_access patient/Observation.rs' }).tokens(patient);
  await enableTwoFactor(await signInByPassword(portal, secured));
  await untilFhirServerIsAvailable(api);
});

afterAll(async () => {
  await browser.closePages();
  await portal.close();
  fhirServer.close();
});

const endSessions = () => portal.query("DELETE FROM oidc_record WHERE model = 'Session'");
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).last().click();

const at = (path: string, heading: string) => async (page: Page) => {
  await page.goto(portal.issuer + path);
  await expectPage(page, path, heading);
};

const launched = (client: typeof publicApp, scope: string) => (page: Page) =>
  page.goto(
    `${portal.issuer}/connect/authorize?${new SmartApp(portal, { client, scope, parameters: { prompt: 'consent' } }).query()}`,
  );

/** An action of a user that calls the server, and the page on which it begins. */
interface Action {
  name: string;
  person: Person;
  begin: (page: Page) => Promise<unknown>;
  act: (page: Page) => Promise<void>;
  /** The call that the action makes. */
  call: string;
}

const settingsOf = (person: Person) => async (page: Page) => {
  const elsewhere = new Agent(portal.issuer);
  await login(elsewhere, person);
  await at(`/${person === admin ? 'admin' : 'user'}/account-settings`, 'Account settings')(page);
  await expectText(page, 'Another browser');
};

const opened = (path: string, heading: string, row: string | RegExp, button: string | RegExp) => async (page: Page) => {
  await at(path, heading)(page);
  await press(page, row);
  await press(page, button);
};

const atConsent = async (page: Page) => {
  await launched(publicApp, 'openid patient/Observation.rs')(page);
  await expectConsent(page, publicApp.clientName);
};

const atDisclaimers = async (page: Page) => {
  await launched(careful, 'openid')(page);
  await expectPage(page, '/user/disclaimer', 'Disclaimers');
};

const actions: Action[] = [
  ...[admin, patient].map((person) => ({
    name: `to sign out everywhere else (${person.userType})`,
    person,
    begin: settingsOf(person),
    act: (page: Page) => press(page, 'Sign out everywhere else'),
    call: '**/api/user/sessions',
  })),
  {
    name: 'to set up the second factor',
    person: patient,
    begin: settingsOf(patient),
    act: (page) => press(page, 'Turn on'),
    call: '**/api/twofactor/enable*',
  },
  {
    name: 'to download their own data',
    person: patient,
    begin: settingsOf(patient),
    act: (page) => press(page, 'Download'),
    call: '**/api/user/data',
  },
  {
    name: 'to delete their own account',
    person: patient,
    begin: settingsOf(patient),
    act: (page) => press(page, 'Delete account'),
    call: '**/api/user/deletion',
  },
  {
    name: 'to delete a user',
    person: admin,
    begin: opened('/admin/user-management', 'Users', patient.fullName, 'Delete'),
    act: (page) => press(page, 'Delete'),
    call: '**/api/admin/user/*',
  },
  {
    name: 'to check a file of users',
    person: admin,
    begin: async (page) => {
      await at('/admin/user-management', 'Users')(page);
      await press(page, 'Import');
      await page
        .getByLabel('Or paste its lines')
        .fill('name,email,type,fhir_user\nAda,ada@import.example,Patient,Patient/1');
    },
    act: (page) => press(page, 'Check'),
    call: '**/api/admin/user/import',
  },
  {
    name: 'to import users',
    person: admin,
    begin: async (page) => {
      await at('/admin/user-management', 'Users')(page);
      await press(page, 'Import');
      await page
        .getByLabel('Or paste its lines')
        .fill('name,email,type,fhir_user\nAda,ada@import.example,Patient,Patient/1');
      await press(page, 'Check');
      await expectText(page, '1 user will be created and invited by mail.');
    },
    act: (page) => press(page, 'Import 1 user'),
    call: '**/api/admin/user/import/*',
  },
  {
    name: 'to send an invitation again',
    person: admin,
    begin: async (page) => {
      await at('/admin/user-management', 'Users')(page);
      await press(page, otherPatient.fullName);
      await expectText(page, 'The invitation has expired');
    },
    act: (page) => press(page, 'Resend'),
    call: '**/resend-confirmation',
  },
  {
    name: 'to unlock a user',
    person: admin,
    begin: async (page) => {
      for (let guess = 0; guess < 5; guess += 1)
        await login(new Agent(portal.issuer), { ...otherPatient, password: '-' });
      await at('/admin/user-management', 'Users')(page);
      await press(page, otherPatient.fullName);
      await expectText(page, 'Too many wrong passwords');
    },
    act: (page) => press(page, 'Unlock'),
    call: '**/unlock',
  },
  {
    name: 'to sign a user out',
    person: admin,
    begin: async (page) => {
      for (const _ of [1, 2]) await login(new Agent(portal.issuer), patient);
      await at('/admin/user-management', 'Users')(page);
      await press(page, patient.fullName);
      await expectText(page, 'Where they are signed in');
    },
    act: (page) => press(page, 'Sign out everywhere'),
    call: '**/api/admin/user/*/session',
  },
  {
    name: 'to delete a client',
    person: admin,
    begin: opened('/admin/client-management', 'Clients', 'Careful', 'Delete'),
    act: (page) => press(page, 'Delete'),
    call: '**/api/admin/client/*',
  },
  {
    name: 'to disable a client',
    person: admin,
    begin: opened('/admin/client-management', 'Clients', 'Careful', 'Disable'),
    act: (page) => press(page, 'Disable'),
    call: '**/api/admin/client/*/enabled',
  },
  {
    name: 'to disable many clients',
    person: admin,
    begin: async (page) => {
      await at('/admin/client-management', 'Clients')(page);
      await page.getByRole('checkbox', { name: 'Select Careful' }).check();
      await press(page, 'Disable');
      await expectDialog(page, 'Disable 1 client?');
    },
    act: (page) => press(page, 'Disable'),
    call: '**/api/admin/client/bulk/*',
  },
  {
    name: 'to rotate a secret',
    person: admin,
    begin: opened('/admin/client-management', 'Clients', rotating.clientName, 'Rotate a secret'),
    act: (page) => press(page, 'Make a new secret'),
    call: '**/api/admin/client/*/rotation',
  },
  {
    name: 'to try a launch',
    person: admin,
    begin: async (page) => {
      const [row] = await portal.query<{ id: string }>("SELECT id FROM client WHERE client_id = 'careful'");
      await page.goto(`${portal.issuer}/admin/try-launch?client=${row?.id}`);
      await expectPage(page, '/admin/try-launch', 'Try a launch');
    },
    act: (page) => press(page, 'Start the try'),
    call: '**/api/admin/client/*/trial',
  },
  {
    name: 'to undo an import of users',
    person: admin,
    begin: async (page) => {
      const id = randomUUID();
      const csv = `name,email,type,fhir_user\nIda,${id}@example.org,Patient,Patient/1`;
      await login(api, admin);
      expect((await api.send(`/api/admin/user/import/${id}`, { method: 'PUT', body: { csv } })).status).toBe(200);
      await page.goto(`${portal.issuer}/admin/user-management?import=${id}`);
      await expectPage(page, '/admin/user-management', 'Users');
      await press(page, 'Undo the import');
    },
    act: (page) => press(page, 'Remove 1 user'),
    call: '**/api/admin/user/import/*/undo',
  },
  {
    name: 'to reset a second factor',
    person: admin,
    begin: async (page) => {
      await opened('/admin/user-management', 'Users', secured.fullName, 'Reset second factor')(page);
      await page.getByLabel('Your own password', { exact: true }).fill(admin.password);
    },
    act: (page) => press(page, 'Reset second factor'),
    call: '**/reset-second-factor',
  },
  {
    name: 'to delete a tag',
    person: admin,
    begin: opened('/admin/client-management', 'Clients', 'Tags', /^Delete .*Cardiology/),
    act: (page) => press(page, 'Delete'),
    call: '**/api/admin/configuration/tag/*',
  },
  {
    name: 'to sort a list',
    person: admin,
    begin: at('/admin/user-management', 'Users'),
    act: (page) => press(page, 'Email'),
    call: '**/api/admin/user?*',
  },
  ...(['Check again', 'Send a test mail'] as const).map((button) => ({
    name: `to press '${button}' in the readiness report`,
    person: admin,
    begin: async (page: Page) => {
      await at('/admin/readiness', 'Readiness report')(page);
      await expectText(page, 'Send a test mail');
    },
    act: (page: Page) => press(page, button),
    call: button === 'Check again' ? '**/api/admin/readiness' : '**/api/admin/readiness/test-mail',
  })),
  {
    name: 'to filter the launches',
    person: admin,
    begin: at('/admin/activity', 'Activity'),
    act: (page) => page.getByRole('switch', { name: 'Only what did not succeed' }).click(),
    call: '**/api/admin/activity?*',
  },
  {
    name: 'to verify the audit record',
    person: admin,
    begin: at('/admin/audit', 'Audit'),
    act: (page) => press(page, 'Verify now'),
    call: '**/api/admin/audit/verification',
  },
  {
    name: 'to revoke an app',
    person: patient,
    begin: opened('/user/grants', 'Manage Apps', /^View Disclaimers/, 'Revoke App Permissions'),
    act: (page) => press(page, 'Take back access'),
    call: '**/api/grant*',
  },
  {
    name: 'to consent',
    person: patient,
    begin: atConsent,
    act: (page) => press(page, 'Accept'),
    call: '**/api/consent',
  },
  {
    name: 'to decline',
    person: patient,
    begin: async (page) => {
      await atConsent(page);
      await press(page, 'Decline');
    },
    act: (page) => press(page, 'Confirm Decline'),
    call: '**/api/consent',
  },
  {
    name: 'to agree to the disclaimers',
    person: patient,
    begin: async (page) => {
      await atDisclaimers(page);
      await acceptDisclaimer(page, 'Portal use');
    },
    act: (page) => press(page, 'Confirm my choices'),
    call: '**/api/disclaimer?*',
  },
  {
    name: 'to pause an app',
    person: patient,
    begin: at('/user/grants', 'Manage Apps'),
    act: (page) => press(page, /^Pause /),
    call: '**/api/grant/pause?*',
  },
  {
    name: 'to take back one permission',
    person: patient,
    begin: async (page) => {
      await at('/user/grants', 'Manage Apps')(page);
      await press(page, /^View Disclaimers & Permissions/);
      await press(page, /^Take back Test results/);
    },
    act: (page) => press(page, 'Take back'),
    call: '**/api/grant/permission?*',
  },
  {
    name: 'to resume a paused app',
    person: patient,
    begin: async (page) => {
      await pauseApp(portal, patient, paused.clientId);
      await launched(paused, 'openid')(page);
      await expectPage(page, '/user/paused-app', `You paused ${paused.clientName}`);
    },
    act: (page) => press(page, 'Resume and continue'),
    call: '**/api/grant/resume',
  },
  {
    name: 'to cancel',
    person: patient,
    begin: atDisclaimers,
    act: (page) => press(page, /^Cancel and return to/),
    call: '**/api/authorization?*',
  },
  {
    name: 'to choose a patient',
    person: practitioner,
    begin: async (page) => {
      await launched(chooser, 'openid launch/patient')(page);
      await expectPage(page, '/user/launch-context', 'Select Patient');
      await page.getByText('Noah Reed', { exact: true }).click();
    },
    act: (page) => press(page, 'Confirm Selection'),
    call: '**/api/launch-context?*',
  },
];

/** A signed-in user before the action. What the pages say of failures from then on is recorded. */
async function begun({ person, begin }: Action): Promise<Page> {
  const page = await browser.open();
  // Kept from one document to the next, and complete when the page has settled.
  await page.addInitScript(`new MutationObserver(() => {
    const texts = [...document.querySelectorAll('[role=alert]')].map((one) => one.textContent);
    const seen = JSON.parse(sessionStorage.getItem('seen') ?? '[]');
    sessionStorage.setItem('seen', JSON.stringify([...new Set([...seen, ...texts.filter(Boolean)])]));
  }).observe(document, { subtree: true, childList: true, characterData: true })`);
  await signInByApi(page, portal.issuer, person);
  await begin(page);
  await page.waitForLoadState('networkidle');
  return page;
}

const failuresShown = async (page: Page) =>
  JSON.parse(await page.evaluate<string>("sessionStorage.getItem('seen') ?? '[]'")) as string[];

describe.each(actions)('A user who tries $name', (action) => {
  it('after the session has ended sees a message on the sign-in page, and no other one', async () => {
    browser.expectAnyFailure(401);
    const page = await begun(action);
    await endSessions();
    await action.act(page);
    await expectLogin(page);
    await expectText(page, 'Your session has ended. Please sign in again to go on.');
    expect(await failuresShown(page)).toEqual([]);
  });

  it('while the server fails sees its error page, and no other message', async () => {
    browser.expectAnyFailure(500);
    const page = await begun(action);
    await page.route(action.call, (route) => route.fulfill({ status: 500, json: {} }));
    await action.act(page);
    await expectPage(page, '/error/500', 'Server error');
    expect(await failuresShown(page)).toEqual([]);
  });
});

it('A user with unsaved changes who ends all other sessions after the own one has ended signs in again, and is asked to repeat the action', async () => {
  browser.expectAnyFailure(401);
  const page = await browser.open();
  await signInByApi(page, portal.issuer, patient);
  await settingsOf(patient)(page);
  await press(page, 'Edit name');
  await page.getByLabel('Name', { exact: true }).fill('Amelia Stone');
  await endSessions();
  await press(page, 'Sign out everywhere else');
  const asked = await expectDialog(page, 'You have been signed out');
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    asked.getByRole('button', { name: 'Sign in again' }).click(),
  ]);
  await signIn(tab, patient);
  await asked.waitFor({ state: 'hidden' });
  await expectNotice(page, 'You were signed out, so this was not done. You are signed in again: please try once more.');
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Amelia Stone');
});
