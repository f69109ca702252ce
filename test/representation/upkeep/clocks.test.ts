/** Clocks of nodes that are wrong: what the day decides is refused or shown for that time, and nothing of it stays. */
import { mock } from 'node:test';
import { RepresentedAccess } from '../../../src/representation/application/represented-access.js';
import { RelationshipSweeps } from '../../../src/representation/application/upkeep/relationship-sweeps.js';
import { RelationshipUpkeep } from '../../../src/representation/application/upkeep/relationship-upkeep.js';
import { dayIn } from '../../../src/representation/domain/ages.js';
import { addDays } from '../../../src/representation/domain/coming-steps.js';
import { type NewRelationship, Relationships } from '../../../src/representation/domain/relationships.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const today = dayIn(new Date(), 'Europe/Amsterdam');
let portal: FamilyPortal;
let ana: string;

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2 });
  ana = await portal.accountId(family.ana);
});

afterAll(() => portal.close());

beforeEach(() => portal.query('TRUNCATE representation_relationship, represented_patient CASCADE'));
afterEach(() => mock.timers.reset());

const part = <Part>(token: abstract new (...all: never[]) => Part, node = 0) =>
  portal.apps[node]?.get(token as never, { strict: false }) as Part;
const shiftClock = (ms: number) => mock.timers.enable({ apis: ['Date'], now: Date.now() + ms });
const restoreClock = () => mock.timers.reset();
const born = (birthday: string, age: number) => ({
  birthDate: `${Number(birthday.slice(0, 4)) - age}${birthday.slice(4)}`,
});

/** Relationships that end on the next day, and one whose record is gone. */
const endings: [string, Partial<NewRelationship>, object | undefined, string][] = [
  ['its period', { end: today }, {}, 'over'],
  ['the table of ages', { agreedSteps: [16] }, born(addDays(today, 1), 18), 'age'],
  ['the missing agreement', {}, born(addDays(today, 1), 16), 'agreement'],
];

async function look(patient: string, node = 0): Promise<unknown> {
  const at = new Date();
  const decision = await part(RepresentedAccess, node).forRequest({ account: ana, tenant: undefined, patient, at });
  const [row] = await portal.query<{ id: string }>('SELECT id FROM representation_relationship');
  await part(RelationshipUpkeep, node).isStored({ id: row?.id } as never);
  await part(RelationshipSweeps, node).sweep(new Date());
  return decision.permitted ? 'permitted' : decision.cause;
}
const stored = () =>
  portal.query<object>('SELECT status, reason FROM representation_relationship').then((rows) => rows[0]);

describe.each(endings)('An end by %s', (_, members, record, cause) => {
  const patient = `shifted-${cause}`;

  it('is not stored by a node whose clock is a day ahead, and the access is back with the clock', async () => {
    portal.has(patient, record);
    await part(Relationships).add(aNewRelationship(ana, { ...members, patient }));
    expect(await look(patient)).toBe('permitted');
    shiftClock(day);
    expect(await look(patient)).toBe(cause);
    expect(await stored()).toEqual({ status: 'active', reason: null });
    restoreClock();
    expect(await look(patient)).toBe('permitted');
    expect(await stored()).toEqual({ status: 'active', reason: null });
  });
});

it.each([day, -day])('A record that is gone suspends nothing by a clock that jumps by %i ms', async (jump) => {
  portal.has('vanishes');
  await part(Relationships).add(aNewRelationship(ana, { patient: 'vanishes' }));
  portal.records.delete('vanishes');
  expect(await look('vanishes')).toBe('record-gone');
  shiftClock(jump);
  expect(await look('vanishes')).toBe('record-gone');
  expect(await stored()).toEqual({ status: 'active', reason: null });
});

it('A record that was read while the clock was ahead is read again when it is right', async () => {
  portal.has('young', born(today, 5));
  await part(Relationships).add(aNewRelationship(ana, { patient: 'young' }));
  shiftClock(day);
  expect(await look('young')).toBe('permitted');
  portal.has('young', { deceasedBoolean: true });
  restoreClock();
  expect(await look('young')).toBe('deceased');
});

it('A node whose clock is five minutes ahead leaves relationships that are due to the others', async () => {
  portal.has('dies');
  await part(Relationships).add(aNewRelationship(ana, { patient: 'dies' }));
  portal.has('dies', { deceasedBoolean: true });
  shiftClock(5 * minute);
  await part(RelationshipSweeps).sweep(new Date());
  expect(await stored()).toEqual({ status: 'active', reason: null });
  restoreClock();
  await part(RelationshipSweeps, 1).sweep(new Date());
  expect(await stored()).toEqual({ status: 'suspended', reason: 'deceased' });
});

it('A clock that is set back a day does not tell or look again', async () => {
  portal.has('teen', born(addDays(today, 20), 13));
  await part(Relationships).add(aNewRelationship(ana, { patient: 'teen' }));
  const told = () => portal.query('SELECT step, told_at FROM representation_notice ORDER BY step');
  await part(RelationshipSweeps).sweep(new Date());
  const before = await told();
  expect(before).toHaveLength(1);
  shiftClock(-day);
  await portal.query('UPDATE representation_relationship SET due_at = NULL');
  await part(RelationshipSweeps).sweep(new Date());
  restoreClock();
  await part(RelationshipSweeps).sweep(new Date());
  expect(await told()).toEqual(before);
});
