/**
 * The way of a parent in the demo, by the stopwatch: what the machine takes, and two seconds for each field and press.
 * From the sign-in to the child's data in the sample app it takes 90 seconds at most.
 */
import type { Page } from 'playwright-core';
import { startSampleApp } from '../../demo/app/server.js';
import { generateCareProviders } from '../../demo/data/care-providers.js';
import { fullName } from '../../demo/data/names.js';
import { generatePerson } from '../../demo/data/patients.js';
import { demoAccounts, demoClients } from '../../demo/demo-accounts.js';
import { demoDisclaimers } from '../../demo/disclaimers.js';
import { demoRepresentation, importFamilies } from '../../demo/families.js';
import { startFhirServer } from '../../demo/fhir-server/server.js';
import { expectNoSidewaysScroll, useBrowser } from '../support/browser/browser.js';
import { acceptDisclaimer, expectLogin, expectPage, expectText, signInByApi } from '../support/browser/pages.js';
import { createDatabase } from '../support/database/database.js';
import { freePorts } from '../support/portal/portal.js';
import { PortalProcess } from '../support/portal/portal-process.js';

const browser = useBrowser();
const [administrator, , parent] = demoAccounts();
if (!administrator || !parent) throw new Error('The demo has no parent.');
const child = fullName(generatePerson(35, generateCareProviders()).patient.name?.[0] ?? {});
const phone = { width: 360, height: 740 };
const secondsOfPress = 2;

let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let app: Awaited<ReturnType<typeof startSampleApp>>;
let database: Awaited<ReturnType<typeof createDatabase>>;
let portal: PortalProcess;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  const fhirBase = `http://localhost:${port}/fhir`;
  [fhirServer, database] = await Promise.all([startFhirServer({ port: 0 }), createDatabase()]);
  app = await startSampleApp({ port: 0, fhirBase });
  portal = await PortalProcess.start({
    database: database.connection,
    port,
    config: {
      fhir: { baseUrl: fhirServer.url },
      ...demoRepresentation,
      disclaimers: demoDisclaimers,
      users: demoAccounts(),
      clients: demoClients(app.url),
    },
  });
  await importFamilies(portal.issuer, administrator);
});

afterEach(() => browser.closePages());

afterAll(async () => {
  await portal?.end('SIGTERM');
  await app?.close();
  await fhirServer?.close();
  await database?.drop();
});

/** Opens the sample app, signs in, and agrees where the app asks for it; returns the number of presses and fields. */
async function toWhoIsThisFor(page: Page): Promise<{ presses: number; began: number }> {
  await page.goto(`${app.url}/launch`);
  const login = await expectLogin(page);
  const began = Date.now();
  await login.signIn(parent as { email: string; password: string });
  let presses = 3;
  await page.waitForURL(({ pathname }) => pathname !== '/login');
  if (new URL(page.url()).pathname === '/user/disclaimer') {
    const titles = ['Use of this portal', 'Vitals is not for emergencies'];
    for (const title of titles) await acceptDisclaimer(page, title);
    await page.getByRole('button', { name: 'Confirm my choices' }).click();
    presses += titles.length * 2 + 1;
  }
  await expectPage(page, '/user/launch-context', 'Who is this for?');
  return { presses, began };
}

it('A father sees the data of his child in the sample app within 90 seconds of his sign-in', async () => {
  const page = await browser.open(phone);
  const { presses, began } = await toWhoIsThisFor(page);
  await page.getByRole('radio', { name: child }).check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: /^Accept for/ }).click();
  await page.waitForURL(({ origin }) => origin === app.url);
  await expectText(page, child, 'The record is open.', 'Blood pressure');
  const seconds = (Date.now() - began) / 1000 + (presses + 3) * secondsOfPress;
  expect(presses + 3).toBe(11);
  expect(seconds).toBeLessThanOrEqual(90);
});

/** The administrator finds the only request, compares, and approves it. */
async function approve(): Promise<void> {
  const desk = await browser.open();
  await signInByApi(desk, portal.issuer, administrator as { email: string; password: string });
  await desk.goto(`${portal.issuer}/admin/requests`);
  await desk.getByRole('button', { name: parent?.fullName ?? '' }).click();
  await desk.getByText('One record fits.').waitFor();
  await desk.getByLabel('Basis').selectOption('Parental responsibility');
  await desk.getByLabel('Relation').selectOption('father');
  await desk.getByLabel('No last day').check();
  await desk.getByRole('radio', { name: 'Full' }).check();
  await desk.getByLabel('Reason').fill('Birth certificate seen');
  await desk.getByRole('button', { name: 'Approve', exact: true }).click();
  await desk.getByText('No requests').waitFor();
}

it('A child who is missing is asked for during the request of the app, and read in it once the hospital agrees', async () => {
  const page = await browser.open(phone);
  await toWhoIsThisFor(page);
  await page.getByRole('link', { name: 'Someone is missing?' }).click();
  await expectPage(page, '/user/family/request', 'Ask to look after someone');
  await expectNoSidewaysScroll(page, phone.width);
  await page.getByLabel('First and last name').fill('Boris Demoray');
  await page.getByLabel('Date of birth').fill('2014-09-21');
  await page.getByLabel(/Record number/).fill('MRN-000056');
  await page.getByLabel(/What I wrote is true/).check();
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByRole('heading', { name: 'We are checking your request' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'We are checking your request' }).waitFor();
  await approve();
  await page.getByRole('link', { name: 'Who is this for?' }).click();
  await expectPage(page, '/user/launch-context', 'Who is this for?');
  await page.getByRole('radio', { name: 'Boris Demoray' }).check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: /^Accept for/ }).click();
  await page.waitForURL(({ origin }) => origin === app.url);
  await expectText(page, 'Boris Demoray', 'The record is open.');
});
