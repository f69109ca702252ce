/** FHIR servers that lose what they had, refuse a part of it, or do not answer. */
import type { RelationshipView } from '../../../src/contract/representation.js';
import { RepresentedAccess } from '../../../src/representation/application/represented-access.js';
import { RelatedPersons } from '../../../src/representation/application/server/related-persons.js';
import type { Agent } from '../../support/http/agent.js';
import { relationshipsPath as path } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { itInLongRun } from '../../support/runs.js';

let portal: FamilyPortal;
let admin: Agent;
let ana: string;
let tests = 0;
let children: string[] = [];
/** Minutes that have passed. */
let minutes = 0;

const codes = [
  { code: 'MTH', basis: 'parental-responsibility', level: 'full', relation: 'mother' },
  { code: 'CGV', basis: 'parental-responsibility', level: 'basics' },
];

beforeAll(async () => {
  portal = await startFamilyPortal({
    nodes: 2,
    config: { representation: { source: 'server', relationshipCodes: codes } },
  });
  admin = await portal.as(family.admin);
  ana = await portal.accountId(family.ana);
});

afterAll(() => portal.close());

beforeEach(async () => {
  tests += 1;
  // Nodes know what they have read for some minutes.
  minutes += 60;
  portal.failing.clear();
  await portal.query('TRUNCATE representation_relationship, represented_patient, representative_reference CASCADE');
  children = [];
});

const now = () => new Date(Date.now() + minutes * 60_000);
const access = (node = 0) => portal.apps[node]?.get(RepresentedAccess, { strict: false }) as RepresentedAccess;
const resourceOf = (child: string) => `of-${child}`;

function relate(child: string, more: object = {}): void {
  portal.records.set(resourceOf(child), {
    ...{ resourceType: 'RelatedPerson', id: resourceOf(child), active: true },
    ...{ patient: { reference: `Patient/${child}` }, relationship: [{ coding: [{ code: 'MTH' }] }] },
    ...more,
  });
}

const name = (references: string[]) =>
  admin.send(`${path}/account/${ana}/references`, { method: 'PUT', body: { references } });

/** Ana acts for so many children by the server; what she may do is known. */
async function related(count: number, by: 'RelatedPerson' | 'Person' = 'RelatedPerson'): Promise<void> {
  children = Array.from({ length: count }, (_, index) => `c${tests}-${index}`);
  for (const child of children) {
    portal.has(child);
    relate(child);
  }
  const references = children.map((child) => `RelatedPerson/${resourceOf(child)}`);
  const link = references.map((reference) => ({ target: { reference } }));
  portal.records.set('ana', { resourceType: 'Person', id: 'ana', link });
  await name(by === 'Person' ? ['Person/ana'] : references);
  expect(await represented()).toEqual(children);
}

/** For whom Ana may act, and if there may be more. */
async function asked(node = 0) {
  const { patients, isUnread } = await access(node).allOf(ana, undefined, now());
  const order = (one: string) => children.indexOf(one);
  const found = patients.map(({ relationship }) => relationship.patient);
  return { patients: found.sort((one, other) => order(one) - order(other)), isUnread };
}

/** As in six minutes: what was known before does not count any more. */
async function represented(after = 6): Promise<string[]> {
  minutes += after;
  return (await asked()).patients;
}

async function states(): Promise<Record<string, number>> {
  const rows = await portal.query<{ state: string; count: number }>(
    `SELECT concat_ws(' ', status, reason) AS state, count(*)::int FROM representation_relationship GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

const decision = (patient: string, node = 0) =>
  access(node).forRequest({ account: ana, tenant: undefined, patient, at: now() });
const readiness = async () =>
  (await admin.get('/api/admin/readiness'))
    .json<{ sections: { checks: { code: string; state: string }[] }[] }>()
    .sections.flatMap(({ checks }) => checks)
    .find(({ code }) => code === 'represented-patients')?.state;
const failAll = (status: number) => {
  for (const child of [...children.map(resourceOf), 'ana']) portal.failing.set(child, status);
};

describe('A FHIR server that has lost', () => {
  it.each([
    ['all RelatedPersons (404)', 'RelatedPerson', () => failAll(404)],
    ['all RelatedPersons (410)', 'RelatedPerson', () => failAll(410)],
    ['the Person of all', 'Person', () => portal.failing.set('ana', 404)],
    ['all RelatedPersons of a Person', 'Person', () => failAll(404)],
    [
      'the codes of all, as a fault of the configuration looks',
      'RelatedPerson',
      () => {
        for (const child of children) relate(child, { relationship: [{ coding: [{ code: 'SIS' }] }] });
      },
    ],
  ] as const)('%s ends none: all are refused, readiness is red, and all continue afterwards', async (_, by, lose) => {
    await related(25, by);
    expect(await readiness()).toBe('pass');
    lose();
    for (const _round of [1, 2, 3]) expect(await represented()).toEqual([]);
    expect(await decision(children[7] ?? '')).toEqual({ permitted: false, cause: 'server-missing' });
    expect(await decision(children[7] ?? '', 1)).toEqual({ permitted: false, cause: 'server-missing' });
    expect([await states(), await readiness()]).toEqual([{ active: 25 }, 'blocking']);
    portal.failing.clear();
    for (const child of children) relate(child);
    expect(await represented()).toEqual(children);
    expect([await states(), await readiness()]).toEqual([{ active: 25 }, 'pass']);
  });

  it('one RelatedPerson ends its relationship by a second read five minutes later, and not before', async () => {
    await related(3);
    const [lost = '', ...left] = children;
    portal.failing.set(resourceOf(lost), 404);
    expect(await represented()).toEqual(left);
    expect(await states()).toEqual({ active: 3 });
    expect(await represented(4)).toEqual(left);
    expect(await states()).toEqual({ active: 3 });
    expect(await represented(2)).toEqual(left);
    expect(await states()).toEqual({ active: 2, 'ended server': 1 });
    portal.failing.clear();
    expect(await represented()).toEqual(children);
  });

  it('one RelatedPerson, and has it again before, ends nothing', async () => {
    await related(2);
    portal.failing.set(resourceOf(children[0] ?? ''), 404);
    expect(await represented()).toEqual([children[1]]);
    portal.failing.clear();
    expect(await represented(1)).toEqual(children);
    portal.failing.set(resourceOf(children[0] ?? ''), 404);
    expect(await represented()).toEqual([children[1]]);
    expect(await states()).toEqual({ active: 2 });
  });

  it('RelatedPersons is not asked to end what it says to be over', async () => {
    await related(25);
    for (const child of children) relate(child, { active: false });
    expect(await represented()).toEqual([]);
    expect(await states()).toEqual({ 'ended server': 25 });
    expect(await readiness()).toBe('pass');
  });
});

describe('A FHIR server that does not tell', () => {
  it.each([401, 403, 429, 500, 503])(
    'and answers %i changes nothing for 24 hours, and nothing is ended after',
    async (status) => {
      await related(2);
      failAll(status);
      expect(await represented(23 * 60)).toEqual(children);
      expect((await asked()).isUnread).toBe(true);
      expect(await represented(61)).toEqual([]);
      expect(await asked()).toEqual({ patients: [], isUnread: true });
      expect(await decision(children[0] ?? '', 1)).toEqual({ permitted: false, cause: 'server-unread' });
      expect([await states(), await readiness()]).toEqual([{ active: 2 }, 'pass']);
      portal.failing.clear();
      expect(await represented()).toEqual(children);
    },
  );

  it('what one RelatedPerson says still says what the others do', async () => {
    await related(3);
    const [unread = '', over = '', changed = ''] = children;
    portal.failing.set(resourceOf(unread), 403);
    relate(over, { active: false });
    relate(changed, { relationship: [{ coding: [{ code: 'CGV' }] }] });
    portal.has('new-one');
    relate('new-one');
    await name([...children, 'new-one'].map((child) => `RelatedPerson/${resourceOf(child)}`));
    expect((await represented()).sort()).toEqual([unread, changed, 'new-one'].sort());
    expect(await states()).toEqual({ active: 3, 'ended server': 1 });
    const { relationships } = (await admin.get(`${path}?patient=${changed}`)).json<{
      relationships: RelationshipView[];
    }>();
    expect(relationships).toMatchObject([{ level: 'basics' }]);
  });

  it('who the patient of one RelatedPerson is still gives the others', async () => {
    await related(1);
    for (const child of ['hidden', 'seen']) {
      portal.has(child);
      relate(child);
    }
    portal.failing.set('hidden', 403);
    await name(['hidden', 'seen', ...children].map((child) => `RelatedPerson/${resourceOf(child)}`));
    minutes += 6;
    const { patients, isUnread } = await asked();
    expect([patients.sort(), isUnread]).toEqual([['seen', ...children].sort(), true]);
  });

  it('what a Person is linked with leaves what it said before', async () => {
    await related(3, 'Person');
    portal.failing.set('ana', 403);
    expect(await represented()).toEqual(children);
    expect(await states()).toEqual({ active: 3 });
  });
});

it('A relationship that one node has stored counts on the other one, which has read the server before', async () => {
  await related(1);
  minutes += 3;
  expect((await asked(1)).patients).toEqual(children);
  children.push('later');
  portal.has('later');
  relate('later');
  await name(children.map((child) => `RelatedPerson/${resourceOf(child)}`));
  expect(await represented(2.5)).toEqual(children);
  expect(await decision('later', 1)).toMatchObject({ permitted: true });
});

describe('A user with many RelatedPersons', () => {
  const count = 2_000;

  itInLongRun('has all of them read, although a read ends too early: the next one begins where it ended', async () => {
    await related(24, 'Person');
    const persons = portal.apps[0]?.get(RelatedPersons, { strict: false }) as RelatedPersons;
    const read = (from: number) =>
      persons.read(['Person/ana'], { tenant: undefined, at: now(), from, deadline: performance.now() + 60_000 });
    const whole = await read(0);
    expect([whole.found.length, whole.isComplete, whole.next]).toEqual([24, true, 0]);
    // Of several for one patient the first one counts, wherever the read began.
    expect((await read(8)).found).toEqual(whole.found);
    // A read ends when none of eight is answered.
    for (const child of children.slice(0, 8)) portal.failing.set(resourceOf(child), 0);
    const early = await read(0);
    expect([early.found, early.isComplete, early.next]).toEqual([[], false, 8]);
    const later = await read(early.next);
    expect([later.found.length, later.isComplete, later.next]).toEqual([16, false, 0]);
  });

  itInLongRun('waits for a FHIR server that never answers for some seconds, and loses nothing', async () => {
    await related(40, 'Person');
    failAll(0);
    minutes += 6;
    const began = performance.now();
    expect(await asked()).toEqual({ patients: children, isUnread: true });
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(await states()).toEqual({ active: 40 });
  });

  itInLongRun('waits once for a read that takes long: what is stored counts until it has ended', async () => {
    await related(32, 'Person');
    // Of each eight that are asked for together one is answered, so that the next ones are asked for.
    const silent = children.filter((_, index) => index % 8 > 0);
    for (const child of silent) portal.failing.set(resourceOf(child), 0);
    minutes += 6;
    const began = performance.now();
    expect(await asked()).toEqual({ patients: children, isUnread: true });
    const first = performance.now();
    for (const child of children) expect(await decision(child)).toMatchObject({ permitted: true });
    expect(first - began).toBeLessThan(7_500);
    expect(performance.now() - first).toBeLessThan(3_500);
  });

  itInLongRun(`acts for all ${count} in the end, in bounded memory`, async () => {
    children = Array.from({ length: count }, (_, index) => `many-${index}`);
    for (const child of children) {
      portal.has(child);
      relate(child);
    }
    const link = children.map((child) => ({ target: { reference: `RelatedPerson/${resourceOf(child)}` } }));
    portal.records.set('ana', { resourceType: 'Person', id: 'ana', link });
    await name(['Person/ana']);
    const before = process.memoryUsage().heapUsed;
    let slowest = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      minutes += 6;
      const began = performance.now();
      const { isUnread } = await asked();
      slowest = Math.max(slowest, performance.now() - began);
      if (!isUnread) break;
      await new Promise((done) => setTimeout(done, 5_000));
    }
    expect([(await states()).active, slowest < 15_000]).toEqual([count, true]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300_000_000);
  });
});
