import pg from 'pg';
import type { OwnRelationships, RelationshipView } from '../../src/contract/representation.js';
import type { Config } from '../../src/platform/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import { OlderNodes } from '../../src/representation/infrastructure/older-nodes.js';
import { Agent } from '../support/http/agent.js';
import { startPortal } from '../support/portal/portal.js';
import { thisYear } from '../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { login } from '../support/users/authenticator.js';

let portal: FamilyPortal;
let admin: Agent;
let second: Agent;
let ana: Agent;
let noah: Agent;
let children = 0;

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2 });
  [admin, second, ana, noah] = await Promise.all([
    portal.as(family.admin),
    portal.as(family.secondAdmin, 1),
    portal.as(family.ana),
    portal.as(family.noah, 1),
  ]);
});

afterAll(() => portal.close());

const path = '/api/admin/representation';

function aChild(patient: object = {}): string {
  children += 1;
  portal.has(`child-${children}`, patient);
  return `child-${children}`;
}

const propose = (patient: string, more: object = {}) =>
  admin.post(path, {
    email: family.ana.email,
    patient,
    basis: 'parental-responsibility',
    level: 'full',
    relation: 'mother',
    ...more,
  });
const decide = (by: Agent, id: string, more: object = {}) =>
  by.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Birth certificate', ...more });

async function anActive(patient = aChild(), more: object = {}): Promise<RelationshipView> {
  const { id } = (await propose(patient, more)).json<{ id: string }>();
  const answer = await decide(admin, id);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json<RelationshipView>();
}

const own = async (agent: Agent) => (await agent.get('/api/representation')).json<OwnRelationships>();

describe('The card of a relationship', () => {
  it('names the level that the next age brings as the configuration does', async () => {
    const { id } = await anActive(aChild({ birthDate: '2020-05-10' }));
    const card = (await own(ana)).lookedAfter.find((one) => one.id === id);
    expect(card?.level).toMatchObject({ id: 'full', label: 'Full', kinds: null });
    expect(card).toMatchObject({ birthDate: '2020-05-10', since: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) });
    expect(card?.next).toEqual({ on: '2033-05-10', level: 'Limited: the basics', ends: false, needsAgreement: false });
  });

  it('passes over an age that takes nothing away, and names the next one that does', async () => {
    const born = `${thisYear() - 14}-01-01`;
    const { id } = await anActive(aChild({ birthDate: born }), { level: 'basics' });
    const nextOf = async () => (await own(ana)).lookedAfter.find((one) => one.id === id)?.next;
    const on = `${Number(born.slice(0, 4)) + 16}-01-01`;
    expect(await nextOf()).toEqual({ on, level: null, ends: false, needsAgreement: true });
    const adult = await anActive(aChild({ birthDate: born }), {
      basis: 'court-appointed',
      relation: 'guardian',
      level: 'basics',
    });
    expect((await own(ana)).lookedAfter.find((one) => one.id === adult.id)?.next).toBeNull();
  });
});

describe('Administrators', () => {
  it('propose, approve and list who acts for a patient', async () => {
    const patient = aChild();
    const proposed = (await propose(patient)).json<RelationshipView>();
    expect(proposed).toMatchObject({ status: 'proposed', patient, representativeName: 'Ana Duarte', tenant: null });
    expect(await own(ana)).toMatchObject({
      lookedAfter: expect.arrayContaining([expect.objectContaining({ status: 'proposed' })]),
    });
    expect((await decide(admin, proposed.id)).json()).toMatchObject({ status: 'active', note: 'Birth certificate' });
    const listed = await admin.get(`${path}?status=active&patient=${patient}&searchTerm=duarte`);
    expect(listed.json()).toMatchObject({ totalCount: 1, relationships: [{ id: proposed.id, status: 'active' }] });
    expect((await admin.get(`${path}/${proposed.id}`)).json()).toMatchObject({ id: proposed.id });
  });

  it.each([
    ['email', { email: family.admin.email }],
    ['patient', { patient: 'unknown' }],
    ['patient', { patient: '1' }],
    ['basis', { basis: 'friendship' }],
    ['level', { level: 'everything' }],
    ['relation', { relation: 'aunt' }],
    ['tenant', { tenant: 'north' }],
    ['end', { end: '2020-01-01' }],
    ['end', { start: '2030-01-02', end: '2030-01-01' }],
    ['fullName', { email: 'new@example.org' }],
  ])('are told what is wrong with %s', async (field, more) => {
    const answer = await propose(aChild(), more);
    expect([answer.status, answer.json<{ codes: { field: string }[] }>().codes[0]?.field]).toEqual([400, field]);
  });

  it('are refused a second relationship of a pair, also twenty at the same time', async () => {
    const patient = aChild();
    const answers = await Promise.all(Array.from({ length: 20 }, () => propose(patient)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    const { id = '' } = answers.find(({ status }) => status === 201)?.json<{ id: string }>() ?? {};
    await decide(admin, id);
    expect((await propose(patient)).status).toBe(409);
  });

  it('decide once, of two at the same time on two nodes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await propose(aChild())).json<{ id: string }>();
      const answers = await Promise.all([decide(admin, id), decide(second, id, { decision: 'decline' })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  it('need a second one for a level above the age table, which is neither themselves nor a side', async () => {
    const { id } = (await propose(aChild({ birthDate: '2012-01-01' }))).json<{ id: string }>();
    const first = (await decide(admin, id, { exceedsTable: true })).json<RelationshipView>();
    expect(first).toMatchObject({ status: 'proposed', awaitsSecond: true });
    expect((await decide(admin, id, { exceedsTable: true })).status).toBe(409);
    const approved = (await decide(second, id, { exceedsTable: true })).json<RelationshipView>();
    expect(approved).toMatchObject({ status: 'active', aboveTable: { step: 13, until: null } });
  });

  it('do not decide about a patient or representative of their own name', async () => {
    const { id } = (await propose(aChild({ name: [{ text: 'Ada Admin' }] }))).json<{ id: string }>();
    expect((await decide(admin, id)).status).toBe(403);
    expect((await decide(second, id)).status).toBe(200);
  });

  it('decide about a record without a birth date, and never past the end of the table', async () => {
    const { id } = (await propose(aChild({ birthDate: undefined }))).json<{ id: string }>();
    expect((await decide(admin, id)).status).toBe(400);
    expect((await decide(admin, id, { withoutBirthDate: true })).json()).toMatchObject({ withoutBirthDate: true });
    const adult = (await propose(aChild({ birthDate: '2000-01-01' }))).json<{ id: string }>();
    expect((await decide(admin, adult.id)).status).toBe(400);
  });

  it('invite who only acts for others, with an account of its own type', async () => {
    const answer = await propose(aChild(), { email: 'rosa@example.org', fullName: 'Rosa Lind' });
    expect(answer.json()).toMatchObject({ representativeName: 'Rosa Lind' });
    const { accountId } = answer.json<{ accountId: string }>();
    const user = (await admin.get(`/api/admin/user/${accountId}`)).json<object>();
    expect(user).toMatchObject({ userType: 'RelatedPerson', claims: [] });
    const change = { fullName: 'Rosa L.', userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/2' }] };
    const changed = await admin.send(`/api/admin/user/${accountId}`, { method: 'PUT', body: change });
    expect(changed.json()).toMatchObject({ fullName: 'Rosa L.', userType: 'RelatedPerson', claims: [] });
    const form = { ...change, email: 'other@example.org', userType: 'RelatedPerson' };
    expect((await admin.post('/api/admin/user', form)).status).toBe(400);
  });

  it('end for safeguarding without a trace for the representative, and block the pair until two lift it', async () => {
    const patient = aChild();
    const { id } = await anActive(patient);
    await admin.post(`${path}/${id}/end`, { reason: 'safeguarding', note: 'Police' });
    expect((await own(ana)).lookedAfter.filter((one) => one.id === id)).toEqual([]);
    expect((await ana.post(`/api/representation/${id}/end`, {})).status).toBe(404);
    const again = (await propose(patient)).json<{ id: string }>();
    expect((await decide(admin, again.id)).status).toBe(409);
    const lift = (by: Agent) => by.post(`${path}/${id}/block/lift`, {});
    expect((await lift(admin)).json()).toEqual({ state: 'asked' });
    expect((await lift(admin)).json()).toEqual({ state: 'asked' });
    expect((await decide(admin, again.id)).status).toBe(409);
    expect((await lift(second)).json()).toEqual({ state: 'lifted' });
    expect((await decide(admin, again.id)).status).toBe(200);
  });
});

describe('Family and carers', () => {
  it('has both sides, each with the word of its relation', async () => {
    const { id } = await anActive('2', { basis: 'voluntary', relation: 'daughter' });
    expect((await own(ana)).lookedAfter).toContainEqual(
      expect.objectContaining({
        id,
        name: 'Noah Reed',
        relation: 'parent',
        patient: '2',
        canEnd: true,
        status: 'active',
      }),
    );
    expect((await own(noah)).helpers).toEqual([
      expect.objectContaining({ id, name: 'Ana Duarte', relation: 'daughter', patient: null, canEnd: true }),
    ]);
    expect((await noah.post(`/api/representation/${id}/end`, {})).status).toBe(204);
    expect((await own(ana)).lookedAfter.find((one) => one.id === id)).toMatchObject({
      name: 'Noah',
      status: 'ended',
      reason: 'patient',
      patient: null,
    });
  });

  it('says what the age table brings next', async () => {
    const { id } = await anActive(aChild({ birthDate: '2020-05-10' }));
    const { next } = (await own(ana)).lookedAfter.find((one) => one.id === id) ?? {};
    expect(next).toEqual({ on: '2033-05-10', level: 'Limited: the basics', ends: false, needsAgreement: false });
  });

  it('is ended once, by the representative or the patient at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await anActive('2', { basis: 'voluntary', relation: 'helper' });
      const ends = [ana, noah, ana, noah].map((agent) => agent.post(`/api/representation/${id}/end`, {}));
      expect((await Promise.all(ends)).map(({ status }) => status).sort()).toEqual([204, 409, 409, 409]);
    }
  });

  it('suspends a power of attorney that the patient ends, until administrators decide', async () => {
    const { id } = await anActive('2', { basis: 'power-of-attorney', relation: 'attorney' });
    expect((await noah.post(`/api/representation/${id}/end`, {})).status).toBe(204);
    expect((await admin.get(`${path}/${id}`)).json()).toMatchObject({ status: 'suspended', reason: 'patient-ended' });
    expect(
      (await admin.post(`${path}/${id}/confirmation`, { note: 'Called back', reason: 'patient-ended' })).json(),
    ).toMatchObject({
      status: 'active',
      reason: null,
    });
    await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Wish of the patient' });
  });

  it('tells a stranger nothing', async () => {
    const { id } = await anActive();
    expect((await noah.post(`/api/representation/${id}/end`, {})).status).toBe(404);
    expect((await noah.post('/api/representation/unknown/end', {})).status).toBe(404);
    expect((await own(noah)).lookedAfter).toEqual([]);
  });
});

describe('Nodes of the release before', () => {
  it('cannot start once there is a relationship', async () => {
    const needed = await portal.query('SELECT needs FROM contraction');
    expect(needed).toEqual([{ needs: 'Representation1763700000121' }]);
  });

  it('keep a node from starting with representation', async () => {
    const older = new pg.Client({ ...portal.connection, application_name: 'gatehouse notifications 0.2.0' });
    await older.connect();
    const database = portal.apps[0]?.get(Database, { strict: false }) as Database;
    const start = (config: object) => new OlderNodes(database, config as Config).onApplicationBootstrap();
    await expect(start(portal.config)).rejects.toThrow('nodes of release 0.2.0 are connected');
    await start({ ...portal.config, representation: undefined });
    await older.end();
  });
});

describe('Without representation', () => {
  it('nothing is at its addresses for who could call them', async () => {
    const plain = await startPortal({ config: { users: [family.admin, family.ana] } });
    for (const [person, address] of [
      [family.admin, path],
      [family.ana, '/api/representation'],
    ] as const) {
      const agent = new Agent(plain.issuer);
      await login(agent, person);
      expect((await agent.get(address)).json()).toEqual((await agent.get('/api/nothing')).json());
    }
    await plain.close();
  });
});
