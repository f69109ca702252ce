/** Changes of many go on without the page that began them: by a job, on any node, until they end or are stopped. */
import { randomUUID } from 'node:crypto';
import type { BulkProgress, PendingBulkChange } from '../../src/contract/clients/bulk.js';
import { usersChanged } from '../../src/users/domain/user.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal, tellNodes } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const second = { ...people.admin, email: 'second.admin@example.org', fullName: 'Petra Young' };
const count = 400;
let portal: TestPortal;
let admin: Agent;
let other: Agent;

beforeAll(async () => {
  portal = await startPortal({ nodes: 2, config: { users: [people.admin, second], clients: [publicApp] } });
  admin = new Agent(portal.issuer);
  other = new Agent(portal.issuer, portal.ports[1]);
  await login(admin, people.admin);
  await login(other, second);
  await portal.query(`
    INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
    SELECT gen_random_uuid(), 'vendor-x-' || to_char(i, 'FM000'), 'Vendor X ' || i, client_type, true, 1, settings, now(), now()
      FROM generate_series(1, ${count}) AS i JOIN client ON client_id = 'public-app'`);
});
afterAll(() => portal.close());

beforeEach(async () => {
  await portal.query('DELETE FROM bulk_change');
  await portal.query("DELETE FROM job WHERE kind IN ('bulk-changes', 'client-endings')");
  await portal.query("UPDATE client SET enabled = true, version = 1 WHERE client_id LIKE 'vendor-x-%'");
});

const disable = { action: 'disable', filter: { searchTerm: 'vendor-x' }, expected: count };
const begin = async (by = admin, id = randomUUID()) => {
  const answer = await by.send(`/api/admin/client/bulk/${id}`, { method: 'PUT', body: disable });
  return { id, progress: answer.json<BulkProgress>() };
};
const pending = async (by = admin) => (await by.get('/api/admin/bulk')).json<PendingBulkChange[]>();
const disabledOnes = async () =>
  (
    await portal.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM client WHERE client_id LIKE 'vendor-x-%' AND NOT enabled",
    )
  )[0]?.count;
/** A change of which no row is done, as if the node that began it had died right after that. */
async function abandoned({ by = people.admin.email }: { by?: string } = {}): Promise<string> {
  const id = randomUUID();
  const [actor] = await portal.query<{ id: string }>('SELECT id::text AS id FROM account WHERE email = $1', [by]);
  await portal.query(`INSERT INTO bulk_change (id, actor, request, subject) VALUES ($1, $2, $3, 'clients')`, [
    id,
    actor?.id,
    JSON.stringify(disable),
  ]);
  await portal.query(
    "INSERT INTO bulk_change_item (bulk_change, target) SELECT $1, id FROM client WHERE client_id LIKE 'vendor-x-%'",
    [id],
  );
  const work = {
    id,
    userId: actor?.id,
    issuer: portal.issuer,
    address: '127.0.0.1',
    correlationId: randomUUID(),
    language: 'en',
  };
  await portal.query("INSERT INTO job (kind, payload, due_at) VALUES ('bulk-changes', $1, now())", [
    JSON.stringify(work),
  ]);
  return id;
}

describe('A change of many clients', () => {
  it('is finished by a job after its page was closed, recorded as by the administrator, and told until it was seen', async () => {
    const { id } = await begin();
    await until(async () => (await disabledOnes()) === count);
    const [change, ...others] = await pending();
    expect(others).toEqual([]);
    expect(change).toMatchObject({ id, subject: 'clients', action: 'disable', undone: false });
    expect(change?.progress).toMatchObject({ total: count, done: count, changed: count, failed: 0, stopped: null });
    // To its administrator alone.
    expect(await pending(other)).toEqual([]);
    expect((await other.post(`/api/admin/bulk/${id}/seen`, {})).status).toBe(404);
    expect((await other.post(`/api/admin/bulk/${id}/stop`, {})).status).toBe(404);
    expect((await admin.post(`/api/admin/bulk/${id}/seen`, {})).status).toBe(204);
    expect(await pending()).toEqual([]);
    const [recorded] = await portal.query<{ count: number; actors: number }>(
      `SELECT count(*)::int AS count, count(DISTINCT user_id)::int AS actors FROM audit_event
        WHERE type = 'client.changed' AND user_id = (SELECT id::text FROM account WHERE email = $1)`,
      [people.admin.email],
    );
    expect(recorded).toEqual({ count, actors: 1 });
  });

  it('of a node that died is done by another one, each row once', async () => {
    const id = await abandoned();
    await until(async () => (await disabledOnes()) === count);
    await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'bulk-changes'")).length === 0);
    const versions = await portal.query("SELECT DISTINCT version FROM client WHERE client_id LIKE 'vendor-x-%'");
    expect(versions).toEqual([{ version: 2 }]);
    expect((await pending())[0]).toMatchObject({ id, progress: { changed: count } });
  });

  it('is stopped by its administrator, and what is done is undone by a job, too', async () => {
    const { id } = await begin();
    const stopped = (await admin.post(`/api/admin/bulk/${id}/stop`, {})).json<BulkProgress>();
    const done = await disabledOnes();
    if (stopped.done < count) expect(stopped.stopped).toBe('canceled');
    expect((await admin.post(`/api/admin/client/bulk/${id}/undo`, {})).status).toBe(200);
    await until(async () => (await disabledOnes()) === 0);
    const [change] = await pending();
    expect(change).toMatchObject({ id, undone: true, progress: { restored: done, stopped: null } });
  });

  it('stops when its administrator is none any more, and says so', async () => {
    await portal.query("UPDATE account SET user_type = 'Incomplete' WHERE email = $1", [second.email]);
    await tellNodes(portal, usersChanged);
    const id = await abandoned({ by: second.email });
    const reason = async () =>
      (await portal.query<{ stopped: string | null }>('SELECT stopped FROM bulk_change WHERE id = $1', [id]))[0]
        ?.stopped;
    await until(async () => (await reason()) === 'forbidden');
    expect(await disabledOnes()).toBe(0);
    await portal.query("UPDATE account SET user_type = 'Admin' WHERE email = $1", [second.email]);
    await tellNodes(portal, usersChanged);
    expect((await pending(other))[0]).toMatchObject({ id, progress: { done: 0, stopped: 'forbidden' } });
  });

  it('of two administrators at once is two changes, of which each row has one', async () => {
    const [one, two] = await Promise.all([begin(), begin(other)]);
    await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'bulk-changes'")).length === 0);
    const ends = await Promise.all([pending(), pending(other)]);
    expect(ends.map(([change]) => change?.id)).toEqual([one.id, two.id]);
    const changed = ends.map(([change]) => change?.progress.changed ?? 0);
    expect(changed.reduce((sum, part) => sum + part)).toBe(count);
    expect(ends.map(([change]) => change?.progress.done)).toEqual([count, count]);
  });
});
