import { setTimeout as sleep } from 'node:timers/promises';
import type { Bundle, Observation, Patient, Resource } from '@medplum/fhirtypes';
import type { Page } from 'playwright-core';
import { FhirServerStatus } from '../../src/fhir-server/application/fhir-server-status.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../support/apps/static-app.js';
import { useBrowser } from '../support/browser/browser.js';
import { expectBackInApp, expectLogin, expectPage } from '../support/browser/pages.js';
import { backendService, publicApp, sharedSecret } from '../support/clients/clients.js';
import { DemoGateway, type DemoServer, expectJson, expectRefusal } from '../support/fhir/demo-gateway.js';
import { testAnyRequest } from '../support/fhir/permission-oracle.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';
import { startHapi } from './hapi-server.js';

let hapi: DemoServer;

beforeAll(async () => {
  hapi = await startHapi();
  // The start takes half a minute on an idle machine.
}, 900_000);

afterAll(() => hapi.close());

const resourcesOf = (bundle: Bundle) => (bundle.entry ?? []).flatMap(({ resource }) => resource ?? []);
const keys = (bundle: Bundle) => resourcesOf(bundle).map(({ resourceType, id }) => `${resourceType}/${id}`);
const typesOf = (bundle: Bundle) => new Set(resourcesOf(bundle).map(({ resourceType }) => resourceType));
const patientOf = (resource: Resource) =>
  resource.resourceType === 'Patient'
    ? `Patient/${resource.id}`
    : ((resource as Observation).subject?.reference ??
      (resource as { patient?: { reference?: string } }).patient?.reference ??
      (resource as { beneficiary?: { reference?: string } }).beneficiary?.reference ??
      (resource as { target?: { reference?: string }[] }).target?.[0]?.reference);

describe('the gateway in front of HAPI FHIR', () => {
  let demo: DemoGateway;

  beforeAll(async () => {
    demo = await DemoGateway.start({ url: hapi.url, close: async () => undefined });
  });

  afterAll(() => demo.close());

  describe('any generated request with any scopes', () => testAnyRequest(() => demo));

  /** All pages of an answer, by its `next` links. */
  async function pages(path: string, token: string): Promise<Bundle[]> {
    const found: Bundle[] = [];
    for (let at: string | undefined = path; at !== undefined; ) {
      const bundle: Bundle = await expectJson<Bundle>(await demo.read(at, token));
      found.push(bundle);
      expect(JSON.stringify(bundle)).not.toContain(hapi.url);
      at = bundle.link?.find(({ relation }) => relation === 'next')?.url?.slice(demo.gateway.base.length);
    }
    return found;
  }

  test('pages to the last page', async () => {
    const all = await (await fetch(`${hapi.url}/Observation?patient=1&_count=500`)).json();
    const found = await pages('/Observation?_count=7', demo.patientToken);
    expect(found.length).toBeGreaterThan(2);
    expect(found.flatMap(keys).sort()).toEqual(keys(all as Bundle).sort());
  });

  test('returns $everything of a patient, and no resource of another patient', async () => {
    const found = await pages('/Patient/1/$everything?_count=40', demo.patientToken);
    const about = found.flatMap(resourcesOf).map(patientOf);
    expect(new Set(found.flatMap((bundle) => [...typesOf(bundle)])).size).toBeGreaterThan(5);
    expect(about.length).toBeGreaterThan(20);
    expect(about.filter((patient) => patient !== 'Patient/1' && !/^(?!Patient\/)/.test(patient ?? ''))).toEqual([]);
    await expectRefusal(await demo.read('/Patient/2/$everything', demo.patientToken), 404);
  });

  test('makes a change conditional on the checked version, and returns HAPI’s error', async () => {
    const created = await demo.send('POST', '/Observation', demo.patientToken, demo.observationOf('1'));
    const observation = await expectJson<Observation>(created, 201);
    const path = `/Observation/${observation.id}`;
    expect(created.headers.get('location')).toContain(`${demo.gateway.base}${path}`);
    const changed = { ...demo.observationOf('1'), id: observation.id, valueString: 'better' };
    const stale = { 'if-match': 'W/"9"' };
    expect((await demo.send('PUT', path, demo.patientToken, changed, stale)).status).toBe(412);
    expect((await demo.send('PUT', path, demo.patientToken, changed)).status).toBe(200);
    const away = { ...changed, subject: { reference: 'Patient/2' } };
    await expectRefusal(await demo.send('PUT', path, demo.patientToken, away), 403);
    await expectRefusal(await demo.send('POST', '/Observation', demo.patientToken, demo.observationOf('2')), 403);
    expect((await demo.read(path, demo.patientToken, { method: 'DELETE' })).status).toBeLessThan(300);
    await expectRefusal(await demo.read(path, demo.patientToken), 404);
  });

  test('creates once by a condition, and runs a transaction as a whole', async () => {
    const identifier = [{ system: 'urn:test', value: 'once' }];
    const body = { ...demo.observationOf('3'), identifier };
    const header = { 'if-none-exist': 'identifier=urn:test|once' };
    const create = () => demo.send('POST', '/Observation', demo.practitionerToken, body, header);
    expect([(await create()).status, (await create()).status]).toEqual([201, 200]);
    const transaction = (...urls: string[]) => ({
      resourceType: 'Bundle',
      type: 'transaction',
      entry: urls.map((url) => ({ resource: demo.observationOf('3'), request: { method: 'POST', url } })),
    });
    const post = (...urls: string[]) => demo.send('POST', '', demo.practitionerToken, transaction(...urls));
    expect((await expectJson<Bundle>(await post('Observation', 'Observation'))).entry).toHaveLength(2);
  });

  test('permits a patient’s client to change the record by a condition, a patch and a transaction', async () => {
    const own = { ...demo.observationOf('1'), identifier: [{ system: 'urn:test', value: 'own' }] };
    const header = { 'if-none-exist': 'identifier=urn:test|own' };
    const create = () => demo.send('POST', '/Observation', demo.patientToken, own, header);
    const created = await expectJson<Observation>(await create(), 201);
    expect((await expectJson<Observation>(await create())).id).toBe(created.id);
    const path = `/Observation/${created.id}`;
    const operations = [{ op: 'replace', path: '/valueString', value: 'better' }];
    const patch = { 'content-type': 'application/json-patch+json' };
    expect((await demo.send('PATCH', path, demo.patientToken, operations, patch)).status).toBe(200);
    expect(await expectJson(await demo.read(path, demo.patientToken))).toMatchObject({ valueString: 'better' });
    const transaction = (...entry: object[]) =>
      demo.send('POST', '', demo.patientToken, { resourceType: 'Bundle', type: 'transaction', entry });
    const update = (id = '', patient = '1') => ({
      resource: { ...demo.observationOf(patient), id },
      request: { method: 'PUT', url: `Observation/${id}` },
    });
    const fresh = { resource: demo.observationOf('1'), request: { method: 'POST', url: 'Observation' } };
    expect((await expectJson<Bundle>(await transaction(update(created.id), fresh))).entry).toHaveLength(2);
    await expectRefusal(await transaction(update('blood-pressure-2-1'), fresh), 404);
    const other = '/Observation?identifier=urn:test|own';
    expect((await demo.read(other, demo.patientToken, { method: 'DELETE' })).status).toBe(204);
  });

  test('permits a service an export, from the start to its files', async () => {
    const service = demo.gateway.tokenFor('system/*.rs');
    const follow = (url: string) => demo.read(url.slice(demo.gateway.base.length), service);
    const begun = await demo.read('/$export?_type=Patient', service, { headers: { prefer: 'respond-async' } });
    expect(begun.status).toBe(202);
    let job = await follow(begun.headers.get('content-location') ?? '');
    while (job.status === 202) {
      await sleep(1000);
      job = await follow(begun.headers.get('content-location') ?? '');
    }
    const manifest = (await job.json()) as { output: { type: string; url: string }[] };
    expect(manifest.output.map(({ type }) => type)).toContain('Patient');
    const lines: string[] = [];
    for (const { url } of manifest.output) lines.push(...(await (await follow(url)).text()).trim().split('\n'));
    expect(lines.map((line) => (JSON.parse(line) as Patient).resourceType).every((type) => type === 'Patient')).toBe(
      true,
    );
    expect(lines).toHaveLength(64);
  });
});

describe('an app for users whose records are in HAPI FHIR', () => {
  const browser = useBrowser();
  const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
  let portal: TestPortal;
  let origin: StaticApp;
  let callback: string;

  beforeAll(async () => {
    origin = await startCallbackApp();
    callback = `${origin.url}/callback`;
    const app = { ...publicApp, requireConsent: false, redirectUris: [...publicApp.redirectUris, callback] };
    portal = await startPortal({
      config: {
        fhir: { baseUrl: hapi.url },
        ehr: { callers: [ehr] },
        users: [people.patient, people.practitioner],
        clients: [app, backendService],
      },
    });
    const status = portal.apps[0]?.get(FhirServerStatus, { strict: false });
    while (!status?.resourceTypes()) await sleep(50);
  });

  afterAll(async () => {
    await browser.closePages();
    await portal.close();
    await origin.close();
  });

  const read = async <T>(path: string, { access_token }: Tokens, status = 200) =>
    expectJson<T>(
      await fetch(portal.fhirBase + path, { headers: { authorization: `Bearer ${access_token}` } }),
      status,
    );

  async function expectRecordOf(patient: string, tokens: Tokens): Promise<void> {
    expect(tokens.patient).toBe(patient);
    expect(await read(`/Patient/${patient}`, tokens)).toMatchObject({ id: patient });
    const found = resourcesOf(await read<Bundle>('/Observation?_count=100', tokens));
    expect(new Set(found.map(patientOf))).toEqual(new Set([`Patient/${patient}`]));
    await read(`/Patient/${patient === '1' ? '2' : '1'}`, tokens, 404);
  }

  test('is launched by a patient and reads their record', async () => {
    await expectRecordOf('1', await new SmartApp(portal).tokens(people.patient));
  });

  test('is launched from an EHR by a practitioner and reads the patient and the user', async () => {
    const headers = basicAuthorization(ehr.id, ehr.secret);
    const form = { patient: 'Patient/3', user: 'Practitioner/practitioner-1' };
    const announced = await new Agent(portal.issuer).postForm('/connect/launchContext', form, { headers });
    const { launchContextIdentifier: launch } = announced.json<{ launchContextIdentifier: string }>();
    const scope = 'launch openid fhirUser patient/*.rs';
    const tokens = await new SmartApp(portal, { scope, parameters: { launch } }).tokens(people.practitioner);
    await expectRecordOf('3', tokens);
    expect(await read('/Practitioner/practitioner-1', tokens)).toMatchObject({ id: 'practitioner-1' });
  });

  test('is launched by a practitioner who chooses the patient on a page', async () => {
    const patient = (await (await fetch(`${hapi.url}/Patient/5`)).json()) as Patient;
    const name = `${patient.name?.[0]?.given?.[0]} ${patient.name?.[0]?.family}`;
    const scope = 'openid launch/patient patient/*.rs';
    const app = new SmartApp(portal, { scope, parameters: { redirect_uri: callback } });
    const page: Page = await browser.open();
    await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
    await (await expectLogin(page)).signIn(people.practitioner);
    await expectPage(page, '/user/launch-context', 'Select Patient');
    const field = page.getByRole('searchbox');
    await field.fill(name);
    await field.press('Enter');
    await page.getByText(/^1 to choose from/).waitFor();
    await page.getByText(name, { exact: true }).click();
    await page.getByRole('button', { name: 'Confirm Selection' }).click();
    const answer = await expectBackInApp(page, callback);
    const exchanged = await app.exchange(answer.get('code') ?? '', { redirect_uri: callback });
    await expectRecordOf('5', exchanged.json<Tokens>());
  });

  test('that is a service reads all resources', async () => {
    const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
    const headers = basicAuthorization(backendService.clientId, sharedSecret);
    const answer = await new Agent(portal.issuer).postForm('/connect/token', form, { headers });
    const found = await read<Bundle>('/Patient?_count=100', answer.json<Tokens>());
    expect(resourcesOf(found)).toHaveLength(64);
  });
});
