/** Acts that a node executes late, because it was stopped (SIGSTOP), after another node has executed the opposite. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { InvitationWithCode } from '../../../src/contract/invitations.js';
import type { RelationshipView } from '../../../src/contract/representation.js';
import { dayIn } from '../../../src/representation/domain/ages.js';
import { addDays } from '../../../src/representation/domain/coming-steps.js';
import { useBusyMachine } from '../../support/busy-machine.js';
import { retryWhileUnavailable } from '../../support/database/connection-cuts.js';
import type { Agent, Answer } from '../../support/http/agent.js';
import { newLink } from '../../support/mail-sink.js';
import { relationshipsPath as path } from '../../support/representation/acting.js';
import { family } from '../../support/representation/family-portal.js';
import { type FamilyProcesses, startFamilyProcesses } from '../../support/representation/family-processes.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const today = dayIn(new Date(), 'Europe/Amsterdam');
/** Users whose accounts a pair may delete. */
const spares = Array.from({ length: 8 }, (_, index) => ({
  ...people.patient,
  email: `spare-${index}@example.org`,
  fullName: `Spare ${index}`,
  claims: [{ name: 'fhirUser', value: `Patient/spare-${index}` }],
}));
let portal: FamilyProcesses;
let used = 0;
let teens = 0;

useBusyMachine();
beforeAll(async () => {
  portal = await startFamilyProcesses(undefined, spares);
});

afterAll(() => portal.close());

beforeEach(async () => {
  portal.first.signal('SIGCONT');
  await portal.query('TRUNCATE representation_relationship, representation_invitation, request CASCADE');
  await portal.query('TRUNCATE representation_block, represented_patient');
  await portal.query('DELETE FROM rate_limit');
  portal.has('2', { birthDate: '1948-01-01', name: [{ text: 'Noah Reed' }] });
});

const agents = () => portal.agents;
const attorney = { basis: 'power-of-attorney', relation: 'attorney', level: 'full', patient: '2' };
const helper = { basis: 'voluntary', relation: 'helper', level: 'full', patient: '2' };
const put = (agent: Agent, address: string, body: object) => agent.send(address, { method: 'PUT', body });
const own = '/api/representation';
const decision = (id: string, more: object) => (agent: Agent) =>
  agent.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen', ...more });
const end =
  (id: string, reason = 'administrator') =>
  (agent: Agent) =>
    agent.post(`${path}/${id}/end`, { reason, note: 'Over' });

async function proposed(members: object, email = family.ana.email): Promise<string> {
  const answer = await agents().admin.post(path, { email, ...members });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json<{ id: string }>().id;
}
async function acts(members: object, email?: string): Promise<string> {
  const id = await proposed(members, email);
  const decided = await decision(id, {})(agents().admin);
  expect([decided.status, decided.text]).toEqual([200, expect.any(String)]);
  return id;
}
const set = (id: string, assignments: string) =>
  portal.query(`UPDATE representation_relationship SET ${assignments} WHERE id = $1`, [id]);
const states = async () =>
  (
    await portal.query<{ state: string }>(
      `SELECT concat_ws(' ', status, reason, level, agreed_steps::text, ends_on::text) AS state
         FROM representation_relationship ORDER BY proposed_at`,
    )
  ).map(({ state }) => state);
/** A child at the age at which the table asks for agreement, which is given or not. */
async function atStep(isAgreed: boolean): Promise<string> {
  teens += 1;
  portal.has(`teen-${teens}`, { birthDate: addDays(today, 20).replace(/^\d+/, (year) => String(Number(year) - 16)) });
  const parent = { basis: 'parental-responsibility', relation: 'mother', level: 'basics', patient: `teen-${teens}` };
  const id = await acts(parent);
  if (isAgreed) await set(id, "agreed_steps = '{16}'");
  return id;
}
const agreed = { step: 16, isAgreed: true, note: 'At the desk' };
const agreement = (id: string, isAgreed: boolean) => (agent: Agent) =>
  agent.post(`${path}/${id}/agreement`, { ...agreed, isAgreed });
const shown = async (id: string) => (await agents().admin.get(`${path}/${id}`)).json<RelationshipView>().changedAt;
/** Both, of which the first one succeeds. */
async function oneByOne(agent: Agent, first: Act[1], then: Act[1]): Promise<Answer> {
  expect((await first(agent)).status).toBe(200);
  return then(agent);
}
async function invited() {
  const email = family.ana.email;
  const form = { fullName: 'Ana Duarte', email, level: 'basics', currentPassword: family.noah.password };
  const { t: token, answer: sent } = await newLink(portal.sink, email, '/invitation', async () => {
    const answer = await agents().noah.post(`${own}/invitations`, form);
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer;
  });
  const { id, spokenCode } = sent.json<InvitationWithCode>();
  const body = { token, spokenCode, isAdult: true, account: 'own' };
  return {
    accept: (agent: Agent) => agent.post(`/api/invitations/${id}/acceptance`, body),
    cancel: (agent: Agent) => agent.send(`${own}/invitations/${id}`, { method: 'DELETE' }),
    lock: `SELECT FROM representation_invitation WHERE id = '${id}' FOR UPDATE`,
  };
}
async function spare() {
  const person = spares[used] as (typeof spares)[number];
  used += 1;
  portal.has(`spare-${used - 1}`, { birthDate: '1980-01-01', name: [{ text: person.fullName }] });
  return { email: person.email, id: await portal.accountId(person) };
}
const remove = (account: string) => (agent: Agent) => agent.send(`/api/admin/user/${account}`, { method: 'DELETE' });
const rowOf = (id: string) => `SELECT FROM representation_relationship WHERE id = '${id}' FOR UPDATE`;

type User = keyof FamilyProcesses['agents'];
type Act = [user: User, send: (agent: Agent) => Promise<Answer>];
interface Prepared {
  late: Act;
  meanwhile: Act;
  /** A lock that both need; undefined if there is none. */
  lock: string | undefined;
  /** What is stored if the late act was stopped in its middle, and executed first; otherwise the same. */
  whole?: string[];
}

/** The late act, what happened meanwhile, and what is stored afterwards. */
const pairs: [late: string, meanwhile: string, stored: string[], prepare: () => Promise<Prepared>][] = [
  [
    'an acceptance',
    'the cancellation of the invitation',
    [],
    async () => {
      const { accept, cancel, lock } = await invited();
      return { late: ['ana', accept], meanwhile: ['noah', cancel], lock };
    },
  ],
  [
    'a cancellation of an invitation',
    'its acceptance',
    ['active basics {}'],
    async () => {
      const { accept, cancel, lock } = await invited();
      return { late: ['noah', cancel], meanwhile: ['ana', accept], lock };
    },
  ],
  [
    'an approval',
    'a refusal',
    ['declined full {}'],
    async () => {
      const id = await proposed(attorney);
      const refuse = decision(id, { decision: 'decline' });
      return { late: ['admin', decision(id, {})], meanwhile: ['second', refuse], lock: rowOf(id) };
    },
  ],
  [
    'a refusal',
    'an approval',
    ['active full {}'],
    async () => {
      const id = await proposed(attorney);
      const refuse = decision(id, { decision: 'decline' });
      return { late: ['admin', refuse], meanwhile: ['second', decision(id, {})], lock: rowOf(id) };
    },
  ],
  [
    'a confirmation',
    'the end by the patient',
    ['suspended patient-ended full {}'],
    async () => {
      const id = await acts(attorney);
      await set(id, "status = 'suspended', reason = 'deleted'");
      const confirm = (agent: Agent) => agent.post(`${path}/${id}/confirmation`, { note: 'There', reason: 'deleted' });
      return {
        late: ['admin', confirm],
        meanwhile: ['noah', (agent) => agent.post(`${own}/${id}/end`, {})],
        lock: rowOf(id),
      };
    },
  ],
  [
    'the answer that it is still right',
    'an end',
    ['ended administrator full {}'],
    async () => {
      const id = await acts(helper);
      await set(id, "decided_at = now() - interval '400 days'");
      const confirm = (agent: Agent) => agent.post(`${own}/${id}/confirmation`, {});
      return { late: ['noah', confirm], meanwhile: ['admin', end(id)], lock: rowOf(id) };
    },
  ],
  [
    'a longer period',
    'an end',
    [`ended administrator full {} ${addDays(today, 20)}`],
    async () => {
      const id = await acts({ ...helper, end: addDays(today, 20) });
      const renew = (agent: Agent) => put(agent, `${own}/${id}/period`, { end: addDays(today, 90) });
      const whole = [`ended administrator full {} ${addDays(today, 90)}`];
      return { late: ['noah', renew], meanwhile: ['admin', end(id)], lock: rowOf(id), whole };
    },
  ],
  [
    'an end',
    'a longer period',
    [`ended administrator full {} ${addDays(today, 90)}`],
    async () => {
      const id = await acts({ ...helper, end: addDays(today, 20) });
      const renew = (agent: Agent) => put(agent, `${own}/${id}/period`, { end: addDays(today, 90) });
      return { late: ['admin', end(id)], meanwhile: ['noah', renew], lock: rowOf(id) };
    },
  ],
  [
    'an agreement',
    'an end',
    ['ended administrator basics {}'],
    async () => {
      const id = await atStep(false);
      const whole = ['ended administrator basics {16}'];
      return { late: ['admin', agreement(id, true)], meanwhile: ['second', end(id)], lock: rowOf(id), whole };
    },
  ],
  [
    'the withdrawal of an agreement',
    'an end',
    ['ended administrator basics {16}'],
    async () => {
      const id = await atStep(true);
      const whole = ['ended administrator basics {}'];
      return { late: ['admin', agreement(id, false)], meanwhile: ['second', end(id)], lock: rowOf(id), whole };
    },
  ],
  [
    'the withdrawal of an agreement',
    'the agreement again',
    ['active basics {}'],
    async () => {
      const id = await atStep(true);
      return { late: ['admin', agreement(id, false)], meanwhile: ['second', agreement(id, true)], lock: undefined };
    },
  ],
  [
    'an agreement that names what was seen',
    'its withdrawal',
    ['active basics {}'],
    async () => {
      const id = await atStep(false);
      const seenChange = await shown(id);
      return {
        late: ['admin', (agent) => agent.post(`${path}/${id}/agreement`, { ...agreed, seenChange })],
        meanwhile: ['second', (agent) => oneByOne(agent, agreement(id, true), agreement(id, false))],
        lock: undefined,
      };
    },
  ],
  ...(['approve', 'decline'] as const).map((decided): (typeof pairs)[number] => [
    `a decision (${decided}) that names what was seen`,
    'another administrator has asked for more',
    ['more-needed full {}'],
    async () => {
      const id = await proposed(attorney);
      const late = decision(id, { decision: decided, seenChange: await shown(id) });
      return {
        late: ['admin', late],
        meanwhile: ['second', decision(id, { decision: 'more-needed' })],
        lock: undefined,
      };
    },
  ]),
  [
    'a confirmation that names what was seen',
    'another confirmation, and another end by the patient',
    ['suspended patient-ended full {}'],
    async () => {
      const id = await acts(attorney);
      await set(id, "status = 'suspended', reason = 'patient-ended'");
      const confirm = (more: object) => (agent: Agent) =>
        agent.post(`${path}/${id}/confirmation`, { note: 'Spoken with', reason: 'patient-ended', ...more });
      const endsAgain = () => agents().noah.post(`${own}/${id}/end`, {});
      return {
        late: ['admin', confirm({ seenChange: await shown(id) })],
        meanwhile: ['second', (agent) => oneByOne(agent, confirm({}), endsAgain)],
        lock: undefined,
      };
    },
  ],
  [
    'a higher level',
    'a lower one',
    ['active basics {}'],
    async () => {
      const id = await acts({ ...helper, level: 'daily' });
      const level = (to: string) => (agent: Agent) =>
        put(agent, `${own}/${id}/level`, { seen: 'daily', level: to, currentPassword: family.noah.password });
      return { late: ['noah', level('full')], meanwhile: ['noah', level('basics')], lock: rowOf(id) };
    },
  ],
  [
    'a lower level',
    'an end',
    ['ended administrator full {}'],
    async () => {
      const id = await acts(helper);
      const lower = (agent: Agent) => put(agent, `${own}/${id}/level`, { seen: 'full', level: 'basics' });
      const whole = ['ended administrator basics {}'];
      return { late: ['noah', lower], meanwhile: ['admin', end(id)], lock: rowOf(id), whole };
    },
  ],
  [
    'an approval',
    'the deletion of the account of the representative',
    ['proposed full {}'],
    async () => {
      const { email, id: account } = await spare();
      const id = await proposed(attorney, email);
      // Active without an account permits nothing, and reads as ended.
      const whole = ['active full {}'];
      return { late: ['admin', decision(id, {})], meanwhile: ['second', remove(account)], lock: rowOf(id), whole };
    },
  ],
  [
    'an end by an administrator',
    'a safeguarding end',
    ['ended safeguarding full {}'],
    async () => {
      const id = await acts(attorney);
      // The representative has seen the first end; the pair is blocked all the same.
      const whole = ['ended administrator full {}'];
      return { late: ['admin', end(id)], meanwhile: ['second', end(id, 'safeguarding')], lock: rowOf(id), whole };
    },
  ],
  [
    'an import',
    'a safeguarding end of the same pair',
    ['ended safeguarding full {}'],
    async () => {
      const id = await acts(attorney);
      const csv = `email,patient,basis,level\n${family.ana.email},2,power-of-attorney,full`;
      const load = (agent: Agent) => agent.post(`${path}/import`, { csv, dryRun: false });
      return { late: ['admin', load], meanwhile: ['second', end(id, 'safeguarding')], lock: undefined };
    },
  ],
];

describe.each(pairs)('Late: %s, after %s', (_late, _meanwhile, expected, prepare) => {
  it('changes nothing of what came before', async () => {
    const { late, meanwhile } = await prepare();
    portal.first.signal('SIGSTOP');
    const held = portal.atFirst(agents()[late[0]], late[1]);
    await held.isSent;
    const done = await retryWhileUnavailable(() => meanwhile[1](agents()[meanwhile[0]]));
    expect([200, 204]).toContain(done.status);
    portal.first.signal('SIGCONT');
    const answer = await held.answer;
    expect(answer?.status).toBeLessThan(500);
    const all = await states();
    expect(all.slice(0, Math.max(1, expected.length))).toEqual(expected);
    // What was proposed after a block waits for ever.
    expect(all.slice(Math.max(1, expected.length)).filter((one) => /^(active|suspended)/.test(one))).toEqual([]);
  });

  it('and one that was stopped in its middle is as if it had been executed whole', async () => {
    const { late, meanwhile, lock, whole = expected } = await prepare();
    if (lock === undefined) return;
    const holder = new pg.Client(portal.connection);
    await holder.connect();
    const waiting = () =>
      holder.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()",
      );
    try {
      await holder.query('BEGIN');
      await holder.query(lock);
      const held = portal.atFirst(agents()[late[0]], late[1]);
      await held.isSent;
      // One that asks nothing of the locked row is executed whole.
      await until(async () => (await waiting()).rows.length === 1);
      portal.first.signal('SIGSTOP');
      const other = meanwhile[1](agents()[meanwhile[0]]);
      await until(async () => (await waiting()).rows.length === 2);
      await holder.query('COMMIT');
      await sleep(1_500);
      portal.first.signal('SIGCONT');
      const [first, second] = [await held.answer, await other];
      expect([first?.status, second.status].filter((status = 500) => status >= 500 && status !== 503)).toEqual([]);
      const all = await states();
      if (second.status < 300) expect(all.slice(0, Math.max(1, expected.length))).toEqual(whole);
      else expect([200, 204]).toContain(first?.status);
    } finally {
      portal.first.signal('SIGCONT');
      await holder.end();
    }
  });
});
