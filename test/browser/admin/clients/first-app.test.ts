import { startFhirServer } from '../../../../demo/fhir-server/server.js';
import { FhirclientApp } from '../../../support/apps/fhirclient-app.js';
import { useBrowser } from '../../../support/browser/browser.js';
import { addFirstApp, addPatient, clientsPath } from '../../../support/browser/client-pages.js';
import { expectConsent, expectLogin, expectPage, expectText } from '../../../support/browser/pages.js';
import { linkInMail, type MailSink, startMailSink } from '../../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../../support/portal/portal.js';
import { until } from '../../../support/until.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const { admin, patient } = people;
let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let sink: MailSink;
let app: FhirclientApp;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  sink = await startMailSink();
  app = await FhirclientApp.start();
  portal = await startPortal({ config: { fhir: { baseUrl: fhirServer.url }, email: sink.config } });
  await until(async () => (await fetch(`${portal.fhirBase}/metadata`)).ok);
});

afterAll(async () => {
  await portal.close();
  await app.close();
  await sink.stop();
  await fhirServer.close();
});

describe('An empty portal', () => {
  it('is set up with an administrator, a user and an app, in which the user reads their own record', async () => {
    const page = await browser.open();
    await page.goto(portal.issuer);
    await page.getByRole('button', { name: 'Get Started' }).click();
    await expectPage(page, '/register', 'Create an Admin Account');
    await page.getByLabel('Email', { exact: true }).fill(admin.email);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    await expectText(page, '0 of 2 steps done', 'Up');

    await page.getByRole('link', { name: 'Manage users' }).click();
    await expectPage(page, '/admin/user-management', 'Users');
    await addPatient(page, patient);

    await page.getByRole('link', { name: 'Dashboard' }).click();
    await expectText(page, '1 of 2 steps done');
    await page.getByRole('link', { name: 'Manage clients' }).click();
    await expectPage(page, clientsPath, 'Clients');
    await addFirstApp(page, app.redirectUri);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByText('of 2 steps done').waitFor({ state: 'hidden' });

    const person = await browser.open({ width: 390, height: 844 });
    await person.goto(linkInMail(await sink.to(patient.email)).url);
    await person.getByLabel('New password').fill(patient.password);
    await person.getByLabel('Confirm password').fill(patient.password);
    await person.getByRole('button', { name: 'Activate account' }).click();
    await expectLogin(person);
    await app.launch(person, portal, 'heart-companion', 'openid fhirUser launch/patient patient/Patient.rs');
    await (await expectLogin(person)).signIn(patient);
    await (await expectConsent(person, 'Heart Companion')).accept.click();
    await app.answer(person);
    const read = await app.inApp<{ id: string }>(person, "return client.request('Patient/1')");
    expect(read.id).toBe('1');
  });
});
