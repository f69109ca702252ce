import { startSampleApp } from '../../demo/app/server.js';
import { demoAccounts, demoClients } from '../../demo/demo-accounts.js';
import { startFhirServer } from '../../demo/fhir-server/server.js';
import { FhirclientApp } from '../support/apps/fhirclient-app.js';
import { useBrowser } from '../support/browser/browser.js';
import { expectConsent, expectLogin, expectPage, expectText } from '../support/browser/pages.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';

const browser = useBrowser();
const [admin, patient, otherPatient] = demoAccounts();
if (!admin || !patient || !otherPatient) throw new Error('The demo has no administrator and two patients.');
const patientId = patient.claims[0]?.value.split('/')[1] ?? '';
const otherPatientId = otherPatient.claims[0]?.value.split('/')[1] ?? '';

let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let app: FhirclientApp;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  app = await FhirclientApp.start();
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: demoAccounts(),
      clients: [
        {
          clientId: 'fhirclient-app',
          clientName: 'Third Party App',
          clientType: 'StandaloneApp',
          requireClientSecret: false,
          requirePkce: true,
          requireConsent: true,
          allowOfflineAccess: true,
          redirectUris: [app.redirectUri],
        },
      ],
    },
  });
});

afterAll(async () => {
  await portal?.close();
  await app?.close();
  await fhirServer?.close();
});

describe('fhirclient', () => {
  it('launches standalone, reads the patient and their observations, refreshes, and is refused other records', async () => {
    const page = await browser.open();
    const scope = 'openid fhirUser launch/patient patient/*.rs offline_access';
    await app.launch(page, portal, 'fhirclient-app', scope);
    await (await expectLogin(page)).signIn(patient);
    await (await expectConsent(page, 'Third Party App')).accept.click();
    await app.answer(page);

    const read = await app.inApp<{ id: string; fhirUser: string; name: string }>(
      page,
      `const { id, name: [{ family }] } = await client.patient.read();
       return { id, fhirUser: client.getFhirUser(), name: family };`,
    );
    expect(read).toMatchObject({
      id: patientId,
      fhirUser: expect.stringMatching(new RegExp(`(^|/)Patient/${patientId}$`)),
    });
    expect(patient.fullName).toContain(read.name);

    const subjects = await app.inApp<string[]>(
      page,
      `const bundle = await client.patient.request('Observation?category=vital-signs&_count=20');
       return bundle.entry.map(({ resource }) => resource.resourceType + ' of ' + resource.subject.reference);`,
    );
    expect(subjects.length).toBeGreaterThan(0);
    expect(new Set(subjects)).toEqual(new Set([`Observation of Patient/${patientId}`]));

    const refreshed = await app.inApp<{ before: string; after: string; patient: string; stillReads: string }>(
      page,
      `const before = client.state.tokenResponse.access_token;
       const { tokenResponse } = await client.refresh();
       const { id } = await client.patient.read();
       return { before, after: tokenResponse.access_token, patient: tokenResponse.patient, stillReads: id };`,
    );
    expect(refreshed.after).not.toBe(refreshed.before);
    expect(refreshed).toMatchObject({ patient: patientId, stillReads: patientId });

    // The record of another patient is answered like a missing one, and a search for it finds nothing.
    browser.expectFailure(`/fhir/Patient/${otherPatientId}`, 404);
    const elsewhere = await app.inApp<{ read: number; found: unknown[] }>(
      page,
      `const read = await client.request('Patient/${otherPatientId}').then(() => 200, (error) => error.statusCode);
       const { entry: found = [] } = await client.request('Observation?patient=Patient/${otherPatientId}');
       return { read, found };`,
    );
    expect(elsewhere).toEqual({ read: 404, found: [] });
  });

  it('receives the error when the patient declines', async () => {
    const page = await browser.open();
    await app.launch(page, portal, 'fhirclient-app', 'launch/patient patient/*.rs');
    await (await expectLogin(page)).signIn(otherPatient);
    await (await expectConsent(page, 'Third Party App')).decline.click();
    await page.getByRole('button', { name: 'Confirm Decline' }).click();
    expect((await app.answer(page)).get('error')).toBe('access_denied');
    const refusal = await page.evaluate<string>('FHIR.oauth2.ready().then(() => "ready", (error) => error.message)');
    expect(refusal).not.toBe('ready');
  });
});

describe('the sample app', () => {
  let sampleApp: Awaited<ReturnType<typeof startSampleApp>>;

  beforeAll(async () => {
    sampleApp = await startSampleApp({ port: 0, fhirBase: portal.fhirBase });
    const agent = new Agent(portal.issuer);
    await login(agent, admin);
    const status = '/api/admin/dashboard/firely-server-status';
    await until(async () => (await agent.get(status)).json().isFirelyServerAvailable === true);
    const client = { ...demoClients(sampleApp.url)[0] };
    expect((await agent.post('/api/admin/client', client)).status).toBe(201);
  });

  afterAll(() => sampleApp.close());

  it('shows the record of the signed-in patient', async () => {
    const page = await browser.open();
    await page.goto(sampleApp.url);
    await page.getByRole('link', { name: 'Launch' }).click();
    await (await expectLogin(page)).signIn(otherPatient);
    const consent = await expectConsent(page, 'Vitals (sample app)');
    await consent.permission('Medication').uncheck();
    await consent.accept.click();
    await expectPage(page, '/app', 'Your vital signs');
    await page.getByText('The record is open.').waitFor({ state: 'attached' });
    await expectText(page.getByRole('region', { name: 'Patient' }), otherPatient.fullName, otherPatientId);
    await page.getByRole('img', { name: / in / }).waitFor();
    const granted = await page.getByRole('region', { name: 'Granted permissions' }).locator('code').allInnerTexts();
    expect(granted).toContain('patient/Patient.rs');
    expect(granted).not.toContain('patient/MedicationRequest.rs');
  });
});
