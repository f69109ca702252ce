import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expectDialog, expectPage, expectText } from '../../support/browser/pages.js';
import { Agent } from '../../support/http/agent.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';
import { type Action, type ActionPages, press, rotating, secured } from './action-pages.js';

const { admin, patient, otherPatient } = people;

/** The actions in the console of administrators. */
export const administratorActions = (pages: ActionPages): Action[] => [
  {
    name: 'to delete a user',
    person: admin,
    begin: pages.opened('/admin/user-management', 'Users', patient.fullName, 'Delete'),
    act: (page) => press(page, 'Delete'),
    call: '**/api/admin/user/*',
  },
  {
    name: 'to check a file of users',
    person: admin,
    begin: async (page) => {
      await pages.at('/admin/user-management', 'Users')(page);
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
      await pages.at('/admin/user-management', 'Users')(page);
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
      await pages.at('/admin/user-management', 'Users', '?searchTerm=noah')(page);
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
        await login(new Agent(pages.portal.issuer), { ...otherPatient, password: '-' });
      await pages.at('/admin/user-management', 'Users', '?searchTerm=noah')(page);
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
      for (const _ of [1, 2]) await login(new Agent(pages.portal.issuer), patient);
      await pages.at('/admin/user-management', 'Users')(page);
      await press(page, patient.fullName);
      await expectText(page, 'Where they are signed in');
    },
    act: (page) => press(page, 'Sign out everywhere'),
    call: '**/api/admin/user/*/session',
  },
  {
    name: 'to delete a client',
    person: admin,
    begin: pages.opened('/admin/client-management', 'Clients', 'Careful', 'Delete'),
    act: (page) => press(page, 'Delete'),
    call: '**/api/admin/client/*',
  },
  {
    name: 'to disable a client',
    person: admin,
    begin: pages.opened('/admin/client-management', 'Clients', 'Careful', 'Disable'),
    act: (page) => press(page, 'Disable'),
    call: '**/api/admin/client/*/enabled',
  },
  {
    name: 'to disable many clients',
    person: admin,
    begin: async (page) => {
      await pages.at('/admin/client-management', 'Clients')(page);
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
    begin: pages.opened('/admin/client-management', 'Clients', rotating.clientName, 'Rotate a secret'),
    act: (page) => press(page, 'Make a new secret'),
    call: '**/api/admin/client/*/rotation',
  },
  {
    name: 'to try a launch',
    person: admin,
    begin: async (page) => {
      const [row] = await pages.portal.query<{ id: string }>("SELECT id FROM client WHERE client_id = 'careful'");
      await page.goto(`${pages.portal.issuer}/admin/try-launch?client=${row?.id}`);
      await expectPage(page, '/admin/try-launch', 'Try a launch');
    },
    act: (page) => press(page, 'Start the trial'),
    call: '**/api/admin/client/*/trial',
  },
  {
    name: 'to undo an import of users',
    person: admin,
    begin: async (page) => {
      const id = randomUUID();
      const csv = `name,email,type,fhir_user\nIda,${id}@example.org,Patient,Patient/1`;
      const api = new Agent(pages.portal.issuer);
      await login(api, admin);
      expect((await api.send(`/api/admin/user/import/${id}`, { method: 'PUT', body: { csv } })).status).toBe(200);
      await page.goto(`${pages.portal.issuer}/admin/user-management?import=${id}`);
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
      await pages.opened('/admin/user-management', 'Users', secured.fullName, 'Reset second factor', found)(page);
      await page.getByLabel('Your own password', { exact: true }).fill(admin.password);
    },
    act: (page) => press(page, 'Reset second factor'),
    call: '**/reset-second-factor',
  },
  {
    name: 'to delete a tag',
    person: admin,
    begin: pages.opened('/admin/client-management', 'Clients', 'Tags', /^Delete .*Cardiology/),
    act: (page) => press(page, 'Delete'),
    call: '**/api/admin/configuration/tag/*',
  },
  {
    name: 'to sort a list',
    person: admin,
    begin: pages.at('/admin/user-management', 'Users'),
    act: (page) => press(page, 'Email'),
    call: '**/api/admin/user?*',
  },
  ...(['Check again', 'Send a test mail'] as const).map((button) => ({
    name: `to press '${button}' in the readiness report`,
    person: admin,
    begin: async (page: Page) => {
      await pages.at('/admin/readiness', 'Readiness report')(page);
      await expectText(page, 'Send a test mail');
    },
    act: (page: Page) => press(page, button),
    call: button === 'Check again' ? '**/api/admin/readiness' : '**/api/admin/readiness/test-mail',
  })),
  {
    name: 'to filter the launches',
    person: admin,
    begin: pages.at('/admin/activity', 'Activity'),
    act: (page) => page.getByRole('switch', { name: 'Only what did not succeed' }).click(),
    call: '**/api/admin/activity?*',
  },
  {
    name: 'to verify the audit record',
    person: admin,
    begin: pages.at('/admin/audit', 'Audit'),
    act: (page) => press(page, 'Verify now'),
    call: '**/api/admin/audit/verification',
  },
];
