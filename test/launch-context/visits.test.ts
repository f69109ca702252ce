import type { LaunchContextKind, LaunchContextRequest } from '../../src/contract/launch-context.js';
import { ContextChoice } from '../support/apps/context-choice.js';
import { publicApp } from '../support/clients/clients.js';
import { startWardFhirServer, type WardFhirServer } from '../support/fhir/ward-fhir-server.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { people } from '../support/users/people.js';

let ward: WardFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  ward = await startWardFhirServer();
  portal = await startPortal({
    config: { fhir: { baseUrl: ward.url }, users: [people.practitioner], clients: [publicApp] },
  });
  // Until then the portal does not know that visits can be searched by their status.
  await until(() => ward.requests.some(({ url }) => url?.endsWith('/metadata')));
});

afterEach(() => {
  ward.failing = undefined;
});

afterAll(async () => {
  await portal.close();
  ward.close();
});

async function atChoice(): Promise<ContextChoice> {
  const scope = 'openid launch/patient patient/*.rs launch/encounter';
  const choice = await ContextChoice.reach(portal, { client: publicApp, scope }, people.practitioner);
  expect((await choice.request()).status).toBe(200);
  return choice;
}

const ofPatient = (id: string) => ({ kind: 'Encounter', patient: `Patient/${id}` });
const idsIn = ({ data }: LaunchContextKind) => data.map(({ id }) => id.replace('Encounter/', ''));

async function visitsIn(choice: ContextChoice, query: Record<string, string>): Promise<LaunchContextKind> {
  const [visits] = await choice.contextTypes(query);
  if (!visits) throw new Error('no visits were answered');
  return visits;
}

describe('The visits of a patient', () => {
  it('come with the name of the patient: those in progress first, then the newest', async () => {
    const choice = await atChoice();
    const answer = (await choice.request(ofPatient('sofia'))).json<LaunchContextRequest>();
    expect(answer.patient).toEqual({
      id: 'Patient/sofia',
      name: 'Sofia Lindgren',
      birthDate: '1989-01-27',
      recordNumber: 'NB231007',
      canChange: true,
    });
    expect(answer.resourceData.map(idsIn)).toEqual([['ward', 'emergency', 'echo', 'check-up']]);
  });

  it('in progress come first also from later pages, and can be chosen', async () => {
    const choice = await atChoice();
    const first = await visitsIn(choice, ofPatient('mabel'));
    expect(idsIn(first).slice(0, 3)).toEqual(['stay', 'm0', 'm1']);
    expect(first.data).toHaveLength(51);
    const second = await visitsIn(choice, { ...ofPatient('mabel'), page: first.next ?? '' });
    expect([idsIn(second)[0], second.next]).toEqual(['stay', null]);
    expect((await choice.choose(['Patient/mabel', 'Encounter/stay'])).status).toBe(200);
  });

  it.each(['Patient', 'Encounter'])('are not answered while the server does not answer for %s', async (type) => {
    const choice = await atChoice();
    ward.failing = type;
    expect((await choice.request(ofPatient('sofia'))).status).toBe(503);
    ward.failing = undefined;
    expect(idsIn(await visitsIn(choice, ofPatient('sofia')))).toHaveLength(4);
  });
});
