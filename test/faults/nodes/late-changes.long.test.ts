/** Deletions, lifted blocks and more that a stopped node (SIGSTOP) executes late, after other nodes have changed. */
import type { InvitationWithCode } from '../../../src/contract/invitations.js';
import type { OwnRelationships } from '../../../src/contract/representation.js';
import { shippedBases, shippedLevels } from '../../../src/platform/config/representation-defaults.js';
import { retryWhileUnavailable } from '../../support/database/connection-cuts.js';
import type { Agent, Answer } from '../../support/http/agent.js';
import { newLink } from '../../support/mail-sink.js';
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
const { daily: _daily, ...levels } = shippedLevels;
/** The level of carers. */
const { carer: _carer, ...bases } = shippedBases;
let portal: FamilyProcesses;

beforeAll(async () => {
  portal = await startFamilyProcesses(undefined, [spare]);
  portal.has('spare', { birthDate: '1980-01-01', name: [{ text: spare.fullName }] });
});

afterAll(() => portal.close());

async function proposed(email: string, members: object = {}): Promise<string> {
  await portal.query("UPDATE representation_relationship SET status = 'ended' WHERE status <> 'ended'");
  const answer = await portal.agents.admin.post(path, { email, ...attorney, ...members });
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

describe('Digits of an invitation that a stopped node compares late', () => {
  const own = '/api/representation/invitations';
  const accept =
    ({ id, ...body }: { id: string; token: string; spokenCode: string }) =>
    (agent: Agent) =>
      agent.post(`/api/invitations/${id}/acceptance`, { isAdult: true, account: 'own', ...body });
  async function invited() {
    const { noah, ana } = portal.agents;
    await portal.query("UPDATE representation_relationship SET status = 'ended' WHERE status <> 'ended'");
    await portal.query('DELETE FROM representation_block');
    const { email } = family.ana;
    const form = { fullName: 'Ana Duarte', email, level: 'basics', currentPassword: family.noah.password };
    const { t: token, answer: sent } = await newLink(portal.sink, email, '/invitation', async () => {
      const answer = await noah.post(own, form);
      expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
      return answer;
    });
    const { id, spokenCode } = sent.json<InvitationWithCode>();
    const wrong = (plus: number) => String((Number(spokenCode) + plus) % 1_000_000).padStart(6, '0');
    return {
      ana,
      id,
      right: { id, token, spokenCode },
      wrong: (plus: number) => ({ id, token, spokenCode: wrong(plus) }),
    };
  }
  const stateOf = async (id: string) =>
    (await portal.query<object>('SELECT status FROM representation_invitation WHERE id = $1', [id]))[0];
  const live = () => portal.query("SELECT FROM representation_relationship WHERE status = 'active'");

  it('are refused although they are right, after five wrong ones at another node', async () => {
    const { ana, id, right, wrong } = await invited();
    const status = await late(ana, accept(right), async () => {
      for (const plus of [1, 2, 3, 4, 5]) expect([400, 404]).toContain((await accept(wrong(plus))(ana)).status);
    });
    expect([400, 404, 409]).toContain(status);
    expect([await stateOf(id), await live()]).toEqual([{ status: 'codes-used-up' }, []]);
  });

  it('are the fifth wrong ones of both nodes together, so that the right ones are refused afterwards', async () => {
    const { ana, id, right, wrong } = await invited();
    await late(ana, accept(wrong(5)), async () => {
      for (const plus of [1, 2, 3, 4]) expect((await accept(wrong(plus))(ana)).status).toBe(400);
    });
    expect((await accept(right)(ana)).status).toBeGreaterThanOrEqual(400);
    expect([await stateOf(id), await live()]).toEqual([{ status: 'codes-used-up' }, []]);
  });

  it('change nothing if they are wrong and come after the acceptance', async () => {
    const { ana, id, right, wrong } = await invited();
    await late(ana, accept(wrong(1)), () => done(ana, accept(right)));
    expect([await stateOf(id), (await live()).length]).toEqual([{ status: 'accepted' }, 1]);
  });
});

it('A wider choice of kinds that comes late, after a narrower one, is refused', async () => {
  const { admin, noah } = portal.agents;
  const id = await proposed(family.ana.email, { basis: 'voluntary', relation: 'helper' });
  await done(admin, approve(id));
  const own = (await noah.get('/api/representation')).json<OwnRelationships>();
  const single = own.helpers.find((one) => one.id === id)?.single;
  const [one = '', two = ''] = single?.kinds.map(({ kind }) => kind) ?? [];
  expect(two).not.toBe('');
  const change = (seen: string, kinds: string[]) => (agent: Agent) =>
    agent.send(`/api/representation/${id}/level`, {
      method: 'PUT',
      body: { seen, level: single?.level, kinds, currentPassword: family.noah.password },
    });
  const levelOf = async () =>
    (await portal.query<{ level: string }>('SELECT level FROM representation_relationship WHERE id = $1', [id]))[0]
      ?.level ?? '';
  const wide = await levelOf();
  const status = await late(noah, change(wide, [one, two]), async () => {
    expect((await retryWhileUnavailable(() => change(wide, [one])(noah))).status).toBe(204);
  });
  expect([status, await levelOf()]).toEqual([409, `${single?.level} ${one}`]);
});

it('An approval that comes late, after the record was replaced by another one, gives nothing', async () => {
  const { admin, ana } = portal.agents;
  const id = await proposed(family.ana.email, { patient: 'spare' });
  const status = await late(admin, approve(id), async () => {
    portal.has('spare', { active: false, link: [{ type: 'replaced-by', other: { reference: 'Patient/2' } }] });
  });
  const { lookedAfter } = (await ana.get('/api/representation')).json<OwnRelationships>();
  expect([status, lookedAfter.filter((one) => one.id === id && one.status === 'active')]).toEqual([
    expect.any(Number),
    [],
  ]);
});

describe('An approval of a stopped node, while the other one gets another configuration', () => {
  afterEach(() => portal.restartOther({}));

  it.each([
    ['without representation', { representation: undefined }],
    ['without the level', { representation: { levels, bases } }],
  ])('%s, waits until the nodes are the same', async (_, more) => {
    const { admin } = portal.agents;
    const id = await proposed(family.ana.email, { basis: 'voluntary', relation: 'helper', level: 'daily' });
    const status = await late(admin, approve(id), () => portal.restartOther(more));
    expect(status).toBe(409);
    expect(await portal.query<object>('SELECT status FROM representation_relationship WHERE id = $1', [id])).toEqual([
      { status: 'proposed' },
    ]);
    await portal.restartOther({});
    await done(admin, approve(id));
  });

  it('that is switched off and on again meanwhile counts as if it had come later', async () => {
    const { admin, noah } = portal.agents;
    const id = await proposed(family.ana.email, { basis: 'voluntary', relation: 'helper' });
    const status = await late(admin, approve(id), async () => {
      await portal.restartOther({ representation: undefined });
      await portal.restartOther({});
    });
    expect(status).toBe(200);
    const { helpers } = (await noah.get('/api/representation')).json<OwnRelationships>();
    expect(helpers.find((one) => one.id === id)?.status).toBe('active');
  });
});
