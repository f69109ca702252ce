/** The FHIR server proposes what an administrator ends at this moment. */
import { RepresentedAccess } from '../../../src/representation/application/represented-access.js';
import { useBusyMachine } from '../../support/busy-machine.js';
import { raceTimeout } from '../../support/http/races.js';
import { relationshipsPath as path } from '../../support/representation/acting.js';
import { roundsOfWay, Scene } from './ways/scene.js';

const code = 'http://role|MTH';
let scene: Scene;
let minutes = 0;

useBusyMachine();
beforeAll(async () => {
  const relationshipCodes = [{ code, basis: 'parental-responsibility', level: 'full' }];
  scene = await Scene.start({ config: { representation: { source: 'server', relationshipCodes } } });
});

afterAll(() => scene.close());

const patientsOf = async (node: number) => {
  const at = new Date(Date.now() + minutes * 60_000);
  const { patients } = await scene.part(RepresentedAccess, node).allOf(scene.ana.id, undefined, at);
  return patients.map(({ relationship }) => relationship.patient);
};

async function aChildOfTheServer(): Promise<string> {
  const patient = scene.child();
  scene.portal.records.set(`of-${patient}`, {
    ...{ resourceType: 'RelatedPerson', id: `of-${patient}`, active: true },
    patient: { reference: `Patient/${patient}` },
    relationship: [{ coding: [{ system: 'http://role', code: 'MTH' }] }],
  });
  const body = { references: [`RelatedPerson/of-${patient}`] };
  const named = await scene.agents.admin.send(`${path}/account/${scene.ana.id}/references`, { method: 'PUT', body });
  expect(named.status).toBeLessThan(300);
  // What was read of the server counts for minutes.
  minutes += 6;
  return patient;
}

it(
  'A safeguarding end, while both nodes read the RelatedPerson again: the pair is blocked, and nothing of it is active',
  async () => {
    for (let number = 0; number < roundsOfWay; number += 1) {
      if (number % 10 === 0) await scene.keepSignedIn();
      const patient = await aChildOfTheServer();
      // A relationship of the portal, or the one that the server makes.
      const isOwn = number % 2 === 0;
      if (isOwn) await scene.acts(patient);
      else expect(await patientsOf(0)).toContain(patient);
      const [row] = await scene.query<{ id: string }>(
        "SELECT id FROM representation_relationship WHERE patient = $1 AND status = 'active'",
        [patient],
      );
      minutes += 6;
      const [ended] = await scene.atOnce(
        () => scene.endByAdmin(row?.id ?? '', 'safeguarding'),
        () => patientsOf(0),
        () => patientsOf(1),
        () => patientsOf(0),
      );
      expect(ended.status).toBe(200);
      minutes += 6;
      for (const node of [0, 1]) expect(await patientsOf(node)).not.toContain(patient);
      expect(await scene.ofPatient(patient)).toEqual({ active: 0, open: 0 });
    }
  },
  raceTimeout,
);
