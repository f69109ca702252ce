import pg from 'pg';
import type { RelationshipView } from '../../src/contract/representation.js';
import { RelationshipTelling } from '../../src/representation/application/upkeep/relationship-telling.js';
import { RelationshipUpkeep } from '../../src/representation/application/upkeep/relationship-upkeep.js';
import { dayIn } from '../../src/representation/domain/ages.js';
import { addDays } from '../../src/representation/domain/coming-steps.js';
import type { Decision } from '../../src/representation/domain/decision.js';
import type { Relationship } from '../../src/representation/domain/relationship.js';
import { type NewRelationship, Relationships } from '../../src/representation/domain/relationships.js';
import type { Agent } from '../support/http/agent.js';
import { relationshipsPath as path } from '../support/representation/acting.js';
import { birthdayAfter, bornFor } from '../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { aNewRelationship } from '../support/representation/relationship.js';
import { until } from '../support/until.js';

/** Noah is Patient/2 with an account, for whom Ana acts. */
let portal: FamilyPortal;
let admin: Agent;
let second: Agent;
let ana: Agent;
let noah: Agent;
let anaId: string;

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2 });
  [admin, second, ana, noah, anaId] = await Promise.all([
    portal.as(family.admin),
    portal.as(family.secondAdmin, 1),
    portal.as(family.ana, 1),
    portal.as(family.noah),
    portal.accountId(family.ana),
  ]);
});

afterAll(() => portal.close());

beforeEach(async () => {
  await portal.query('TRUNCATE representation_relationship, represented_patient CASCADE');
  await portal.query('TRUNCATE representation_block');
  portal.has('2', { birthDate: '1948-01-01', name: [{ text: 'Noah Reed' }] });
});

const attorney = { basis: 'power-of-attorney', relation: 'attorney', patient: '2' } as const;
const helper = { basis: 'voluntary', relation: 'helper', patient: '2' } as const;
const relationships = () => portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
const upkeep = () => portal.apps[0]?.get(RelationshipUpkeep, { strict: false }) as RelationshipUpkeep;
const telling = () => portal.apps[0]?.get(RelationshipTelling, { strict: false }) as RelationshipTelling;
const acts = (members: Partial<NewRelationship>) => relationships().add(aNewRelationship(anaId, members));
const stored = async ({ id }: Pick<Relationship, 'id'>) => {
  const { status, reason } = (await relationships().findById(id)) ?? {};
  return { status, reason };
};
const facts = {
  ...{ birthDate: '1948-01-01', isDeceased: false, isActive: true, replacedBy: undefined, readAt: new Date() },
  ...{ name: 'Noah Reed', firstName: 'Noah' },
};
const permitted: Decision = { permitted: true, levels: ['full'] };
const endByPatient = ({ id }: Relationship) => noah.post(`/api/representation/${id}/end`, {});

/** Acts one after the other, each while those before wait for a lock that another connection holds. */
async function whileLocked<T>(lock: string, ...acts: (() => Promise<T>)[]): Promise<T[]> {
  const holder = new pg.Client(portal.connection);
  await holder.connect();
  const areWaiting = async (count: number) => {
    const { rows } = await holder.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length === count;
  };
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    const all: Promise<T>[] = [];
    for (const act of acts) {
      all.push(act());
      await until(() => areWaiting(all.length));
    }
    await holder.query('COMMIT');
    return await Promise.all(all);
  } finally {
    await holder.end();
  }
}

const rowOf = ({ id }: Pick<Relationship, 'id'>) =>
  `SELECT FROM representation_relationship WHERE id = '${id}' FOR UPDATE`;

describe('What a look has seen', () => {
  it.each([
    ['permits again', { status: 'suspended', reason: 'deceased' }, permitted],
    ['finds a death', { status: 'active', reason: null }, { permitted: false, cause: 'deceased' }],
    ['finds a merged record', { status: 'active', reason: null }, { permitted: false, cause: 'record-replaced' }],
    ['misses an agreement', { status: 'active', reason: null }, { permitted: false, cause: 'agreement' }],
  ] as const)('does not take back the end by the patient, when it %s late', async (_, before, decision) => {
    const seen = await acts({ ...attorney, ...before });
    await portal.query("UPDATE representation_relationship SET status = 'active', reason = NULL WHERE id = $1", [
      seen.id,
    ]);
    expect((await endByPatient(seen)).status).toBe(204);
    await whileLocked(rowOf(seen), async () => upkeep().note(seen, decision, facts));
    // After the look, which got the lock before.
    await portal.query(rowOf(seen));
    expect(await stored(seen)).toEqual({ status: 'suspended', reason: 'patient-ended' });
  });

  it('does not end a relationship that its patient has just said is still right', async () => {
    const today = dayIn(new Date(), 'Europe/Amsterdam');
    const seen = await acts({ ...helper, decidedAt: new Date(Date.now() - 400 * 86_400_000) });
    expect((await noah.post(`/api/representation/${seen.id}/confirmation`, {})).status).toBe(204);
    const told = { birthDate: facts.birthDate, at: new Date() };
    await expect(telling().end(seen, { reason: 'unanswered', ...told })).rejects.toThrow('changed meanwhile');
    const question = { question: addDays(today, -40), day: today, timeZone: 'Europe/Amsterdam' };
    await expect(telling().askYearly(seen, { ...told, ...question })).resolves.toBe(addDays(today, 31));
    expect(await stored(seen)).toEqual({ status: 'active', reason: null });
  });

  it.each([
    ['Europe/Amsterdam', '2026-12-31'],
    ['America/New_York', '2026-12-30'],
  ])(
    'leaves 30 days for an answer from the day in the hospital (%s), which may not be that of UTC',
    async (timeZone, last) => {
      const asked = await acts(helper);
      const question = { question: '2026-11-29', day: '2026-11-29', timeZone };
      const told = { birthDate: facts.birthDate, at: new Date('2026-11-29T23:30:00Z') };
      await expect(telling().askYearly(asked, { ...told, ...question })).resolves.toBe(last);
    },
  );

  it('does not end one whose period its patient has just made longer', async () => {
    const today = dayIn(new Date(), 'Europe/Amsterdam');
    const seen = await acts({ ...helper, end: today });
    const renewed = await noah.send(`/api/representation/${seen.id}/period`, {
      method: 'PUT',
      body: { end: addDays(today, 90) },
    });
    expect(renewed.status).toBe(204);
    const end = telling().end(seen, { reason: 'period', birthDate: facts.birthDate, at: new Date() });
    await expect(end).rejects.toThrow('changed meanwhile');
    expect(await stored(seen)).toEqual({ status: 'active', reason: null });
  });
});

describe('Two answers at the same time', () => {
  const record = (id: string, agent: Agent, step: number) =>
    agent.post(`${path}/${id}/agreement`, { step, isAgreed: true, note: 'At the desk' });

  it('to two age steps are both kept', async () => {
    const table = [
      { from: 0, level: 'full' },
      { from: 12, level: 'full', agreement: true },
      { from: 16, level: 'full', agreement: true },
    ];
    const rules = portal.config.representation?.bases.carer as { ages: unknown };
    const before = rules.ages;
    rules.ages = table;
    try {
      const birthday = birthdayAfter(dayIn(new Date(), 'Europe/Amsterdam'), 20);
      portal.has('young', { birthDate: bornFor(16, birthday) });
      const seen = await acts({ basis: 'carer', relation: 'carer', patient: 'young' });
      const [one, other] = [() => record(seen.id, admin, 12), () => record(seen.id, second, 16)];
      const answers = await whileLocked(rowOf(seen), one, other);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect((await relationships().findById(seen.id))?.agreedSteps.toSorted()).toEqual([12, 16]);
    } finally {
      rules.ages = before;
    }
  });

  it('to the last day of a period are one answer and one refusal', async () => {
    const today = dayIn(new Date(), 'Europe/Amsterdam');
    const seen = await acts({ ...helper, end: addDays(today, 5) });
    const renew = (days: number) =>
      noah.send(`/api/representation/${seen.id}/period`, { method: 'PUT', body: { end: addDays(today, days) } });
    const answers = await whileLocked(
      rowOf(seen),
      () => renew(100),
      () => renew(200),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
  });

  it('about a proposal are one decision, also if one asks for more', async () => {
    const seen = await acts({ patient: 'leo', status: 'proposed' });
    const decide = (agent: Agent, decision: string) =>
      agent.post(`${path}/${seen.id}/decision`, { decision, note: 'Seen' });
    const [more, approve] = [() => decide(admin, 'more-needed'), () => decide(second, 'approve')];
    const answers = await whileLocked(rowOf(seen), more, approve);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('of an administrator who confirms and a patient who ends leave it suspended', async () => {
    const seen = await acts({ ...attorney, status: 'suspended', reason: 'deleted' });
    const confirm = () => admin.post(`${path}/${seen.id}/confirmation`, { note: 'The record is there' });
    const [ended, confirmed] = await whileLocked(rowOf(seen), () => endByPatient(seen), confirm);
    expect([ended?.status, confirmed?.status]).toEqual([204, 409]);
    expect(await stored(seen)).toEqual({ status: 'suspended', reason: 'patient-ended' });
  });
});

it('A confirmation of a suspension that has another cause by now is refused', async () => {
  const { id } = await acts({ ...attorney, status: 'suspended', reason: 'patient-ended' });
  const confirm = (reason: string) => admin.post(`${path}/${id}/confirmation`, { note: 'The record is there', reason });
  expect((await confirm('deleted')).status).toBe(409);
  expect((await admin.post(`${path}/${id}/confirmation`, { note: 'It is there' })).status).toBe(409);
  expect(await stored({ id })).toEqual({ status: 'suspended', reason: 'patient-ended' });
  expect((await confirm('patient-ended')).status).toBe(200);
});

it('A higher level for the relationship before its last change is refused, also if the level is the same', async () => {
  const { id, changedAt: seenChange } = await acts({ ...helper, level: 'basics' });
  const change = (seen: string, level: string, more: object = {}) =>
    noah.send(`/api/representation/${id}/level`, {
      method: 'PUT',
      body: { seen, level, currentPassword: family.noah.password, ...more },
    });
  expect((await change('basics', 'full')).status).toBe(204);
  expect((await change('full', 'basics')).status).toBe(204);
  expect((await change('basics', 'full', { seenChange })).status).toBe(409);
  const { level, changedAt } = (await relationships().findById(id)) ?? {};
  expect(level).toBe('basics');
  expect((await change('basics', 'full', { seenChange: changedAt })).status).toBe(204);
});

describe('A safeguarding end', () => {
  const reason = { reason: 'safeguarding', note: 'Reported by a nurse' };
  const endFor = async (id: string) => admin.post(`${path}/${id}/end`, reason);
  const isBlocked = async () => (await portal.query('SELECT FROM representation_block')).length > 0;

  it('keeps an approval of the same pair that began before it from becoming active', async () => {
    const live = await acts({ patient: 'leo' });
    const open = await acts({ patient: 'leo', status: 'proposed' });
    // The end has changed the relationship, and waits to store the block.
    const approve = () => second.post(`${path}/${open.id}/decision`, { decision: 'approve', note: 'Seen' });
    const lock = 'LOCK TABLE representation_block IN EXCLUSIVE MODE';
    const [ended, approved] = await whileLocked(lock, () => endFor(live.id), approve);
    expect([ended?.status, approved?.status]).toEqual([200, 409]);
    expect(await stored(open)).toEqual({ status: 'proposed', reason: null });
  });

  it.each([
    ['the representative', 'representative'],
    ['the calendar', 'period'],
  ] as const)('still blocks the pair if %s has ended the relationship a moment before', async (_, end) => {
    const live = await acts({ patient: 'leo' });
    if (end === 'representative') await ana.post(`/api/representation/${live.id}/end`, {});
    else await telling().end(live, { reason: end, birthDate: undefined, at: new Date() });
    const answer = await endFor(live.id);
    expect([answer.status, answer.json<RelationshipView>()]).toMatchObject([200, { status: 'ended', reason: end }]);
    expect(await isBlocked()).toBe(true);
    // The card, which the representative has seen, does not vanish.
    expect(await stored(live)).toEqual({ status: 'ended', reason: end });
  });

  it('is not repeated', async () => {
    const live = await acts({ patient: 'leo' });
    expect([(await endFor(live.id)).status, (await endFor(live.id)).status]).toEqual([200, 409]);
  });
});
