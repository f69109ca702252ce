import type { SuspendedRecords } from '../../src/contract/representation/confirmations.js';
import type { RelationshipView } from '../../src/contract/representation.js';
import { RepresentedAccess } from '../../src/representation/application/represented-access.js';
import { Relationships } from '../../src/representation/domain/relationships.js';
import type { Agent } from '../support/http/agent.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { aNewRelationship } from '../support/representation/relationship.js';
import { eventually, until } from '../support/until.js';

const minute = 60_000;
const start = new Date('2026-05-10T10:00:00Z');
const path = '/api/admin/representation';
let portal: FamilyPortal;
let admin: Agent;
let ana: string;
let children = 0;

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2 });
  [admin, ana] = await Promise.all([portal.as(family.admin), portal.accountId(family.ana)]);
});

afterAll(() => portal.close());

// What other tests left must not count against the limit.
beforeEach(() => portal.query('TRUNCATE representation_relationship, represented_patient CASCADE'));

const relationships = () => portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
const access = (node = 0) => portal.apps[node]?.get(RepresentedAccess, { strict: false }) as RepresentedAccess;

async function anActive(patient: object = {}) {
  children += 1;
  const id = `gone-${children}`;
  portal.has(id, patient);
  const { id: relationship } = await relationships().add(aNewRelationship(ana, { patient: id }));
  const decide = (minutes: number, node = 0) => {
    const at = new Date(start.getTime() + minutes * minute);
    return access(node).forRequest({ account: ana, tenant: undefined, patient: id, at });
  };
  const stored = async () => {
    const { status, reason } = (await relationships().findById(relationship)) ?? {};
    return { status, reason };
  };
  return { id, relationship, decide, stored };
}

const deleted = { status: 'suspended', reason: 'deleted' };
const readiness = async () =>
  (await admin.get('/api/admin/readiness'))
    .json<{ sections: { checks: { code: string; state: string }[] }[] }>()
    .sections.flatMap(({ checks }) => checks)
    .find(({ code }) => code === 'represented-patients')?.state;

/** The ways in which a record is gone, and the cause of the refusal. */
const waysToBeGone = [
  ['is not there', 'record-gone', (id: string) => portal.records.delete(id)],
  ['is inactive', 'record-inactive', (id: string) => portal.has(id, { active: false })],
] as const;

describe.each(waysToBeGone)('A relationship whose patient %s', (_, cause, vanish) => {
  it('is refused at once, and suspended by a second read five minutes later, on any node', async () => {
    const { id, decide, stored } = await anActive();
    expect(await decide(0)).toMatchObject({ permitted: true });
    vanish(id);
    expect(await decide(5)).toEqual({ permitted: false, cause });
    expect(await decide(9)).toEqual({ permitted: false, cause });
    expect(await stored()).toEqual({ status: 'active', reason: null });
    expect(await decide(10.2, 1)).toEqual({ permitted: false, cause });
    await until(async () => (await stored()).status === 'suspended');
    expect(await stored()).toEqual(deleted);
    portal.has(id);
    // The first node knows of it within two seconds.
    await eventually(async () => expect(await decide(20)).toEqual({ permitted: false, cause: 'suspended' }));
  });

  it('continues if the record is back before', async () => {
    const { id, decide, stored } = await anActive();
    vanish(id);
    expect(await decide(0)).toEqual({ permitted: false, cause });
    portal.has(id);
    expect(await decide(6)).toMatchObject({ permitted: true });
    vanish(id);
    expect(await decide(12)).toEqual({ permitted: false, cause });
    expect(await stored()).toEqual({ status: 'active', reason: null });
  });
});

describe('Many patients that are gone', () => {
  it('suspend nothing, refuse all, and block readiness until the server has them again', async () => {
    const all = [];
    for (let index = 0; index < 21; index += 1) all.push(await anActive());
    expect(await readiness()).toBe('pass');
    for (const { id } of all) portal.records.delete(id);
    for (const minutes of [0, 6, 7]) {
      for (const { decide } of all) expect(await decide(minutes)).toEqual({ permitted: false, cause: 'record-gone' });
    }
    for (const { stored } of all) expect(await stored()).toEqual({ status: 'active', reason: null });
    expect(await readiness()).toBe('blocking');
    for (const { id } of all) portal.has(id);
    for (const { decide } of all) expect(await decide(8)).toMatchObject({ permitted: true });
    expect(await readiness()).toBe('pass');
  });
});

describe('Administrators', () => {
  const suspended = async () => {
    const one = await anActive();
    await relationships().change(one.relationship, ['active'], { status: 'suspended', reason: 'deleted' });
    return one;
  };

  it('confirm many suspended relationships at once, and see which were not', async () => {
    const [first, second, gone, active] = [await suspended(), await suspended(), await suspended(), await anActive()];
    portal.records.delete(gone.id);
    const ids = [first, second, gone, active].map(({ relationship }) => relationship);
    const answer = await admin.post(`${path}/confirmations`, {
      relationships: [...ids, 'unknown'],
      note: 'The server was restored',
    });
    expect([answer.status, answer.json()]).toEqual([
      200,
      { results: [...ids, 'unknown'].map((id, index) => ({ id, status: [200, 200, 400, 409, 404][index] })) },
    ]);
    expect(await first.stored()).toEqual({ status: 'active', reason: null });
    expect(await gone.stored()).toEqual(deleted);
  });

  it('move a relationship to the record that replaces its own, by naming both', async () => {
    const { id, relationship, decide, stored } = await anActive();
    const other = `${id}-new`;
    portal.has(other, { name: [{ text: 'Leo Lind' }] });
    portal.has(id, { link: [{ type: 'replaced-by', other: { reference: `Patient/${other}` } }] });
    expect(await decide(0)).toEqual({ permitted: false, cause: 'record-replaced' });
    await until(async () => (await stored()).reason === 'merged');
    const confirm = (more: object) => admin.post(`${path}/${relationship}/confirmation`, { note: 'Twice', ...more });
    for (const more of [
      {},
      { patient: other },
      { patient: other, replaced: 'leo' },
      { patient: 'mia', replaced: id },
    ]) {
      expect((await confirm(more)).status).toBe(400);
    }
    const moved = (await confirm({ patient: other, replaced: id })).json<RelationshipView>();
    expect(moved).toMatchObject({ status: 'active', patient: other, patientName: 'Leo Lind' });
    expect(await decide(6)).toEqual({ permitted: false, cause: 'none' });
    for (const node of [0, 1]) {
      const asked = { account: ana, tenant: undefined, patient: other, at: start };
      await until(async () => (await access(node).forRequest(asked)).permitted);
    }
  });

  it('see which are suspended for their records, and confirm gone and merged ones at once, naming both records', async () => {
    const [back, gone, merged] = [await suspended(), await suspended(), await anActive()];
    const other = `${merged.id}-new`;
    portal.has(other, { name: [{ text: 'Leo Lind' }] });
    portal.records.delete(gone.id);
    portal.has(merged.id, { link: [{ type: 'replaced-by', other: { reference: `Patient/${other}` } }] });
    await merged.decide(0);
    await until(async () => (await merged.stored()).reason === 'merged');
    const { records, totalCount } = (await admin.get(`${path}/confirmations`)).json<SuspendedRecords>();
    expect(totalCount).toBe(3);
    const rowOf = (one: { relationship: string }) => records.find(({ id }) => id === one.relationship);
    expect(rowOf(back)).toMatchObject({ reason: 'deleted', isThere: true, replacedBy: null });
    expect(rowOf(gone)).toMatchObject({ reason: 'deleted', isThere: false, replacedBy: null });
    expect(rowOf(merged)).toMatchObject({ isThere: false, replacedBy: { patient: other, name: 'Leo Lind' } });
    const relationships = [back, gone, merged].map(({ relationship }) => relationship);
    const confirm = async (more: object) =>
      (await admin.post(`${path}/confirmations`, { relationships, note: 'Restored', ...more })).json<{
        results: { status: number }[];
      }>();
    const names = (replaced: string) => ({ merged: [{ relationship: merged.relationship, patient: other, replaced }] });
    expect((await confirm(names('leo'))).results.map(({ status }) => status)).toEqual([200, 400, 400]);
    expect((await confirm(names(merged.id))).results.map(({ status }) => status)).toEqual([409, 400, 200]);
    expect((await admin.get(`${path}/confirmations`)).json()).toMatchObject({ totalCount: 1 });
  });

  it('leave the RelatedPerson of the record before, but one that names the other record', async () => {
    for (const patient of ['before', 'after'] as const) {
      const { id, relationship, decide, stored } = await anActive();
      const other = `${id}-new`;
      portal.has(other);
      const related = { before: id, after: other }[patient];
      portal.records.set('related', {
        ...{ resourceType: 'RelatedPerson', id: 'related', patient: { reference: `Patient/${related}` } },
      });
      await relationships().change(relationship, ['active'], { relatedPerson: 'RelatedPerson/related' });
      portal.has(id, { link: [{ type: 'replaced-by', other: { reference: `Patient/${other}` } }] });
      await decide(0);
      await until(async () => (await stored()).reason === 'merged');
      const form = { note: 'Twice', patient: other, replaced: id };
      const moved = (await admin.post(`${path}/${relationship}/confirmation`, form)).json<RelationshipView>();
      expect(moved.relatedPerson).toBe(patient === 'after' ? 'RelatedPerson/related' : null);
    }
  });

  it('cannot move one to the own record of its representative', async () => {
    const { id, relationship, decide, stored } = await anActive();
    portal.has(id, { link: [{ type: 'replaced-by', other: { reference: 'Patient/1' } }] });
    await decide(0);
    await until(async () => (await stored()).reason === 'merged');
    const form = { note: 'Twice', patient: '1', replaced: id };
    const answer = await admin.post(`${path}/${relationship}/confirmation`, form);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('representation-oneself')]);
  });

  it('cannot move one to a record for which its representative is blocked', async () => {
    const { id, decide, stored, relationship } = await anActive();
    const other = await anActive();
    await admin.post(`${path}/${other.relationship}/end`, { reason: 'safeguarding', note: 'Police' });
    portal.has(id, { link: [{ type: 'replaced-by', other: { reference: `Patient/${other.id}` } }] });
    expect(await decide(0)).toMatchObject({ permitted: false });
    await until(async () => (await stored()).reason === 'merged');
    const form = { note: 'Twice', patient: other.id, replaced: id };
    expect((await admin.post(`${path}/${relationship}/confirmation`, form)).status).toBe(409);
  });
});
