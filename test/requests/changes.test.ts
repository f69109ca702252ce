import type { OwnRelationships } from '../../src/contract/representation.js';
import type { OwnRequest } from '../../src/contract/requests.js';
import { dayIn } from '../../src/representation/domain/ages.js';
import { Relationships } from '../../src/representation/domain/relationships.js';
import type { Agent } from '../support/http/agent.js';
import { type RequestPortal, review, startRequestPortal } from '../support/representation/asked.js';
import { birthdayAfter, bornFor } from '../support/representation/birthdays.js';
import { family } from '../support/representation/family-portal.js';
import { aNewRelationship } from '../support/representation/relationship.js';

/** Ana acts for children, whose age table is that of parents, and helps Noah, who is Patient/2. */
let portal: RequestPortal;
let admin: Agent;
let second: Agent;
let ana: Agent;
let noah: Agent;
let children = 0;

beforeAll(async () => {
  portal = await startRequestPortal();
  ({ admin, second, ana, noah } = portal.agents);
});

afterAll(() => portal.close());

beforeEach(async () => {
  await portal.forget();
  await portal.query('TRUNCATE representation_relationship CASCADE');
});

/** A day so many days from now, of a year in the past. */
const birthday = (age: number, days = 0) => bornFor(age, birthdayAfter(dayIn(new Date(), 'Europe/Amsterdam'), days));

async function anaActsFor(patient: object, members: object = {}): Promise<string> {
  children += 1;
  const id = `young-${children}`;
  portal.has(id, patient);
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const account = await portal.accountId(family.ana);
  return (await relationships.add(aNewRelationship(account, { patient: id, decidedAt: new Date(), ...members }))).id;
}

async function asked(relationship: string, more: object = {}, by = ana): Promise<OwnRequest> {
  const answer = await by.post('/api/requests/change', { relationship, statement: 'Insulin', ...more });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json<OwnRequest>();
}

async function decide(by: Agent, id: string, more: object = {}) {
  const { version } = await review(by, id);
  return by.post(`/api/admin/requests/${id}/decision`, {
    ...{ decision: 'approve', note: 'Diabetes nurse called', version, level: 'full', ...more },
  });
}

const levelOf = async (id: string) =>
  (await ana.get('/api/representation')).json<OwnRelationships>().lookedAfter.find((one) => one.id === id)?.level.id;
const aboveTable = async (id: string) =>
  (await admin.get(`/api/admin/representation/${id}`)).json<{ aboveTable: object | null }>().aboveTable;

describe('A request to change what a representative may see', () => {
  it('shows what it is now, and what may be approved', async () => {
    const { id } = await asked(await anaActsFor({ birthDate: birthday(14) }));
    expect(await review(admin, id)).toMatchObject({
      ...{ kind: 'change', statement: 'Insulin', comparison: null, choices: null },
      change: {
        ...{ basis: 'Parental responsibility', step: null, isPossible: true },
        level: { id: 'basics' },
        levels: [
          { id: 'full', isAbove: true },
          { id: 'daily', isAbove: true },
          { id: 'basics', isAbove: false },
        ],
      },
    });
  });

  it('is approved by one administrator within the age table', async () => {
    const relationship = await anaActsFor({}, { level: 'basics' });
    const { id } = await asked(relationship);
    expect((await decide(admin, id, { level: 'daily' })).json()).toMatchObject({ status: 'approved' });
    expect(await levelOf(relationship)).toBe('daily');
    expect(await aboveTable(relationship)).toBeNull();
  });

  it('is approved above the table by two, for the present step and until its date', async () => {
    const relationship = await anaActsFor({ birthDate: birthday(14) });
    const { id } = await asked(relationship);
    const terms = { level: 'daily', exceedsTable: true, end: birthday(-1) };
    expect((await decide(admin, id, terms)).json()).toMatchObject({ status: 'waiting', awaitsSecond: true });
    expect((await decide(admin, id, terms)).status).toBe(409);
    expect(await levelOf(relationship)).toBe('basics');
    expect((await decide(second, id, terms)).json()).toMatchObject({ status: 'approved' });
    expect(await levelOf(relationship)).toBe('daily');
    expect(await aboveTable(relationship)).toEqual({ step: 13, until: terms.end });
  });

  it('about a step that comes changes nothing before it, and counts for that step alone', async () => {
    const relationship = await anaActsFor({ birthDate: birthday(13, 20) });
    const { id } = await asked(relationship, { step: 13 });
    expect((await review(admin, id)).change).toMatchObject({
      step: { age: 13, on: birthday(0, 20) },
      levels: [{ id: 'full', isAbove: true }, { id: 'daily', isAbove: true }, { id: 'basics' }],
    });
    const terms = { level: 'daily', exceedsTable: true };
    await decide(admin, id, terms);
    expect((await decide(second, id, terms)).json()).toMatchObject({ status: 'approved' });
    expect(await levelOf(relationship)).toBe('full');
    expect(await aboveTable(relationship)).toEqual({ step: 13, until: null, level: 'daily' });
  });

  it('is refused where the age table ends it, without a level, and with a day in the past', async () => {
    const { id } = await asked(await anaActsFor({ birthDate: birthday(18, 20) }, { agreedSteps: [16] }), { step: 18 });
    expect((await review(admin, id)).change).toMatchObject({ isPossible: false });
    expect((await decide(admin, id)).json()).toMatchObject({ errors: [{ field: 'level' }] });
    const other = await asked(await anaActsFor({ birthDate: birthday(14) }));
    expect((await decide(admin, other.id, { level: undefined })).json()).toMatchObject({
      errors: [{ field: 'level' }],
    });
    expect((await decide(admin, other.id, { level: 'everything' })).status).toBe(400);
    const past = { exceedsTable: true, end: '2020-01-01' };
    expect((await decide(admin, other.id, past)).json()).toMatchObject({ errors: [{ field: 'end' }] });
  });

  it('is closed as declined with the reason, and the relationship stays as it was', async () => {
    const relationship = await anaActsFor({}, { level: 'basics' });
    const { id } = await asked(relationship);
    expect((await decide(admin, id, { decision: 'decline', note: 'No reason' })).status).toBe(200);
    expect((await ana.get(`/api/requests/${id}`)).json()).toMatchObject({ status: 'declined', note: 'No reason' });
    expect(await levelOf(relationship)).toBe('basics');
  });

  it('of a patient names the patient, and is not taken for one about who asks', async () => {
    const relationship = await anaActsFor({}, { patient: '2', basis: 'power-of-attorney', relation: 'attorney' });
    const { id } = await asked(relationship, {}, noah);
    expect(await review(admin, id)).toMatchObject({ askerName: 'Noah Reed', patientName: 'Noah Reed' });
  });

  it('is not taken about a relationship that has ended, or is of others', async () => {
    const relationship = await anaActsFor({});
    const send = (by: Agent) => by.post('/api/requests/change', { relationship, statement: 'Insulin' });
    expect((await send(noah)).status).toBe(404);
    await ana.post(`/api/representation/${relationship}/end`, {});
    expect((await send(ana)).status).toBe(404);
  });
});
