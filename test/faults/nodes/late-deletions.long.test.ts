/** Deletions and lifted blocks that a stopped node (SIGSTOP) executes late. */
import { retryWhileUnavailable } from '../../support/database/connection-cuts.js';
import type { Agent, Answer } from '../../support/http/agent.js';
import { relationshipsPath as path } from '../../support/representation/acting.js';
import { family } from '../../support/representation/family-portal.js';
import { type FamilyProcesses, startFamilyProcesses } from '../../support/representation/family-processes.js';
import { people } from '../../support/users/people.js';

const spare = {
  ...people.patient,
  email: 'spare@example.org',
  fullName: 'Spare Person',
  claims: [{ name: 'fhirUser', value: 'Patient/spare' }],
};
const attorney = { basis: 'power-of-attorney', relation: 'attorney', level: 'full', patient: '2' };
let portal: FamilyProcesses;

beforeAll(async () => {
  portal = await startFamilyProcesses(undefined, [spare]);
  portal.has('spare', { birthDate: '1980-01-01', name: [{ text: spare.fullName }] });
});

afterAll(() => portal.close());

async function proposed(email: string): Promise<string> {
  const answer = await portal.agents.admin.post(path, { email, ...attorney });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json<{ id: string }>().id;
}
const approve = (id: string) => (agent: Agent) =>
  agent.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' });
const safeguard = (id: string) => (agent: Agent) =>
  agent.post(`${path}/${id}/end`, { reason: 'safeguarding', note: 'Reported by a nurse' });
const lift = (id: string) => (agent: Agent) => agent.post(`${path}/${id}/block/lift`, {});

/** An act that the first node executes after what is done meanwhile at the other one. */
async function late(by: Agent, send: (agent: Agent) => Promise<Answer>, meanwhile: () => Promise<void>) {
  portal.first.signal('SIGSTOP');
  const held = portal.atFirst(by, send);
  await held.isSent;
  await meanwhile();
  portal.first.signal('SIGCONT');
  const answer = await held.answer;
  expect(answer?.status).toBeLessThan(500);
  return answer?.status;
}
const done = async (agent: Agent, send: (agent: Agent) => Promise<Answer>) => {
  const { status, text } = await retryWhileUnavailable(() => send(agent));
  expect([status, text]).toEqual([200, expect.any(String)]);
};

it('An account that is deleted after an approval acts for no patient', async () => {
  const { admin, second } = portal.agents;
  const account = await portal.accountId(spare);
  const id = await proposed(spare.email);
  const remove = (agent: Agent) => agent.send(`/api/admin/user/${account}`, { method: 'DELETE' });
  expect(await late(admin, remove, () => done(second, approve(id)))).toBe(204);
  expect(await portal.query('SELECT FROM account WHERE id = $1', [account])).toEqual([]);
  expect(await portal.query('SELECT FROM representation_relationship WHERE account_id = $1', [account])).toEqual([]);
});

it('A block that comes after another one was lifted is not lifted by who comes late', async () => {
  const { admin, second } = portal.agents;
  const first = await proposed(family.ana.email);
  await done(admin, approve(first));
  await done(admin, safeguard(first));
  await done(admin, lift(first));
  let again = '';
  const status = await late(second, lift(first), async () => {
    await done(second, lift(first));
    again = await proposed(family.ana.email);
    await done(admin, approve(again));
    await done(admin, safeguard(again));
  });
  expect(status).toBe(404);
  const blocks = await portal.query<object>(
    'SELECT DISTINCT relationship_id AS id, lift_asked_by AS asked FROM representation_block',
  );
  expect(blocks).toEqual([{ id: again, asked: null }]);
  const next = await proposed(family.ana.email);
  expect((await approve(next)(admin)).status).toBe(409);
});
