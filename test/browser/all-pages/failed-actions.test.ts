import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import {
  expectDialog,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signIn,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { Agent } from '../../support/http/agent.js';
import { untilFhirServerIsAvailable } from '../../support/portal/fhir-portal.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong, itInLongRun } from '../../support/runs.js';
import { enableTwoFactor, login, signInByPassword } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';
import { type Action, ActionPages, careful, chooser, keyed, paused, press, rotating, secured } from './action-pages.js';
import { actionsOn } from './failed-actions.js';
import { addHelper, helper, youth } from './failed-family-actions.js';

const browser = useBrowser();
const { admin, patient, otherPatient, practitioner } = people;
const agreed = { id: 'use', description: 'Portal use', html: '<p>Be careful.</p>', everyLogin: true };
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
      users: [admin, patient, otherPatient, practitioner, keyed, secured, helper, youth],
      locale: { timeZone: 'Europe/Amsterdam' },
      representation: {},
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
  await addHelper(portal);
  await untilFhirServerIsAvailable(api);
});

afterAll(async () => {
  await browser.closePages();
  await portal.close();
  fhirServer.close();
});

const endSessions = () => portal.query("DELETE FROM oidc_record WHERE model = 'Session'");
const pages = new ActionPages(() => portal);
const actions = actionsOn(pages);

/**
 * A page that keeps what it says of failures from one document to the next; it is complete when the page has settled.
 */
async function openRecording(): Promise<Page> {
  const page = await browser.open();
  await page.addInitScript(`new MutationObserver(() => {
    const texts = [...document.querySelectorAll('[role=alert]')].map((one) => one.textContent);
    const seen = JSON.parse(sessionStorage.getItem('seen') ?? '[]');
    sessionStorage.setItem('seen', JSON.stringify([...new Set([...seen, ...texts.filter(Boolean)])]));
  }).observe(document, { subtree: true, childList: true, characterData: true })`);
  return page;
}

/** The user is signed in and before the action; what the page says is recorded from then on. */
async function begin(page: Page, action: Action): Promise<void> {
  if (!page.url().endsWith('/error/500')) await signInByApi(page, portal.issuer, action.person);
  await action.begin(page);
  await page.waitForLoadState('networkidle');
  await page.evaluate("sessionStorage.removeItem('seen')");
}

const failuresShown = async (page: Page) =>
  JSON.parse(await page.evaluate<string>("sessionStorage.getItem('seen') ?? '[]'")) as string[];

/** Each action on the same page, which costs half of a new one. An action that fails hides none of the others. */
async function expectOfEach(of: Action[], check: (page: Page, action: Action) => Promise<void>): Promise<void> {
  let page: Page | undefined;
  const failures: string[] = [];
  for (const action of of) {
    if (action.alone) page = undefined;
    page ??= await openRecording();
    await check(page, action).catch((error: Error) => {
      failures.push(`${action.name}: ${error.message}`);
      page = undefined;
    });
    if (action.alone) page = undefined;
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
}

/**
 * The call of an action that finds no session never returns to it (`client/src/api/base.ts`), so that one that reads
 * and one that changes have this failure in the usual run.
 */
const withoutSession = ['to sort a list', 'to choose a patient'];
const triesOf = (isTried: (action: Action) => boolean) => {
  const tried = actions.filter(isTried);
  const persons = [...new Set(tried.map(({ person }) => person))];
  return persons.map((person): [string, Action[]] => [
    person.fullName,
    tried.filter((action) => action.person === person),
  ]);
};

it.each(triesOf(({ name }) => isLong || withoutSession.includes(name)))(
  '%s, who tries each action after the session has ended, sees a message on the sign-in page, and no other one',
  async (_user, tries) => {
    browser.expectAnyFailure(401);
    await expectOfEach(tries, async (page, action) => {
      await begin(page, action);
      await endSessions();
      await action.act(page);
      await expectLogin(page);
      await expectText(page, 'Your session has ended. Please sign in again to continue.');
      expect(await failuresShown(page)).toEqual([]);
    });
  },
);

itInLongRun.each(triesOf(() => true))(
  '%s, who tries each action while the server fails, sees its error page, and no other message',
  async (_user, tries) => {
    browser.expectAnyFailure(500);
    await expectOfEach(tries, async (page, action) => {
      await begin(page, action);
      await page.route(action.call, (route) => route.fulfill({ status: 500, json: {} }));
      await action.act(page);
      await expectPage(page, '/error/500', 'Server error');
      expect(await failuresShown(page)).toEqual([]);
      await page.unroute(action.call);
    });
  },
);

itInLongRun(
  'A user with unsaved changes who ends all other sessions after the own one has ended signs in again, and is asked to repeat the action',
  async () => {
    browser.expectAnyFailure(401);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, patient);
    await pages.settingsOf(patient)(page);
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
    await expectNotice(
      page,
      'You were signed out, so this was not done. You are signed in again: please try once more.',
    );
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Amelia Stone');
  },
);
