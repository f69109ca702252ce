import type { Page } from 'playwright-core';
import { demoAccounts } from '../../../demo/demo-accounts.js';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { FhirclientApp } from '../../support/apps/fhirclient-app.js';
import {
  allStepsDue,
  clientIdOf,
  clientsFor,
  type DueSteps,
  dueDisclaimer,
  type Step,
  stepCombinations,
  steps,
} from '../../support/apps/steps.js';
import { expectNoSidewaysScroll, useBrowser } from '../../support/browser/browser.js';
import { expectNamedControls } from '../../support/browser/controls.js';
import {
  acceptDisclaimer,
  type ConsentPage,
  expectConsent,
  expectDialog,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { deleteAgreements } from '../../support/portal/disclaimers-portal.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong, itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { alterAccounts, authenticatorCode } from '../../support/users/authenticator.js';

const browser = useBrowser();
const phone = { width: 390, height: 844 };
const accounts = demoAccounts();
const patient = accounts.find(({ userType }) => userType === 'Patient');
const practitioner = accounts.find(({ userType }) => userType === 'Practitioner');
if (!patient || !practitioner) throw new Error('The demo has no patient or no practitioner.');
const clientName = 'Heart Companion';
const labResults = { clientId: 'lab-app', clientName: 'Lab Results' };
const category = 'http://terminology.hl7.org/CodeSystem/observation-category';

let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let app: FhirclientApp;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  app = await FhirclientApp.start();
  const client = { ...publicApp, clientName, redirectUris: [app.redirectUri] };
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: [patient, practitioner],
      clients: [...clientsFor(client), { ...client, ...labResults, showFineGrainedScopes: true }],
      disclaimers: [dueDisclaimer],
    },
  });
  await until(async () => (await fetch(`${portal.fhirBase}/metadata`)).ok);
});

beforeEach(async () => {
  await deleteAgreements(portal);
  await alterAccounts(portal, 'DELETE FROM two_factor');
});

afterEach(() => browser.closePages());

afterAll(async () => {
  await portal?.close();
  await app?.close();
  await fhirServer?.close();
});

/** A practitioner who has signed in for an app's request. */
async function launched(due: DueSteps, look: object = phone): Promise<Page> {
  const page = await browser.open(look);
  const scope = `openid fhirUser user/Patient.rs user/Observation.rs${due['launch-context'] ? ' launch/patient' : ''}`;
  await app.launch(page, portal, clientIdOf(due), scope);
  await (await expectLogin(page)).signIn(practitioner as { email: string; password: string });
  return page;
}

const headings: Record<Step, string> = {
  'two-factor-required': 'Two-Factor Authentication Required',
  disclaimer: 'Disclaimers',
  'launch-context': 'Select Patient',
  consent: `${clientName} is requesting your permissions`,
};

/** The user's action on each page. */
const answers: Record<Step, (page: Page) => Promise<void>> = {
  async 'two-factor-required'(page) {
    const key = (await page.locator('code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Enter the 6-digit code that it shows').fill(authenticatorCode(key));
    const codes = await expectDialog(page, 'Save your recovery codes');
    await expectNamedControls(page);
    await codes.getByLabel('I have stored these codes').check();
    await codes.getByRole('button', { name: 'Confirm' }).click();
  },
  async disclaimer(page) {
    await acceptDisclaimer(page, 'Portal use', () => expectNamedControls(page));
    await page.getByRole('button', { name: 'Confirm my choices' }).click();
  },
  async 'launch-context'(page) {
    await page.getByRole('radio').first().check();
    await page.getByRole('button', { name: 'Confirm Selection' }).click();
  },
  async consent(page) {
    await (await expectConsent(page, clientName)).accept.click();
  },
};

const onlyDue = (step: Step) => Object.fromEntries(steps.map((one) => [one, one === step])) as DueSteps;

/** Completes the steps that are due before this one. */
async function goTo(page: Page, due: DueSteps, step: Step): Promise<void> {
  for (const before of steps.slice(0, steps.indexOf(step)).filter((one) => due[one])) {
    await expectPage(page, `/user/${before}`, headings[before]);
    await answers[before](page);
  }
  await expectPage(page, `/user/${step}`, headings[step]);
}

/**
 * Usually without a step, and with the first and the last; `test/oidc/authorization/flow-progress.test.ts` has all
 * combinations without a browser.
 */
const combinations = stepCombinations.filter(({ due }) => {
  const places = steps.flatMap((step, place) => (due[step] ? [place] : []));
  const [first = 0, last = 0] = places;
  // The way through all steps, at 200 % zoom, has the neighbours.
  return isLong || places.length === 0 || (places.length === 2 && last - first === steps.length - 1);
});

describe('An authorization on a phone', () => {
  it.each(combinations)('leads through the steps and back to the app: $name', async ({ due }) => {
    const page = await launched(due);
    const expected = steps.filter((step) => due[step]);
    for (const [index, step] of expected.entries()) {
      await expectPage(page, `/user/${step}`, headings[step]);
      if (expected.length > 1) await expectText(page, `Step ${index + 1} of ${expected.length} · ${clientName}`);
      await expectNamedControls(page);
      await answers[step](page);
    }
    await app.answer(page);
    const { patient: chosen, found } = await app.inApp<{ patient: string | null; found: number }>(
      page,
      `const { entry = [] } = await client.request('Patient?_count=3');
       return { patient: client.patient.id, found: entry.length };`,
    );
    expect(chosen === null).toBe(!due['launch-context']);
    expect(found).toBe(3);
  });

  // Each step, without a browser: `test/oidc/authorization/flow-progress.test.ts`; consent, in a browser:
  // `consent.test.ts`.
  it.each(isLong ? steps : (['launch-context'] as const))(
    'leads back to the app without a code by declining at %s',
    async (step) => {
      const due = isLong ? allStepsDue : onlyDue(step);
      const page = await launched(due);
      await goTo(page, due, step);
      if (step === 'consent') {
        await page.getByRole('button', { name: 'Decline', exact: true }).click();
        await (await expectDialog(page, 'Are you sure you want to decline?'))
          .getByRole('button', { name: 'Confirm Decline' })
          .click();
      } else {
        await page.getByRole('button', { name: `Cancel and return to ${clientName}` }).click();
      }
      const answer = await app.answer(page);
      expect([answer.get('error'), answer.get('code')]).toEqual(['access_denied', null]);
      expect(await page.evaluate('FHIR.oauth2.ready().then(() => "ready", () => "refused")')).toBe('refused');
    },
  );

  itInLongRun('works at 200 % zoom, with every control in reach, and with motion', async () => {
    const page = await launched(allStepsDue, { width: 640, height: 400, motion: true });
    for (const [index, step] of steps.entries()) {
      await expectPage(page, `/user/${step}`, headings[step]);
      await expectText(page, `Step ${index + 1} of ${steps.length} · ${clientName}`);
      await expectNoSidewaysScroll(page, 640);
      await page.setViewportSize({ width: 640, height: 400 });
      await answers[step](page);
    }
    expect((await app.answer(page)).get('code')).not.toBeNull();
  });
});

/** A patient's app with its tokens. */
async function withTokens(
  client: { clientId: string; clientName: string },
  scope: string,
  choose: (consent: ConsentPage) => Promise<void> = async () => {},
): Promise<Page> {
  const page = await browser.open(phone);
  await app.launch(page, portal, client.clientId, scope);
  await (await expectLogin(page)).signIn(patient as { email: string; password: string });
  const consent = await expectConsent(page, client.clientName);
  await choose(consent);
  await consent.accept.click();
  await app.answer(page);
  return page;
}

/** The number of observations of this category that the app gets. */
const observations = (page: Page, of: string) =>
  app.inApp<number>(
    page,
    `const { entry = [] } = await client.patient.request('Observation?category=${category}%7C${of}&_count=50');
     return entry.filter(({ resource }) => resource.resourceType === 'Observation').length;`,
  );

describe('The scopes that a patient grants', () => {
  const scope = 'openid fhirUser launch/patient patient/Observation.rs offline_access';

  it('in part are the ones in the token and at the gateway', async () => {
    const page = await withTokens(labResults, scope, async (consent) => {
      await consent.unfold('Test results and observations');
      await consent.permission('Laboratory').uncheck();
      await consent.promptAgain();
    });
    const granted = await app.inApp<string[]>(page, `return client.state.tokenResponse.scope.split(' ');`);
    expect(granted).not.toContain('patient/Observation.rs');
    expect(granted).toContain(`patient/Observation.rs?category=${category}|vital-signs`);
    expect(granted).not.toContain(`patient/Observation.rs?category=${category}|laboratory`);
    expect(await observations(page, 'vital-signs')).toBeGreaterThan(0);
    expect(await observations(page, 'laboratory')).toBe(0);

    const whole = await withTokens(labResults, scope, async (consent) => {
      expect(await consent.permission('Laboratory').isChecked()).toBe(false);
      await consent.permission('Laboratory').check();
    });
    expect(await observations(whole, 'laboratory')).toBeGreaterThan(0);
  });

  itInLongRun('can be revoked: the app is refused at once, and cannot refresh', async () => {
    const clientId = clientIdOf({ ...allStepsDue, 'two-factor-required': false, disclaimer: false });
    const page = await withTokens({ clientId, clientName }, scope);
    expect(await observations(page, 'vital-signs')).toBeGreaterThan(0);

    const portalPage = await page.context().newPage();
    await portalPage.goto(`${portal.issuer}/user/grants`);
    await portalPage.getByRole('button', { name: `View Disclaimers & Permissions of ${clientName}` }).click();
    await portalPage.getByRole('button', { name: 'Revoke App Permissions' }).click();
    const question = await expectDialog(portalPage, `Take back access from ${clientName}?`);
    await question.getByRole('button', { name: 'Take back access' }).click();
    await expectNotice(portalPage, 'App permissions were successfully revoked.');

    browser.expectFailure('/fhir/Observation', 401);
    browser.expectFailure('/connect/token', 400);
    const refused = await app.inApp<{ read: number; refreshed: boolean }>(
      page,
      `const headers = { authorization: 'Bearer ' + client.state.tokenResponse.access_token };
       const { status: read } = await fetch(client.state.serverUrl + '/Observation', { headers });
       const refreshed = await client.refresh().then(() => true, () => false);
       return { read, refreshed };`,
    );
    expect(refused).toEqual({ read: 401, refreshed: false });
  });
});
