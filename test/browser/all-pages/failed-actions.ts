import type { Page } from 'playwright-core';
import {
  acceptDisclaimer,
  expectConsent,
  expectDialog,
  expectNotice,
  expectPage,
  expectText,
} from '../../support/browser/pages.js';
import { VirtualAuthenticator } from '../../support/browser/virtual-authenticator.js';
import { publicApp } from '../../support/clients/clients.js';
import { pauseApp } from '../../support/portal/paused-app.js';
import { people } from '../../support/users/people.js';
import { type Action, type ActionPages, careful, chooser, keyed, paused, press } from './action-pages.js';
import { administratorActions } from './failed-administrator-actions.js';
import { familyActions } from './failed-family-actions.js';

const { admin, patient, practitioner } = people;

/** Each action of a user that calls the server. */
export const actionsOn = (pages: ActionPages): Action[] => [
  ...accountActions(pages),
  ...administratorActions(pages),
  ...flowActions(pages),
  ...familyActions(pages),
];

/** The actions in the account settings. */
const accountActions = (pages: ActionPages): Action[] => [
  ...[admin, patient].map((person) => ({
    name: `to sign out everywhere else (${person.userType})`,
    person,
    begin: pages.settingsOf(person),
    act: (page: Page) => press(page, 'Sign out everywhere else'),
    call: '**/api/user/sessions',
  })),
  {
    name: 'to set up the second factor',
    person: patient,
    begin: pages.settingsOf(patient),
    act: (page) => press(page, 'Turn on'),
    call: '**/api/twofactor/enable*',
  },
  {
    name: 'to remove the password',
    person: keyed,
    begin: async (page) => {
      await pages.portal.query('DELETE FROM passkey');
      await VirtualAuthenticator.connect(page);
      await pages.at('/user/account-settings', 'Account settings')(page);
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
      const { account } = pages.portal.config;
      Object.assign(account, { adminsNeed: 'passkey' });
      await pages
        .at(
          '/admin/stronger-sign-in',
          'One more step',
        )(page)
        .finally(() => Object.assign(account, { adminsNeed: 'password' }));
    },
    act: (page) => press(page, 'Create a passkey'),
    call: '**/api/passkeys/registration',
    alone: true,
  },
  {
    name: 'to download their own data',
    person: patient,
    begin: pages.settingsOf(patient),
    act: (page) => press(page, 'Download'),
    call: '**/api/user/data',
  },
  {
    name: 'to delete their own account',
    person: patient,
    begin: pages.settingsOf(patient),
    act: (page) => press(page, 'Delete account'),
    call: '**/api/user/deletion',
  },
];

/** The actions of users about apps: their answers to a request, and the access that they take back. */
function flowActions(pages: ActionPages): Action[] {
  const atConsent = async (page: Page) => {
    await pages.launched(publicApp, 'openid patient/Observation.rs')(page);
    await expectConsent(page, publicApp.clientName);
  };

  const atDisclaimers = async (page: Page) => {
    await pages.launched(careful, 'openid')(page);
    await expectPage(page, '/user/disclaimer', 'Disclaimers');
  };

  return [
    {
      name: 'to revoke an app',
      person: patient,
      begin: pages.opened('/user/grants', 'Manage Apps', /^View Disclaimers/, 'Revoke App Permissions'),
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
      begin: pages.at('/user/grants', 'Manage Apps'),
      act: (page) => press(page, /^Pause /),
      call: '**/api/grant/pause?*',
    },
    {
      name: 'to take back one permission',
      person: patient,
      begin: async (page) => {
        await pages.at('/user/grants', 'Manage Apps')(page);
        await press(page, /^View Disclaimers & Permissions/);
        await press(page, /^Take back access to Test results/);
        await page.getByRole('button', { name: 'Take back access', exact: true }).waitFor();
      },
      act: (page) => press(page, 'Take back access'),
      call: '**/api/grant/permission?*',
    },
    {
      name: 'to resume a paused app',
      person: patient,
      begin: async (page) => {
        await pauseApp(pages.portal, patient, paused.clientId);
        await pages.launched(paused, 'openid')(page);
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
        await pages.launched(chooser, 'openid launch/patient')(page);
        await expectPage(page, '/user/launch-context', 'Select Patient');
        await page.getByText('Noah Reed', { exact: true }).click();
      },
      act: (page) => press(page, 'Confirm Selection'),
      call: '**/api/launch-context?*',
    },
  ];
}
