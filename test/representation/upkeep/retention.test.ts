/** How long is kept what tells who acted for whom. */
import { randomUUID } from 'node:crypto';
import { InvitationAnswers } from '../../../src/invitations/application/invitation-answers.js';
import { RelationshipSweeps } from '../../../src/representation/application/upkeep/relationship-sweeps.js';
import { type NewRelationship, Relationships } from '../../../src/representation/domain/relationships.js';
import { RequestFileStore } from '../../../src/requests/application/request-file-store.js';
import type { Agent } from '../../support/http/agent.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';

let portal: FamilyPortal;
let admin: Agent;
let ana: string;
const now = new Date();
const day = 24 * 3_600_000;
const daysAgo = (days: number) => new Date(now.getTime() - days * day);
const year = 365.25;

beforeAll(async () => {
  portal = await startFamilyPortal();
  [admin, ana] = await Promise.all([portal.as(family.admin), portal.accountId(family.ana)]);
});

afterAll(() => portal.close());

const service = <T>(type: abstract new (...parts: never[]) => T) => portal.apps[0]?.get(type, { strict: false }) as T;
const removeOld = (at = now) => service(RelationshipSweeps).removeOld(at);
let count = 0;

async function stored(more: Partial<NewRelationship>, changed: Date): Promise<string> {
  count += 1;
  const patient = more.patient ?? `kept-${count}`;
  const { id } = await service(Relationships).add(aNewRelationship(ana, { ...more, patient }));
  await portal.query('UPDATE representation_relationship SET changed_at = $2 WHERE id = $1', [id, changed]);
  return id;
}

const isThere = async (id: string) =>
  (await portal.query('SELECT FROM representation_relationship WHERE id = $1', [id])).length === 1;

describe('A relationship', () => {
  it.each([
    ['that ended ten years ago', { status: 'ended', reason: 'period', endedAt: daysAgo(10 * year + 2) }, false],
    ['that ended a little later', { status: 'ended', reason: 'period', endedAt: daysAgo(10 * year - 3) }, true],
    ['that is active', { status: 'active' }, true],
    ['that is suspended', { status: 'suspended', reason: 'deleted' }, true],
    ['that still waits', { status: 'proposed' }, true],
  ] as const)('%s: %j', async (_, more, kept) => {
    const id = await stored(more, daysAgo(11 * year));
    await removeOld();
    expect(await isThere(id)).toBe(kept);
  });

  it.each(['declined', 'cancelled', 'expired'] as const)('that was %s is kept for a year', async (status) => {
    const [old, younger] = [await stored({ status }, daysAgo(367)), await stored({ status }, daysAgo(364))];
    await removeOld();
    expect([await isThere(old), await isThere(younger)]).toEqual([false, true]);
  });

  it('is on pages for a year', async () => {
    const [old, younger] = [366, 364].map((days) => ({ endedAt: daysAgo(days) }));
    const ids: string[] = [];
    for (const one of [old, younger]) ids.push(await stored({ ...one, status: 'ended', reason: 'period' }, now));
    const agent = await portal.as(family.ana);
    const { lookedAfter } = (await agent.get('/api/representation')).json<{ lookedAfter: { id: string }[] }>();
    expect(lookedAfter.map(({ id }) => ids.indexOf(id)).filter((at) => at >= 0)).toEqual([1]);
  });

  it('that left a block stays with the block for ever, which can still be lifted', async () => {
    const id = await stored({ status: 'active', patient: 'leo' }, now);
    const path = `/api/admin/representation/${id}`;
    await admin.post(`${path}/end`, { reason: 'safeguarding', note: 'Police' });
    await removeOld(new Date(now.getTime() + 60 * year * day));
    expect(await isThere(id)).toBe(true);
    expect((await admin.post(`${path}/block/lift`, {})).json()).toEqual({ state: 'asked' });
  });
});

it('What is known of a patient and of addresses goes with the last relationship', async () => {
  const id = await stored({ status: 'ended', reason: 'period', endedAt: daysAgo(9 * year), patient: 'mia' }, now);
  await portal.query(`INSERT INTO representative_address (tenant, patient, address_hash) VALUES ('', 'mia', 'x')`);
  await portal.query(`INSERT INTO represented_patient (tenant, patient, read_at) VALUES ('', 'mia', now())`);
  const rows = () =>
    portal.query(`SELECT FROM representative_address WHERE patient = 'mia'
      UNION ALL SELECT FROM represented_patient WHERE patient = 'mia'`);
  await removeOld(new Date(now.getTime() + 60 * day));
  expect(await rows()).toHaveLength(2);
  await removeOld(new Date(now.getTime() + 2 * year * day));
  expect([await isThere(id), await rows()]).toEqual([false, []]);
});

it('An invitation is kept for 30 days', async () => {
  const inviter = await portal.accountId(family.noah);
  const insert = (days: number) =>
    portal.query(
      `INSERT INTO representation_invitation (id, inviter_id, tenant, patient, first_name, full_name, email, basis, level,
         relation, token_hash, mail_id, created_at, expires_at)
       VALUES ($1, $2, '', '2', 'Ana', 'Ana', 'a@b.example', 'voluntary', 'full', 'helper', $4, $1, $3, $3)`,
      [randomUUID(), inviter, daysAgo(days), randomUUID()],
    );
  for (const days of [31, 29]) await insert(days);
  await service(InvitationAnswers).purge();
  expect(await portal.query('SELECT FROM representation_invitation')).toHaveLength(1);
});

describe('A request', () => {
  it.each([
    ['declined', 367, false],
    ['declined', 364, true],
    ['cancelled', 367, false],
    ['approved', 367, true],
    ['approved', 10 * year + 2, false],
    ['in-error', 367, true],
  ])('that was %s %i days ago: %s', async (status, days, kept) => {
    const id = randomUUID();
    await portal.query(
      `INSERT INTO request (id, reference, kind, account_id, tenant, asker_name, patient_name, content, status,
         decided_at, due_at)
       VALUES ($1, $5, 'act-for', $2, '', 'Ana', 'Leo', '{}', $3, $4, $4)`,
      [id, ana, status, daysAgo(days), id],
    );
    await service(RequestFileStore).purge();
    expect((await portal.query('SELECT FROM request WHERE id = $1', [id])).length === 1).toBe(kept);
  });
});
