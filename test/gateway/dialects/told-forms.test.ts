/** Requests for data as other servers take them: a refusal tells the form that was sent, and the one that is taken. */
import { randomUUID } from 'node:crypto';
import type { CauseCode } from '../../../src/contract/activity/catalogue.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { untilFhirServerIsAvailable } from '../../support/portal/fhir-portal.js';
import { entriesOf, launchOf } from '../../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const app = { ...publicApp, clientId: 'data-app', requireConsent: false };
let portal: TestPortal;
let server: SmallFhirServer;

beforeAll(async () => {
  server = await startSmallFhirServer();
  portal = await startPortal({
    config: { fhir: { baseUrl: server.url }, users: [people.patient, people.admin], clients: [app] },
  });
  const admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  await untilFhirServerIsAvailable(admin);
});
afterAll(async () => {
  await portal.close();
  server.close();
});

async function expectCause(answer: Answer, code: CauseCode, detail: object) {
  const launch = await launchOf(portal, answer);
  expect([Object.keys(launch?.entries ?? {}).join(), entriesOf(launch, code)[0]?.detail]).toEqual([
    expect.stringContaining(code),
    expect.objectContaining(detail),
  ]);
  expect(JSON.stringify(launch?.entries)).not.toContain('hidden');
}
const tokenOf = async (asked: string) =>
  (await new SmartApp(portal, { client: app, scope: asked }).tokens(people.patient)).access_token;
const fhirJson = { 'content-type': 'application/fhir+json' };
const changing = 'openid launch/patient patient/Patient.ru patient/Observation.crs';
const sendChange = (token: string, method: string, path: string, body?: unknown, headers = {}) =>
  new Agent(portal.issuer).send(`/fhir${path}`, {
    ...{ method, body },
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && fhirJson), ...headers },
  });

const aboutPatient = { resourceType: 'Observation', status: 'final', code: { text: 'x' } };
const bySubject = (subject: object) => ({ ...aboutPatient, subject });
type Sent = [method: string, path: string, body?: unknown, headers?: Record<string, string>];

describe('A request for data in a form that another server takes', () => {
  it.each<[fault: string, ...Sent]>([
    ['its address has r4 after the FHIR base, which has no version in its address', 'GET', '/r4/Patient/1'],
    ['its address has R4 after the FHIR base, which has no version in its address', 'GET', '/R4/Patient/1'],
    ['its address has a template that was not filled in', 'GET', '/Patient/%7Bid%7D'],
    ['its address has two types one after the other: an id follows the first', 'GET', '/Patient/Patient/1'],
    [
      'its id is the word undefined, which programs write for a value that they do not have',
      'GET',
      '/Patient/undefined',
    ],
    ['its method is GET, and this address takes POST', 'GET', '/Observation/_search?patient=1'],
    ['its method is POST, and this address takes GET, PUT, PATCH, DELETE', 'POST', '/Patient/1', {}],
    [
      'a Bundle cannot be stored here, and a batch or a transaction is posted to the FHIR base itself',
      'POST',
      '/Bundle',
      {},
    ],
    [
      'its body is of the type Condition, and its address is for Observation',
      'POST',
      '/Observation',
      { resourceType: 'Condition' },
    ],
    ['its body has no resourceType that names a type', 'POST', '/Observation', {}],
    ['its body has no id', 'PUT', '/Patient/1', { resourceType: 'Patient' }],
    ['its body has another id than its address', 'PUT', '/Patient/1', { resourceType: 'Patient', id: 'hidden-id' }],
    ['its header If-None-Exist has no condition', 'POST', '/Observation', aboutPatient, { 'if-none-exist': '' }],
    [
      'its header If-None-Exist has an address in front of the condition',
      ...(['POST', '/Observation', aboutPatient, { 'if-none-exist': 'Observation?identifier=hidden' }] as Sent),
    ],
  ])('is told that %s', async (fault, ...[method, path, body, headers]) => {
    const token = await tokenOf(changing);
    const answer = await sendChange(token, method, path, body, headers);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    await expectCause(answer, 'gateway-request-form', { fault });
  });

  it.each<[named: string, subject: object]>([
    ['It has neither subject nor patient.', aboutPatient],
    ['Its subject is another patient than that of the launch.', bySubject({ reference: 'Patient/hidden-id' })],
    ['Its subject is contained in it, and is no patient of the server.', bySubject({ reference: '#p' })],
    ['Its subject is an address of another server.', bySubject({ reference: 'https://ehr.example/r4/Patient/1' })],
    [
      'Its subject is a urn, which has a meaning between the entries of a Bundle alone.',
      bySubject({ reference: `urn:uuid:${randomUUID()}` }),
    ],
    [
      'Its subject has no reference: an identifier or a name alone tells no patient.',
      bySubject({ identifier: { value: 'hidden-id' } }),
    ],
  ])('is told how a resource names its patient: %s', async (named, body) => {
    const answer = await sendChange(await tokenOf(changing), 'POST', '/Observation', body);
    expect(answer.status).toBe(403);
    await expectCause(answer, 'gateway-change-outside', { which: 'about its own patient', named });
  });

  it.each([
    ['/Observation?_getpages=hidden', '_getpages', 'is a place in the results as another server names it'],
    ['/Observation?ct=hidden', 'ct', 'is a place in the results as another server names it'],
    [
      '/Patient/1?_cascade=hidden',
      '_cascade',
      expect.stringContaining('is in the address of a request that is no search'),
    ],
  ])('is told of a parameter of another server: %s', async (path, name, fault) => {
    const answer = await sendChange(await tokenOf(changing), 'GET', path);
    await expectCause(answer, 'gateway-search-parameter', { name, fault });
  });

  it.each([
    ['{"resourceType":', 'The body is not JSON.'],
    ['{"resourceType":"Observation","id":"1","id":"2"}', "The body has the member 'id' twice in one object."],
    [`${'['.repeat(300)}${']'.repeat(300)}`, 'The body is nested too deeply.'],
  ])('is told why its body cannot be read: %#', async (body, sentence) => {
    const answer = await sendChange(await tokenOf(changing), 'POST', '/Observation', body);
    await expectCause(answer, 'gateway-refused', { sentence });
  });
});
