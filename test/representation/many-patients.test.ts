/** Records of many patients that are gone, and administrators who let many relationships continue. */

import type { RelationshipConfirmations } from '../../src/contract/representation/confirmations.js';
import type { OwnRelationships } from '../../src/contract/representation.js';
import { RepresentedAccess } from '../../src/representation/application/represented-access.js';
import { RelationshipUpkeep } from '../../src/representation/application/upkeep/relationship-upkeep.js';
import { Agent } from '../support/http/agent.js';
import { longestTurnBelow } from '../support/longest-turn.js';
import { relationshipsPath as path } from '../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { isLong, itInLongRun } from '../support/runs.js';

const minute = 60_000;
const start = new Date('2026-05-10T10:00:00Z');
/** Most relationships that are suspended in an hour, of 2,000 or more. */
const most = 20;
let portal: FamilyPortal;
let admin: Agent;
let ana: string;
/** Of this test alone: nodes keep what they have read. */
let prefix = 'many';
let tests = 0;

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2 });
  [admin, ana] = await Promise.all([portal.as(family.admin), portal.accountId(family.ana)]);
});

afterAll(() => portal.close());

beforeEach(async () => {
  tests += 1;
  prefix = `many-${tests}`;
  await portal.query('TRUNCATE representation_relationship, represented_patient CASCADE');
});

const part = <Part>(token: abstract new (...all: never[]) => Part, node: number) =>
  portal.apps[node]?.get(token as never, { strict: false }) as Part;

/** Active relationships of Ana with as many patients, in the order of their numbers. */
async function add(count: number, state = "'active', NULL"): Promise<string[]> {
  const rows = await portal.query<{ id: string }>(
    `INSERT INTO representation_relationship (account_id, tenant, patient, basis, level, relation, proposed_by,
       representative_name, patient_name, due_at, status, reason)
     SELECT $1, '', $3::text || '-' || number, 'parental-responsibility', 'full', 'mother', '{"kind":"portal"}', 'Ana', 'Leo',
       now() + interval '9 days', ${state} FROM generate_series(1, $2::int) AS number RETURNING id`,
    [ana, count, prefix],
  );
  return rows.map(({ id }) => id);
}

async function decide(number: number, minutes: number): Promise<void> {
  const at = new Date(start.getTime() + minutes * minute);
  const node = number % 2;
  await part(RepresentedAccess, node).forRequest({
    account: ana,
    tenant: undefined,
    patient: `${prefix}-${number}`,
    at,
  });
}
async function settle(ids: readonly string[]): Promise<void> {
  for (const node of [0, 1]) for (const id of ids) await part(RelationshipUpkeep, node).isStored({ id } as never);
}
const suspended = async () =>
  (await portal.query("SELECT FROM representation_relationship WHERE status = 'suspended'")).length;

describe('Of two thousand relationships, in an hour, on two nodes', () => {
  it('exactly twenty whose records are gone are suspended, and not one more', async () => {
    const ids = await add(2_000);
    const numbers = Array.from({ length: most }, (_, index) => index + 1);
    for (const minutes of [0, 6]) await Promise.all(numbers.map((number) => decide(number, minutes)));
    await settle(ids.slice(0, most));
    expect(await suspended()).toBe(most);
    for (const minutes of [7, 13]) await decide(most + 1, minutes);
    await settle(ids.slice(0, most + 1));
    expect(await suspended()).toBe(most);
  });

  it('none of twenty-one is suspended', async () => {
    const ids = await add(2_000);
    const numbers = Array.from({ length: most + 1 }, (_, index) => index + 1);
    for (const minutes of [0, 6]) await Promise.all(numbers.map((number) => decide(number, minutes)));
    await settle(ids.slice(0, most + 1));
    expect(await suspended()).toBe(0);
  });
});

itInLongRun(
  'A user who acts for 1,000 sees all of them, while the FHIR server is asked for some and answers none',
  async () => {
    await add(1_000);
    const agent = await portal.as(family.ana);
    portal.failing.set('*', 0);
    const before = portal.upstream.requests.length;
    const began = performance.now();
    const { lookedAfter } = (await agent.get('/api/representation')).json<OwnRelationships>();
    portal.failing.clear();
    expect(lookedAfter).toHaveLength(1_000);
    expect(lookedAfter.filter(({ status, canEnd }) => status === 'active' && canEnd)).toHaveLength(1_000);
    const asked = portal.upstream.requests.slice(before).filter(({ url }) => url.includes(`/Patient/${prefix}-`));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(48);
    expect(performance.now() - began).toBeLessThan(15_000);
  },
);

it('The list of a patient with 1,000 representatives holds up no other request', async () => {
  await add(1_000);
  await portal.query("UPDATE representation_relationship SET patient = '2', account_id = NULL");
  const agent = await portal.as(family.noah);
  let listed = 0;
  const longest = await longestTurnBelow(300, async () => {
    const answer = await agent.get('/api/representation');
    listed = answer.json<OwnRelationships>().helpers.length;
  });
  expect(listed).toBe(1_000);
  // In one turn it takes more than half a second.
  expect(longest).toBeLessThan(300);
});

describe('Administrators who let many relationships continue', () => {
  const confirm = async (relationships: readonly string[]) => {
    const answer = await admin.post(`${path}/confirmations`, { relationships, note: 'The server was restored' });
    expect(answer.status).toBe(200);
    return answer.json<RelationshipConfirmations>().results.map(({ status }) => status);
  };

  it('do not wait for a FHIR server that does not answer more than once', async () => {
    const ids = await add(10, "'suspended', 'deleted'");
    for (let number = 1; number <= 10; number += 1)
      portal.records.set(`${prefix}-${number}`, { resourceType: 'Basic' });
    const before = portal.upstream.requests.length;
    expect(await confirm(ids)).toEqual(ids.map(() => 503));
    const asked = portal.upstream.requests.slice(before).filter(({ url }) => url.includes(`/Patient/${prefix}-`));
    expect(asked).toHaveLength(1);
    expect(await suspended()).toBe(10);
  });

  const all = isLong ? 10_000 : 40;
  const atOnce = isLong ? 200 : 20;
  it(`can do so for ${all} of them, ${atOnce} at a time, and repeat what was done already`, async () => {
    const ids = await add(all, "'suspended', 'deleted'");
    for (let number = 1; number <= all; number += 1) portal.has(`${prefix}-${number}`);
    const before = process.memoryUsage().heapUsed;
    let slowest = 0;
    for (let from = 0; from < all; from += atOnce) {
      const began = performance.now();
      expect(new Set(await confirm(ids.slice(from, from + atOnce)))).toEqual(new Set([200]));
      slowest = Math.max(slowest, performance.now() - began);
    }
    expect(await suspended()).toBe(0);
    expect(slowest).toBeLessThan(30_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300_000_000);
    expect(new Set(await confirm(ids.slice(0, atOnce)))).toEqual(new Set([409]));
  });

  it('see in the metrics how many wait', async () => {
    await add(3, "'suspended', 'deleted'");
    const { text } = await new Agent(portal.issuer, portal.ports[0]).get('/metrics');
    expect(text).toContain('gatehouse_representation_waiting{status="suspended"} 3');
    expect(text).toContain('gatehouse_representation_waiting{status="proposed"} 0');
  });
});
