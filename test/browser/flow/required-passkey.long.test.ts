import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectConsent, expectNotice, expectPage, signIn } from '../../support/browser/pages.js';
import { VirtualAuthenticator } from '../../support/browser/virtual-authenticator.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const { patient } = people;
const vault = { ...publicApp, clientId: 'vault', clientName: 'Vault', requiredAcr: 'phr' };
const title = 'Passkey Required';
const none = /^Your account has no passkey yet/;
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [patient, people.otherPatient], clients: [vault] } });
});
afterAll(() => portal.close());

const open = (page: Page) => page.goto(portal.issuer + new SmartApp(portal, { client: vault }).authorizationPath);

it('A user without a passkey is told where to add one, comes back, and continues with it', async () => {
  const page = await browser.open({ width: 360 });
  await open(page);
  await signIn(page, patient);
  await expectPage(page, '/user/two-factor-required', title);
  await page.getByText(none).waitFor();
  expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
  const waiting = page.url();
  await VirtualAuthenticator.connect(page);
  await page.getByRole('button', { name: 'Account settings' }).click();
  await page.getByRole('button', { name: 'Add a passkey', exact: true }).click();
  await expectNotice(page, 'Passkey created');
  await page.goto(waiting);
  await page.getByRole('button', { name: 'Use a passkey', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Use a passkey', exact: true }).click();
  await expectConsent(page, 'Vault');
});

it('The page is accessible and fits, in every look', () =>
  expectFitInEveryLook(
    browser,
    async (page) => {
      await open(page);
      await signIn(page, people.otherPatient);
      await expectPage(page, '/user/two-factor-required', title);
      await page.getByText(none).waitFor();
    },
    { number: 1 },
  ));
