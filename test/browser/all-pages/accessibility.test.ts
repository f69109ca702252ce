import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectConsent, expectDialog, expectLogin, expectPage, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { recordAccesses } from '../../support/portal/recorded-accesses.js';
import { itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const scope =
  'openid fhirUser profile offline_access launch/patient patient/Observation.rs patient/Condition.cruds patient/MedicationAdministration.rs';
const client = {
  ...publicApp,
  clientName: 'Cardiovascular Rehabilitation and Companionship Programme',
  showFineGrainedScopes: true,
  legalCompanyName: 'Rehabilitation Companionship International Incorporated',
  contactUsUrl: 'https://rehabilitation.example/contact/with-a-very-long-path-that-does-not-break-anywhere-by-itself',
  privacyPolicyUrl: 'https://rehabilitation.example/privacy',
  termsOfServiceUrl: 'https://rehabilitation.example/terms',
};
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.admin, people.patient, people.otherPatient],
      clients: [client],
      locale: { timeZone: 'America/New_York' },
      representation: {},
    },
  });
  await new SmartApp(portal, { scope }).tokens(people.patient);
  const access = { at: new Date(), app: client.clientId, patients: ['1'] };
  const seen = [{ 'Observation/laboratory': 12, Encounter: 2, Condition: 1 }];
  await recordAccesses(
    portal,
    people,
    { ...access, seen, launch: 'NB7Q4K2M2345', unattended: true },
    { ...access, by: 'service', interaction: 'create', export: 'one', seen: [{ Condition: 1 }] },
    { ...access, by: 'deleted', status: 403 },
  );
});

afterAll(async () => {
  await portal.close();
});

type Show = (page: Page) => Promise<unknown>;

const at = (path: string, heading: string) => async (page: Page) => {
  await page.goto(portal.issuer + path);
  await expectPage(page, path, heading);
};

const as =
  (person: (typeof people)[keyof typeof people], show: (page: Page) => Promise<unknown>) => async (page: Page) => {
    await signInByApi(page, portal.issuer, person);
    await show(page);
  };

const consent = as(people.patient, async (page) => {
  await page.goto(`${portal.issuer}/connect/authorize?${new SmartApp(portal, { scope }).query()}`);
  const asked = await expectConsent(page, client.clientName);
  await asked.unfold('Test results and observations');
  await asked.permission('Laboratory').uncheck();
  await asked.open('About you');
  await asked.open('Remember my decision');
  await page.getByRole('button', { name: 'Show technical details' }).click();
});

const decline = async (page: Page) => {
  await page.getByRole('button', { name: 'Decline', exact: true }).click();
  await expectDialog(page, 'Are you sure you want to decline?');
};

const close = async (page: Page) => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
};

async function ask(page: Page): Promise<{ id: string }> {
  const form = { basis: 'parental-responsibility', birthDate: '2020-05-10', isTrue: true, files: [] };
  const answer = await page.request.post(`${portal.issuer}/api/requests`, {
    data: { ...form, patientName: 'Leo Duarte' },
    headers: { origin: portal.issuer },
  });
  return answer.json();
}

const accessLog = at('/user/access-log', 'Who has seen my record');

/** Each page in the states that show most of its parts, by the user who sees it. */
const pages: Record<string, Record<string, Show>> = {
  'of visitors': {
    welcome: at('/welcome', 'Welcome to Gatehouse'),
    'sign-in with errors': async (page) => {
      await page.goto(`${portal.issuer}/login?firstVisit=true&error=unknown`);
      await (await expectLogin(page)).submit.click();
      await page.getByText('Password cannot be empty').waitFor();
    },
    'sign-in while initializing': async (page) => {
      await page.goto(`${portal.issuer}/login?error=fhir-connection-required`);
      await expectDialog(page, 'Unable to authenticate user!');
    },
    'an admin exists': async (page) => {
      await page.goto(`${portal.issuer}/register`);
      await expectDialog(page, 'Admin already exists!');
    },
    'account error': at('/account/error', 'Your account is not ready'),
    'error page': at('/nowhere', 'Page not found'),
  },
  'of administrators': {
    'dashboard with menu': as(people.admin, async (page) => {
      await at('/admin/dashboard', 'Dashboard')(page);
      await page.getByText('Down', { exact: true }).waitFor();
      await page.getByRole('button', { name: /Account menu/ }).click();
      await page.getByRole('menuitem', { name: 'Logout' }).waitFor();
    }),
  },
  'of patients, about consent and apps': {
    consent,
    'consent being declined': decline,
    apps: at('/user/grants', 'Manage Apps'),
    'who is behind an app': async (page) => {
      await page.getByRole('button', { name: /^About / }).click();
      await expectDialog(page, client.clientName);
    },
    permissions: async (page) => {
      await close(page);
      await page.getByRole('button', { name: /^View Disclaimers/ }).click();
      await page.getByRole('button', { name: 'Revoke App Permissions' }).waitFor();
    },
    'access to be taken back': async (page) => {
      await close(page);
      await page.getByRole('button', { name: /^Take back access from / }).click();
      await expectDialog(page, `Take back access from ${client.clientName}?`);
    },
  },
  'of patients, about accesses': {
    accesses: as(people.patient, async (page) => {
      await accessLog(page);
      await page.getByRole('button', { name: /^.*Seen: Laboratory/ }).click();
      await page.getByRole('button', { name: /single request/ }).click();
      await page.getByRole('table').waitFor();
    }),
    'chosen accesses': async (page) => {
      await page.goto(`${portal.issuer}/user/access-log?clientId=${client.clientId}&period=week`);
      await page.getByText('in this period').waitFor();
    },
  },
  'of patients, about helpers': {
    'family and carers': as(people.patient, at('/user/family', 'Family and carers')),
    'an invitation': async (page) => {
      await at('/user/family/invite', 'Invite a helper')(page);
      await page.getByLabel('Their name').waitFor();
    },
    'the kinds of a level': async (page) => {
      await page.getByText('What “Limited: the basics” includes').click();
      await page.getByText('Kept private: ').waitFor();
    },
    'a request': async (page) => {
      await at('/user/family/request', 'Ask to look after someone')(page);
      await page.getByLabel('First and last name').waitFor();
    },
    'a request that waits': async (page) => {
      const { id } = await ask(page);
      await at(`/user/family/requests/${id}`, 'We are checking your request')(page);
    },
  },
  'of users without an account': {
    'a user without an account': at('/ask', 'Ask to look after someone'),
    'an invitation that has ended': at('/invitation', 'This invitation has ended'),
  },
  'of administrators, about who acts for others': {
    requests: as(people.admin, at('/admin/requests', 'Requests')),
    'a request': async (page) => {
      await page.getByRole('button', { name: people.patient.fullName }).first().click();
      await page.getByLabel('Reason').waitFor();
    },
    'nothing that is suspended': async (page) => {
      await page.goto(`${portal.issuer}/admin/requests?show=records`);
      await page.getByText('Nothing is suspended').waitFor();
    },
    'age rules': at('/admin/age-rules', 'Age rules'),
  },
  'of patients without apps': {
    'no apps': as(people.otherPatient, at('/user/grants', 'Manage Apps')),
    'no accesses': accessLog,
    'a receipt': async (page) => {
      await new SmartApp(portal, { client, scope }).tokens(people.otherPatient);
      const answer = await page.request.delete(`${portal.issuer}/api/grant?clientId=${client.clientId}`);
      const id = answer.headers().location?.split('/').at(-1) ?? '';
      await at(`/user/receipts/${id}`, `${client.clientName} can no longer see your record`)(page);
    },
  },
};

describe('no accessibility violations and no horizontal scrolling on pages', () => {
  it.each(Object.entries(pages))('%s', (_name, states) => expectFitInEveryLook(browser, states));
});

describe('Motion', () => {
  itInLongRun('is off for users who prefer reduced motion', async () => {
    const page = await browser.open();
    await consent(page);
    await decline(page);
    const moving = await page.evaluate<string[]>(
      'document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime > 10).map(({ effect }) => effect.target.outerHTML)',
    );
    expect(moving).toEqual([]);
  });
});
