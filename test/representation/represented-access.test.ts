import { RepresentedAccess } from '../../src/representation/application/represented-access.js';
import { type NewRelationship, Relationships } from '../../src/representation/domain/relationships.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { sendFhir } from '../support/fhir/scripted-server.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { aNewRelationship } from '../support/representation/relationship.js';
import { until } from '../support/until.js';
import { people } from '../support/users/people.js';

const minute = 60_000;
const hour = 60 * minute;
const records = new Map<string, object>();
let server: Upstream;
let isFailing = false;
let portal: TestPortal;
let account: string;
let patients = 0;

beforeAll(async () => {
  server = await startUpstream(({ url = '' }, response) => {
    const record = records.get(url.split('/').at(-1) ?? '');
    if (isFailing) response.writeHead(500).end();
    else sendFhir(response, record ?? { resourceType: 'OperationOutcome', issue: [] }, record ? 200 : 404);
  });
  portal = await startPortal({
    nodes: 2,
    config: {
      users: [people.patient, people.practitioner],
      fhir: { baseUrl: server.url },
      locale: { timeZone: 'Europe/Amsterdam' },
      representation: {},
    },
  });
  account =
    (await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [people.patient.email]))[0]?.id ??
    '';
});

afterAll(async () => {
  await portal.close();
  server.close();
});

const relationships = () => portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
const access = (node = 0) => portal.apps[node]?.get(RepresentedAccess, { strict: false }) as RepresentedAccess;
const start = new Date('2026-05-10T10:00:00Z');
const later = (ms: number) => new Date(start.getTime() + ms);

const has = (id: string, patient: object) => records.set(id, { resourceType: 'Patient', id, ...patient });

async function anActive(members: Partial<NewRelationship> = {}, patient: object = {}) {
  patients += 1;
  const id = `child-${patients}`;
  has(id, { birthDate: '2020-05-10', ...patient });
  const stored = await relationships().add(aNewRelationship(account, { patient: id, ...members }));
  const decide = (at = start, node = 0) => access(node).forRequest({ account, tenant: undefined, patient: id, at });
  return { ...stored, decide, patientId: id };
}

describe('What an account may do for a patient', () => {
  it('is decided with the rules of the levels that must all permit', async () => {
    const { id, decide } = await anActive({ level: 'daily' }, { birthDate: '2012-01-01' });
    const decision = await decide();
    expect(decision).toMatchObject({ permitted: true, basis: 'parental-responsibility', relationship: id });
    expect(decision).toMatchObject({ levels: [{ id: 'daily' }, { id: 'basics', kinds: expect.any(Array) }] });
    expect((await decide()) as { levels?: object[] }).toMatchObject({
      levels: [{ without: { securityLabels: expect.arrayContaining(['PSY']) } }, {}],
    });
  });

  it('is nothing without a relationship', async () => {
    const nothing = { permitted: false, cause: 'none' };
    expect(await access().forRequest({ account, tenant: undefined, patient: 'stranger', at: start })).toEqual(nothing);
    const { patientId } = await anActive();
    const other = '00000000-0000-4000-8000-000000000000';
    expect(await access().forRequest({ account: other, tenant: undefined, patient: patientId, at: start })).toEqual(
      nothing,
    );
  });

  it('ends on each node within two seconds', async () => {
    const { id, decide } = await anActive();
    for (const node of [0, 1]) expect(await decide(start, node)).toMatchObject({ permitted: true });
    await relationships().change(id, ['active'], { status: 'ended', reason: 'patient' });
    expect(await decide()).toEqual({ permitted: false, cause: 'ended' });
    await until(async () => !(await decide(start, 1)).permitted, 2_000);
  });

  it('changes by a birth date at most five minutes later', async () => {
    const { patientId, decide } = await anActive();
    expect(await decide()).toMatchObject({ permitted: true, levels: [{ id: 'full' }] });
    has(patientId, { birthDate: '2012-01-01' });
    expect(await decide(later(4 * minute))).toMatchObject({ levels: [{ id: 'full' }] });
    expect(await decide(later(5 * minute))).toMatchObject({ levels: [{ id: 'full' }, { id: 'basics' }] });
  });

  it('changes at midnight of the hospital, without anything being read', async () => {
    const { decide } = await anActive({}, { birthDate: '2013-05-11' });
    expect(await decide(new Date('2026-05-10T21:59:59Z'))).toMatchObject({ levels: [{ id: 'full' }] });
    expect(await decide(new Date('2026-05-10T22:00:00Z'))).toMatchObject({
      levels: [{ id: 'full' }, { id: 'basics' }],
    });
  });

  it('continues for 24 hours of an outage with what was read last, on nodes that have read nothing as well', async () => {
    const { decide } = await anActive();
    expect(await decide()).toMatchObject({ permitted: true });
    isFailing = true;
    for (const node of [0, 1]) expect(await decide(later(24 * hour - minute), node)).toMatchObject({ permitted: true });
    for (const node of [0, 1])
      expect(await decide(later(24 * hour), node)).toEqual({ permitted: false, cause: 'record-unread' });
    const never = await anActive();
    expect(await never.decide()).toEqual({ permitted: false, cause: 'record-unread' });
    isFailing = false;
    expect(await decide(later(24 * hour + minute))).toMatchObject({ permitted: true });
  });

  it('is stored as ended at the age of the table, so that a corrected birth date does not revive it', async () => {
    const { id, patientId, decide } = await anActive({}, { birthDate: '2008-05-10' });
    expect(await decide()).toEqual({ permitted: false, cause: 'age' });
    await until(async () => (await relationships().findById(id))?.status === 'ended');
    has(patientId, { birthDate: '2018-05-10' });
    expect(await decide(later(6 * minute))).toEqual({ permitted: false, cause: 'ended' });
  });

  it('is suspended by a death that the record may take back', async () => {
    const { id, patientId, decide } = await anActive();
    has(patientId, { birthDate: '2020-05-10', deceasedBoolean: true });
    expect(await decide()).toEqual({ permitted: false, cause: 'deceased' });
    await until(async () => (await relationships().findById(id))?.reason === 'deceased');
    has(patientId, { birthDate: '2020-05-10' });
    expect(await decide(later(6 * minute))).toMatchObject({ permitted: true });
    await until(async () => (await relationships().findById(id))?.status === 'active');
  });

  it('counts from a decision without birth date only until the record has one', async () => {
    const { id, patientId, decide } = await anActive({ withoutBirthDate: true }, { birthDate: undefined });
    expect(await decide()).toMatchObject({ permitted: true, levels: [{ id: 'full' }] });
    has(patientId, { birthDate: '2012-01-01' });
    expect(await decide(later(6 * minute))).toMatchObject({ levels: [{ id: 'full' }, { id: 'basics' }] });
    await until(async () => (await relationships().findById(id))?.withoutBirthDate === false);
    has(patientId, {});
    expect(await decide(later(12 * minute))).toEqual({ permitted: false, cause: 'birth-date-missing' });
  });

  it('has one active relationship of a pair', async () => {
    const { patientId } = await anActive();
    const second = anActiveAgain(patientId);
    await expect(second).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('ends with the account of the representative', async () => {
    const where = 'FROM account WHERE email = $1';
    const [{ id = '' } = {}] = await portal.query<{ id: string }>(`SELECT id ${where}`, [people.practitioner.email]);
    const { id: relationship, patientId } = await anActive({ accountId: id });
    const request = { account: id, tenant: undefined, patient: patientId };
    expect(await access().forRequest({ ...request, at: start })).toMatchObject({ permitted: true });
    await portal.query(`DELETE ${where}`, [people.practitioner.email]);
    const left = await relationships().findById(relationship);
    expect(left).toMatchObject({ accountId: null, representativeName: 'Ana Duarte' });
    expect(left && (await access().decide(left, start))).toEqual({ permitted: false, cause: 'ended' });
  });
});

async function anActiveAgain(patient: string) {
  return relationships().add(aNewRelationship(account, { patient }));
}
