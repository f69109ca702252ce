import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnRelationship, OwnRelationships } from '../../src/contract/representation.js';
import { RepresentedAccess } from '../../src/representation/application/represented-access.js';
import { RelationshipSweeps } from '../../src/representation/application/upkeep/relationship-sweeps.js';
import { RelationshipTelling } from '../../src/representation/application/upkeep/relationship-telling.js';
import { dayIn } from '../../src/representation/domain/ages.js';
import { addDays } from '../../src/representation/domain/coming-steps.js';
import type { Relationship } from '../../src/representation/domain/relationship.js';
import { type NewRelationship, Relationships, renewalOf } from '../../src/representation/domain/relationships.js';
import type { Agent } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { birthdayAfter, bornFor } from '../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { aNewRelationship } from '../support/representation/relationship.js';
import { until } from '../support/until.js';

/** Noah is Patient/2 with an account; children have none. */
let portal: FamilyPortal;
let sink: MailSink;
let admin: Agent;
let noah: Agent;
let ana: string;
let children = 0;
const path = '/api/admin/representation';
const today = dayIn(new Date(), 'Europe/Amsterdam');

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({ nodes: 2, config: { email: sink.config } });
  [admin, noah, ana] = await Promise.all([
    portal.as(family.admin),
    portal.as(family.noah),
    portal.accountId(family.ana),
  ]);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

beforeEach(async () => {
  await portal.query('TRUNCATE representation_relationship, represented_patient CASCADE');
  await portal.query('DELETE FROM job');
  portal.has('2', { birthDate: '1948-01-01', name: [{ text: 'Noah Reed' }] });
});

const relationships = () => portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
/** Noon of a day, so that no time zone matters. */
const noon = (day: string) => new Date(`${day}T12:00:00Z`);
/** Both nodes look at the same time. */
const sweepOn = (day: string) =>
  Promise.all(portal.apps.map((app) => app.get(RelationshipSweeps, { strict: false }).sweep(noon(day))));

async function anActive(members: Partial<NewRelationship> = {}, patient: object = {}) {
  children += 1;
  const id = members.patient ?? `young-${children}`;
  if (id !== '2') portal.has(id, patient);
  const decidedAt = noon(addDays(today, -400));
  const { id: relationship } = await relationships().add(aNewRelationship(ana, { decidedAt, ...members, patient: id }));
  return relationship;
}

const stored = async (id: string) => {
  const { status, reason } = (await relationships().findById(id)) ?? {};
  return { status, reason };
};
const active = { status: 'active', reason: null };
const helper = { basis: 'voluntary', relation: 'helper', patient: '2' };
const card = async (agent: Agent, id: string, side: 'lookedAfter' | 'helpers' = 'helpers') =>
  (await agent.get('/api/representation'))
    .json<OwnRelationships>()
    [side].find((one) => one.id === id) as OwnRelationship;

const received = (address: string, words: string) =>
  sink.received.filter(({ to, mail }) => to.includes(address) && mail.subject?.includes(words)).length;

describe('An age step', () => {
  it('is told 30 days before and on its day, once by all nodes, to the representative of a child', async () => {
    const id = await anActive({ decidedAt: noon('2026-01-01') }, { birthDate: '2013-06-10' });
    const before = received(family.ana.email, 'will change');
    await sweepOn('2026-05-10');
    await sweepOn('2026-05-11');
    await sweepOn('2026-06-09');
    await until(() => received(family.ana.email, 'will change') === before + 1);
    await sweepOn('2026-06-10');
    await sweepOn('2026-06-11');
    await until(() => received(family.ana.email, 'Something changed') === 1);
    const told = await portal.query('SELECT step FROM representation_notice WHERE relationship_id = $1 ORDER BY 1', [
      id,
    ]);
    expect(told).toEqual([{ step: 'age:13:2026-06-10:now' }, { step: 'age:13:2026-06-10:soon' }]);
    expect(received(family.ana.email, 'will change')).toBe(before + 1);
  });

  it('that ends is stored without a request, and its apps lose access', async () => {
    const id = await anActive({ agreedSteps: [16] }, { birthDate: '2008-06-10' });
    await sweepOn('2026-06-09');
    expect(await stored(id)).toEqual(active);
    await sweepOn('2026-06-10');
    await until(async () => (await stored(id)).status === 'ended');
    expect(await stored(id)).toEqual({ status: 'ended', reason: 'age' });
  });
});

/** All mails that wait are sent. */
const quiet = async () => {
  await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'mail'")).length === 0);
  await sleep(300);
};

describe('The birthday that ends it', () => {
  const mails = () => received(family.ana.email, 'Something changed');

  it('is told once, by whichever node looks', async () => {
    await quiet();
    const before = mails();
    const id = await anActive({ agreedSteps: [16] }, { birthDate: '2008-06-10' });
    await sweepOn('2026-06-10');
    await sweepOn('2026-06-11');
    await until(() => mails() > before);
    await quiet();
    expect(mails()).toBe(before + 1);
    expect(await portal.query('SELECT FROM representation_notice WHERE relationship_id = $1', [id])).toEqual([]);
  });
});

describe('A database that was restored from an older backup', () => {
  const restored = async (day: string, detail: object) => {
    await portal.query('SELECT make_audit_partition($1::timestamptz)', [noon(day)]);
    await portal.query(
      "INSERT INTO audit_event (recorded_at, type, outcome, detail) VALUES ($1, 'backup.restored', 'success', $2)",
      [noon(day), JSON.stringify(detail)],
    );
  };
  /** Who turns 13 after these days. */
  const turns13In = (days: number) => ({ birthDate: bornFor(13, birthdayAfter(today, days)) });
  const setKnown = (known: Promise<undefined> | undefined) => {
    for (const app of portal.apps) Object.assign(app.get(RelationshipTelling, { strict: false }), { restored: known });
  };
  /** What nodes send that have started after the restore: of what will change, and of what has. */
  const told = async () => {
    setKnown(undefined);
    await quiet();
    const counts = () => [received(family.ana.email, 'will change'), received(family.ana.email, 'Something changed')];
    const before = counts();
    await sweepOn(addDays(today, 1));
    await sleep(300);
    await quiet();
    return counts().map((count, index) => count - (before[index] ?? 0));
  };

  // The audit record keeps that it was restored.
  afterAll(() => setKnown(Promise.resolve(undefined)));

  it('tells all if nothing was lost', async () => {
    await anActive({}, turns13In(20));
    await restored(today, { issued: 'kept' });
    expect(await told()).toEqual([1, 0]);
  });

  it('tells what was due after it, and what was decided after it', async () => {
    await anActive({}, turns13In(28));
    await restored(addDays(today, -5), { issued: {} });
    expect(await told()).toEqual([1, 0]);
    await anActive({ decidedAt: new Date() }, turns13In(10));
    expect(await told()).toEqual([1, 0]);
    await anActive({}, turns13In(10));
    expect(await told()).toEqual([0, 0]);
  });

  it('does not tell again what may have been told, a step, the end of a period and a birthday that ends it', async () => {
    const coming = await anActive({}, turns13In(20));
    const passed = await anActive({}, turns13In(-8));
    const over = await anActive({ end: addDays(today, -10) });
    const grown = await anActive({ agreedSteps: [16] }, { birthDate: `${Number(today.slice(0, 4)) - 19}-01-01` });
    expect(await told()).toEqual([0, 0]);
    const rows = await portal.query<{ id: string }>('SELECT relationship_id AS id FROM representation_notice');
    expect(rows).toEqual([{ id: coming }]);
    expect(await stored(passed)).toEqual(active);
    expect([(await stored(over)).reason, (await stored(grown)).reason]).toEqual(['period', 'age']);
  });
});

describe('A period', () => {
  it('ends after its last day, is told before, and is renewed by the patient in the 30 days before it', async () => {
    const end = addDays(today, 20);
    const id = await anActive({ ...helper, end });
    await sweepOn(today);
    await until(() => received(family.noah.email, 'will change') === 1);
    expect(await card(noah, id)).toMatchObject({ canRenew: true });
    const renew = (body: object) => noah.send(`/api/representation/${id}/period`, { method: 'PUT', body });
    expect((await renew({ end: addDays(today, 10) })).status).toBe(400);
    expect((await renew({ end: addDays(today, 100) })).status).toBe(204);
    expect((await renew({ end: addDays(today, 200) })).status).toBe(409);
    await sweepOn(addDays(end, 1));
    expect(await stored(id)).toEqual(active);
    await sweepOn(addDays(today, 101));
    await until(async () => (await stored(id)).status === 'ended');
    expect(await stored(id)).toEqual({ status: 'ended', reason: 'period' });
  });

  it('is stored as ended by the first request after it as well', async () => {
    const id = await anActive({ end: addDays(today, -1) });
    await portal.as(family.ana).then((agent) => agent.get('/api/launch-context'));
    await sweepOn(today);
    await until(async () => (await stored(id)).reason === 'period');
  });
});

describe('An agreement', () => {
  const step = { step: 16 };
  const agree = (id: string, method: 'PUT' | 'DELETE') =>
    noah.send(`/api/representation/${id}/agreement`, { method, body: step });

  it('is given from 30 days before its step on, and taken back at any time', async () => {
    const birthday = birthdayAfter(today, 31);
    portal.has('2', { birthDate: bornFor(16, birthday) });
    const early = await anActive({ patient: '2' });
    expect(await card(noah, early)).toMatchObject({ agreement: null });
    expect((await agree(early, 'PUT')).status).toBe(404);
    await portal.query('TRUNCATE representation_relationship, represented_patient CASCADE');
    const soon = addDays(today, 30);
    const id = await anActive({}, { birthDate: `${Number(soon.slice(0, 4)) - 16}${soon.slice(4)}` });
    const record = (form: object) => admin.post(`${path}/${id}/agreement`, { ...step, note: 'At the desk', ...form });
    expect((await record({ isAgreed: true })).json()).toMatchObject({ status: 'active' });
    expect((await record({ step: 13, isAgreed: true })).status).toBe(404);
    await sweepOn(soon);
    expect(await stored(id)).toEqual(active);
    expect((await record({ isAgreed: false })).status).toBe(200);
    await sweepOn(addDays(soon, 1));
    await until(async () => (await stored(id)).reason === 'agreement');
  });
});

describe('A relationship without end', () => {
  it('is asked for yearly: the patient says that it is still right', async () => {
    const id = await anActive(helper);
    await sweepOn(today);
    await until(() => received(family.noah.email, 'will change') >= 1);
    expect(await card(noah, id)).toMatchObject({ isAsked: true });
    const answer = () => noah.post(`/api/representation/${id}/confirmation`, {});
    expect((await answer()).status).toBe(204);
    expect(await card(noah, id)).toMatchObject({ isAsked: false });
    expect((await answer()).status).toBe(409);
    await sweepOn(addDays(today, 40));
    expect(await stored(id)).toEqual(active);
  });

  it('ends 30 days after a question that the patient does not answer', async () => {
    const id = await anActive(helper);
    await sweepOn(today);
    await sweepOn(addDays(today, 30));
    expect(await stored(id)).toEqual(active);
    await sweepOn(addDays(today, 31));
    expect(await stored(id)).toEqual({ status: 'ended', reason: 'unanswered' });
  });

  it('is asked for each year: two answers keep it, and the third question ends it', async () => {
    const id = await anActive(helper);
    const asked = "SELECT FROM representation_notice WHERE relationship_id = $1 AND step LIKE 'yearly:%'";
    const questions = async () => (await portal.query(asked, [id])).length;
    const answerOn = async (day: string) => {
      const current = await relationships().findById(id);
      await relationships().change(id, ['active'], renewalOf(current as Relationship, noon(day)));
    };
    await sweepOn(today);
    for (const [number, answered] of [10, 380].entries()) {
      expect(await questions()).toBe(number + 1);
      await answerOn(addDays(today, answered));
      for (const days of [31, 360]) await sweepOn(addDays(today, answered + days));
      expect([await questions(), await stored(id)]).toEqual([number + 1, active]);
      await sweepOn(addDays(today, answered + 366));
    }
    expect(await questions()).toBe(3);
    await sweepOn(addDays(today, 380 + 366 + 30));
    expect(await stored(id)).toEqual(active);
    await sweepOn(addDays(today, 380 + 366 + 31));
    expect(await stored(id)).toEqual({ status: 'ended', reason: 'unanswered' });
  });

  it('of another basis is a question to administrators, and suspended without their answer', async () => {
    portal.has('old', { birthDate: '1944-01-01' });
    const id = await anActive({ basis: 'power-of-attorney', relation: 'attorney', patient: 'old' });
    await sweepOn(today);
    const asked = await portal.query('SELECT kind FROM request WHERE relationship_id = $1', [id]);
    expect(asked).toEqual([{ kind: 'still-right' }]);
    await sweepOn(addDays(today, 31));
    expect(await stored(id)).toEqual({ status: 'suspended', reason: 'unanswered' });
  });
});

describe('A death in the record', () => {
  it('ends after 30 days, unless it is taken back', async () => {
    const [first, second] = [await anActive(), await anActive()];
    const ids = (await portal.query<{ patient: string }>('SELECT patient FROM representation_relationship')).map(
      ({ patient }) => patient,
    );
    for (const id of ids) portal.has(id, { deceasedBoolean: true });
    await sweepOn(today);
    await until(
      async () => (await stored(first)).reason === 'deceased' && (await stored(second)).reason === 'deceased',
    );
    const back = (await relationships().findById(second))?.patient ?? '';
    await sweepOn(addDays(today, 20));
    portal.has(back);
    await sweepOn(addDays(today, 31));
    await sweepOn(addDays(today, 32));
    await until(async () => (await stored(first)).status === 'ended');
    expect(await stored(first)).toEqual({ status: 'ended', reason: 'deceased' });
    await until(async () => (await stored(second)).status === 'active');
  });
});

describe('The account of a representative', () => {
  it('that is deleted ends its relationships, and the patient is told', async () => {
    const { accountId } = (
      await admin.post(path, {
        ...{ email: `left-${Date.now()}@example.org`, fullName: 'Rosa Lind', patient: '2' },
        ...{ basis: 'voluntary', level: 'full', relation: 'helper' },
      })
    ).json<{ accountId: string }>();
    const [row] = await portal.query<{ id: string }>(
      'SELECT id FROM representation_relationship WHERE account_id = $1',
      [accountId],
    );
    const id = row?.id ?? '';
    await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'ok' });
    const before = received(family.noah.email, 'Something changed');
    expect((await admin.send(`/api/admin/user/${accountId}`, { method: 'DELETE' })).status).toBeLessThan(300);
    await sweepOn(today);
    expect(await stored(id)).toEqual({ status: 'ended', reason: 'representative-gone' });
    await until(() => received(family.noah.email, 'Something changed') === before + 1);
  });
});

describe('A corrected birth date', () => {
  it('that takes away is told to both sides once, and one that gives is not', async () => {
    const years = (age: number) => ({ birthDate: `${Number(today.slice(0, 4)) - age}-01-01` });
    portal.has('2', years(12));
    const id = await anActive({ patient: '2' });
    await sweepOn(addDays(today, 401));
    const counts = () => [family.ana.email, family.noah.email].map((to) => received(to, 'Something changed'));
    const before = counts();
    const reads = [years(8), years(14), years(14), years(8)];
    for (const [index, patient] of reads.entries()) {
      portal.has('2', patient);
      // A request of the representative, or a look, reads the record.
      await portal.query('UPDATE representation_relationship SET due_at = NULL');
      await sweepOn(addDays(today, 402 + index));
    }
    const told = await portal.query(
      "SELECT step FROM representation_notice WHERE relationship_id = $1 AND step LIKE 'correction%'",
      [id],
    );
    expect(told).toEqual([{ step: `correction:${years(14).birthDate}` }]);
    await until(() => counts().every((count, index) => count > (before[index] ?? 0)));
  });
});

describe('A birth date that is corrected', () => {
  const years = (age: number) => `${Number(today.slice(0, 4)) - age}-01-01`;
  const mayAct = async (patient: string) => {
    const access = portal.apps[0]?.get(RepresentedAccess, { strict: false }) as RepresentedAccess;
    const account = await portal.accountId(family.ana);
    // Read again after five minutes.
    minutes += 6;
    const at = new Date(Date.now() + minutes * 60_000);
    const decision = await access.forRequest({ account, tenant: undefined, patient, at });
    return decision.permitted ? decision.levels.map(({ id }) => id).join('+') : decision.cause;
  };
  let minutes = 0;

  it.each([
    ['an earlier year', { birthDate: years(14) }, 'full+basics', 'full'],
    ['a later year', { birthDate: years(2) }, 'full', 'full'],
    ['none', { birthDate: undefined }, 'birth-date-missing', 'full'],
    ['a text that is no date', { birthDate: 'May 2014' }, 'birth-date-missing', 'full'],
    ['a day in the future', { birthDate: '2999-01-01' }, 'birth-date-missing', 'full'],
    ['a death as well', { birthDate: years(10), deceasedBoolean: true }, 'deceased', 'full'],
    // An end stays: only administrators begin again.
    ['a year that ends it', { birthDate: years(19) }, 'age', 'ended'],
  ])('to %s counts within five minutes, and so does its correction', async (_, patient, decided, corrected) => {
    const id = `corrected-${minutes}`;
    const relationship = await anActive({ patient: id }, { birthDate: years(10) });
    expect(await mayAct(id)).toBe('full');
    portal.has(id, patient);
    expect(await mayAct(id)).toBe(decided);
    if (decided === 'age') await until(async () => (await stored(relationship)).status === 'ended');
    if (decided === 'deceased') await until(async () => (await stored(relationship)).reason === 'deceased');
    portal.has(id, { birthDate: years(10) });
    expect(await mayAct(id)).toBe(corrected);
  });
});
