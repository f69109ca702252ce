import type { ConsentRequest } from '../../src/contract/consent.js';
import { ContextChoice } from '../support/apps/context-choice.js';
import { basicAuthorization, type Launch } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { type Person, people } from '../support/users/people.js';

const ehrCaller = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };

let fhirServer: SmallFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: [people.practitioner, people.patient],
      clients: [publicApp],
      ehr: { callers: [ehrCaller] },
    },
  });
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

afterEach(() => {
  fhirServer.behaviour = 'well';
});

/** The `launch` value of an EHR launch with these parameters. */
async function announced(context: Record<string, string>): Promise<string> {
  const headers = basicAuthorization(ehrCaller.id, ehrCaller.secret);
  const answer = await new Agent(portal.issuer).postForm('/connect/launchContext', context, { headers });
  return answer.json<{ launchContextIdentifier: string }>().launchContextIdentifier;
}

interface Kind {
  scope: string;
  ehr?: Record<string, string>;
  chosen?: string[];
  person?: Person;
  patient: ConsentRequest['patient'];
}

const amelia = { id: 'Patient/1', name: 'Amelia Jane Ward', birthDate: '1948-03-14', recordNumber: 'NB204118' };
const wantsPatient = 'openid launch/patient patient/*.rs';

/** Every way in which a request gets its patient, or none. */
const kinds: Record<string, Kind> = {
  'a practitioner who chose a patient': {
    scope: wantsPatient,
    chosen: ['Patient/1'],
    patient: { ...amelia, canChange: true },
  },
  'a practitioner who chose a patient and a visit': {
    scope: `${wantsPatient} launch/encounter`,
    chosen: ['Patient/1', 'Encounter/visit-1'],
    patient: { ...amelia, canChange: true },
  },
  'a practitioner whose app asks for a visit alone, and who chose the patient first': {
    scope: 'openid user/*.rs launch/encounter',
    chosen: ['Patient/1', 'Encounter/visit-1'],
    patient: { ...amelia, canChange: true },
  },
  'a practitioner who chose a patient without birth date and record number': {
    scope: wantsPatient,
    chosen: ['Patient/2'],
    patient: { id: 'Patient/2', name: 'Noah Reed', birthDate: null, recordNumber: '2', canChange: true },
  },
  'a practitioner who chose a patient without a name': {
    scope: wantsPatient,
    chosen: ['Patient/3'],
    patient: { id: 'Patient/3', name: '3', birthDate: null, recordNumber: '3', canChange: true },
  },
  'a practitioner who skipped the patient': { scope: `${wantsPatient} user/*.rs`, chosen: [], patient: null },
  'a practitioner whose app asks for no patient': { scope: 'openid user/*.rs', patient: null },
  'a practitioner whose EHR named the patient': {
    scope: 'openid launch patient/*.rs',
    ehr: { patient: '1' },
    patient: { ...amelia, canChange: false },
  },
  'a practitioner whose EHR named the patient, and who chose the visit': {
    scope: 'openid launch launch/encounter patient/*.rs',
    ehr: { patient: '1' },
    chosen: ['Encounter/visit-2'],
    patient: { ...amelia, canChange: false },
  },
  'a practitioner whose EHR named no patient': { scope: 'openid launch user/*.rs', ehr: {}, patient: null },
  'a patient': { scope: wantsPatient, person: people.patient, patient: null },
  'a patient whose EHR named them': {
    scope: 'openid launch patient/*.rs',
    ehr: { patient: '1' },
    person: people.patient,
    patient: null,
  },
};

/** The consent page of a request, after its launch context was chosen. */
async function atConsent({ scope, ehr, chosen, person = people.practitioner }: Kind) {
  const parameters = ehr && { launch: await announced(ehr) };
  const launch: Launch = { client: publicApp, scope, ...(parameters && { parameters }) };
  const choice = await ContextChoice.reach(portal, launch, person);
  const { app } = choice;
  if (chosen === undefined) return { app, page: choice.page };
  expect(choice.page.pathname).toBe('/user/launch-context');
  await choice.request();
  const [patient] = chosen;
  if (patient?.startsWith('Patient/')) await choice.request({ patient });
  expect((await choice.choose(chosen)).status).toBe(200);
  return { app, page: await choice.nextPage() };
}

describe.each(Object.entries(kinds))('The consent page of %s', (_who, kind) => {
  it('names the patient whom the request is about, and no other', async () => {
    const { app, page } = await atConsent(kind);
    expect(page.pathname).toBe('/user/consent');
    const answer = await app.browser.get(`/api/consent${page.search}`);
    expect(answer.json<ConsentRequest>().patient).toEqual(kind.patient);
  });

  it('is shown without its patient under no circumstances', async () => {
    const { app, page } = await atConsent(kind);
    fhirServer.behaviour = 'down';
    const down = await app.browser.get(`/api/consent${page.search}`);
    expect(down.status).toBe(kind.patient ? 503 : 200);
    fhirServer.behaviour = 'empty';
    const gone = await app.browser.get(`/api/consent${page.search}`);
    expect(gone.status).toBe(kind.patient ? 503 : 200);
    fhirServer.behaviour = 'well';
    expect((await app.browser.get(`/api/consent${page.search}`)).status).toBe(200);
  });
});
