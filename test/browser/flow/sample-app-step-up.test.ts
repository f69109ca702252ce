import type { Page } from 'playwright-core';
import { startSampleApp } from '../../../demo/app/server.js';
import { demoAccounts, demoClients } from '../../../demo/demo-accounts.js';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { demoStepUp } from '../../../demo/step-up.js';
import { expectNoSidewaysScroll, useBrowser } from '../../support/browser/browser.js';
import { expectConsent, expectDialog, expectInView, expectLogin, expectPage } from '../../support/browser/pages.js';
import { freePorts, startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { authenticatorCode } from '../../support/users/authenticator.js';

const browser = useBrowser();
const patient = demoAccounts().find(({ userType }) => userType === 'Patient');
if (!patient) throw new Error('The demo has no patient.');
const person = patient as { email: string; password: string };
const clientName = 'Vitals (sample app)';
let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let app: Awaited<ReturnType<typeof startSampleApp>>;
let portal: TestPortal;

beforeAll(async () => {
  // The portal has to know the app's address, and the app the portal's.
  const [port = 0] = await freePorts(1);
  fhirServer = await startFhirServer({ port: 0 });
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      gateway: { stepUp: demoStepUp },
      users: [patient],
      clients: demoClients(`http://localhost:${port}`),
    },
  });
  app = await startSampleApp({ port, fhirBase: portal.fhirBase });
  await until(async () => (await fetch(`${portal.fhirBase}/metadata`)).ok);
});
afterAll(async () => {
  await app?.close();
  await portal?.close();
  await fhirServer?.close();
});

/** The pulse values of the patient on the server. */
async function pulses(): Promise<number[]> {
  const answer = await fetch(`${fhirServer.url}/Observation?patient=1&code=8867-4&_sort=-date&_count=200`);
  const { entry = [] } = (await answer.json()) as {
    entry?: { resource: { valueQuantity: { value: number } } }[];
  };
  return entry.map(({ resource }) => resource.valueQuantity.value);
}

/** Consents to all that the app asks for. */
async function consent(page: Page): Promise<void> {
  const asked = await expectConsent(page, clientName);
  if (!(await asked.grantAll.isChecked())) await asked.grantAll.click();
  await asked.accept.click();
}

it('A user of the sample app writes, is asked for a stronger sign-in, proves a second factor, and writes', async () => {
  // The browser tells of the refused write.
  browser.expectError(/status of 401/);
  const before = await pulses();
  const page = await browser.open({ width: 360 });
  await page.goto(`${app.url}/launch`);
  await (await expectLogin(page)).signIn(person);
  await consent(page);
  await page.getByLabel('Pulse in beats per minute').fill('61');
  await page.getByRole('button', { name: 'Add to the record' }).click();
  await page.getByText(/^Your record asks for a stronger sign-in/).waitFor();
  expect(await pulses()).toEqual(before);
  const next = page.getByRole('button', { name: 'Sign in more strongly' });
  expect(await page.locator('.button.primary').allInnerTexts()).toEqual([await next.innerText()]);
  await next.click();

  await expectPage(page, '/user/two-factor-required', 'Two-Factor Authentication Required');
  const key = (await page.locator('code').innerText()).replaceAll(' ', '');
  await page.getByLabel('Enter the 6-digit code that it shows').fill(authenticatorCode(key));
  const codes = await expectDialog(page, 'Save your recovery codes');
  await codes.getByLabel('I have stored these codes').check();
  // The consent is remembered.
  await codes.getByRole('button', { name: 'Confirm' }).click();

  await page.getByText('You have signed in more strongly. You can add it now.').waitFor();
  const pulse = page.getByLabel('Pulse in beats per minute');
  expect(await pulse.inputValue()).toBe('61');
  // The form is below the first screen of the page, and its button is the next step.
  await expectInView(pulse);
  const add = page.getByRole('button', { name: 'Add to the record' });
  await expectInView(add.and(page.locator(':focus')));
  await page.keyboard.press('Enter');
  await page.getByText('61 beats per minute were added.').waitFor();
  expect(await pulses()).toEqual([61, ...before]);
  await expectNoSidewaysScroll(page, 360);
});
