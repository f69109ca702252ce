import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import {
  acceptDisclaimer,
  expectConsent,
  expectDialog,
  expectNotice,
  expectPage,
  expectText,
} from '../../support/browser/pages.js';
import { VirtualAuthenticator } from '../../support/browser/virtual-authenticator.js';
import { backendService, publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { pauseApp } from '../../support/portal/paused-app.js';
import type { TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { type Person, people } from '../../support/users/people.js';

const { admin, patient, otherPatient, practitioner } = people;
export const chooser = { ...publicApp, clientId: 'chooser', clientName: 'Ward Board', requireConsent: false };
export const paused = { ...publicApp, clientId: 'paused-app', clientName: 'Paused App' };
export const careful = { ...chooser, clientId: 'careful', clientName: 'Careful' };
export const rotating = { ...backendService, clientId: 'rotating', clientName: 'Rotating' };
export const keyed = { ...patient, email: 'keyed@example.org', fullName: 'Kara Keyed' };
export const secured = { ...practitioner, email: 'secured@example.org', fullName: 'Sara Secured' };

export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).last().click();

/** An action of a user that calls the server, and the page on which it begins. */
export interface Action {
  name: string;
  person: Person;
  begin: (page: Page) => Promise<unknown>;
  act: (page: Page) => Promise<void>;
  /** The call that the action makes. */
  call: string;
}

/** Each action of a user that calls the server, on the portal of the tests, and the way to the account settings. */
export function actionsOn(current: () => TestPortal) {
  const at =
    (path: string, heading: string, query = '') =>
    async (page: Page) => {
      await page.goto(current().issuer + path + query);
      await expectPage(page, path, heading);
    };

  const launched = (client: typeof publicApp, scope: string) => (page: Page) =>
    page.goto(
      `${current().issuer}/connect/authorize?${new SmartApp(current(), { client, scope, parameters: { prompt: 'consent' } }).query()}`,
    );

  const settingsOf = (person: Person) => async (page: Page) => {
    const elsewhere = new Agent(current().issuer);
    await login(elsewhere, person);
    await at(`/${person === admin ? 'admin' : 'user'}/account-settings`, 'Account settings')(page);
    await expectText(page, 'Another browser');
  };

  const opened =
    (path: string, heading: string, row: string | RegExp, button: string | RegExp, query = '') =>
    async (page: Page) => {
      await at(path, heading, query)(page);
      await press(page, row);
      await press(page, button);
      // Its button may have the name of one behind it, which is the last one until then.
      await page.locator('[role=dialog]').nth(1).waitFor();
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
      name: 'to remove the password',
      person: keyed,
      begin: async (page) => {
        await current().query('DELETE FROM passkey');
        await VirtualAuthenticator.connect(page);
        await at('/user/account-settings', 'Account settings')(page);
        await press(page, 'Add a passkey');
        await expectNotice(page, 'Passkey created');
        // It would be taken for the message of a failure.
        await page.getByText('Passkey created').waitFor({ state: 'detached' });
        await page.evaluate("sessionStorage.removeItem('seen')");
        await press(page, 'Remove the password');
        await expectDialog(page, 'Remove your password?');
        await press(page, 'Use a passkey');
        await expectText(page, 'Confirmed by a passkey');
      },
      act: (page) => press(page, 'Remove the password'),
      call: '**/api/user/password',
    },
    {
      name: 'to make the passkey that administrators need',
      person: admin,
      begin: async (page) => {
        const { account } = current().config;
        Object.assign(account, { adminsNeed: 'passkey' });
        await at(
          '/admin/stronger-sign-in',
          'One more step',
        )(page).finally(() => Object.assign(account, { adminsNeed: 'password' }));
      },
      act: (page) => press(page, 'Create a passkey'),
      call: '**/api/passkeys/registration',
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
          await login(new Agent(current().issuer), { ...otherPatient, password: '-' });
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
        for (const _ of [1, 2]) await login(new Agent(current().issuer), patient);
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
        const [row] = await current().query<{ id: string }>("SELECT id FROM client WHERE client_id = 'careful'");
        await page.goto(`${current().issuer}/admin/try-launch?client=${row?.id}`);
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
        const api = new Agent(current().issuer);
        await login(api, admin);
        expect((await api.send(`/api/admin/user/import/${id}`, { method: 'PUT', body: { csv } })).status).toBe(200);
        await page.goto(`${current().issuer}/admin/user-management?import=${id}`);
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
        // The users of imports fill the first page of the list.
        const found = '?searchTerm=secured';
        await opened('/admin/user-management', 'Users', secured.fullName, 'Reset second factor', found)(page);
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
        await page.getByRole('button', { name: 'Take back', exact: true }).waitFor();
      },
      act: (page) => press(page, 'Take back'),
      call: '**/api/grant/permission?*',
    },
    {
      name: 'to resume a paused app',
      person: patient,
      begin: async (page) => {
        await pauseApp(current(), patient, paused.clientId);
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
  return { actions, settingsOf };
}
