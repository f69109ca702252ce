/** Changes of many clients by one call, and the export of those chosen. */
import { randomUUID } from 'node:crypto';
import type { BulkProgress } from '../../src/contract/clients/bulk.js';
import { alterClient, publicApp } from '../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';
import { until } from '../support/until.js';

const hostile = '=HYPERLINK("https://evil.test")';
const path = '/api/admin/client';
let portal: AdminPortal;
let ids: string[];
let tags: { pilot: string; ward: string };

/** 60 apps of one vendor, and one of another. */
beforeAll(async () => {
  portal = await startAdminPortal({ config: { clients: [{ ...publicApp, clientName: hostile }] } });
  await portal.query(`
    INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
    SELECT gen_random_uuid(), 'vendor-x-' || to_char(i, 'FM00'), 'Vendor X ' || i, client_type, true, 1, settings, now(), now()
      FROM generate_series(1, 60) AS i JOIN client ON client_id = 'public-app'`);
  const made = async (value: string) =>
    (await portal.api.post('/api/admin/configuration/tag').send({ value, color: '#0A6375' })).body.id as string;
  tags = { pilot: await made('Pilot'), ward: await made('Ward') };
});
afterAll(() => portal.close());

beforeEach(async () => {
  await portal.query('DELETE FROM bulk_change');
  await portal.query('DELETE FROM client_tag_link');
  await portal.query("UPDATE client SET enabled = true, version = 1 WHERE client_id LIKE 'vendor-x-%'");
  ids = (
    await portal.query<{ id: string }>("SELECT id FROM client WHERE client_id LIKE 'vendor-x-%' ORDER BY client_id")
  ).map(({ id }) => id);
});

const filter = { searchTerm: 'vendor-x' };

async function put(request: object, id: string = randomUUID(), status = 200): Promise<BulkProgress> {
  const { body } = await portal.api.put(`${path}/bulk/${id}`).send(request).expect(status);
  return body;
}

/** Repeats the call until all are done, as the page does. */
async function carriedOut(request: object, id: string = randomUUID()): Promise<BulkProgress> {
  for (;;) {
    const progress = await put(request, id);
    if (progress.done === progress.total) return progress;
  }
}

async function undone(id: string): Promise<BulkProgress> {
  for (;;) {
    const { body } = await portal.api.post(`${path}/bulk/${id}/undo`).expect(200);
    if (body.changed === 0) return body;
  }
}

const enabledOnes = async () =>
  (
    await portal.query<{ id: string }>(
      "SELECT id FROM client WHERE client_id LIKE 'vendor-x-%' AND enabled ORDER BY client_id",
    )
  ).map(({ id }) => id);

async function errorOf(request: object, status: number, id?: string) {
  const { body } = await portal.api
    .put(`${path}/bulk/${id ?? randomUUID()}`)
    .send(request)
    .expect(status);
  return body.errors[0];
}

describe('Many clients', () => {
  it('are disabled by their ids: those that were disabled already, or are gone, are counted separately', async () => {
    await alterClient(portal, 'vendor-x-02', { enabled: false });
    const gone = randomUUID();
    const progress = await carriedOut({ action: 'disable', ids: [ids[0], ids[1], ids[2], gone] });
    expect(progress).toMatchObject({ total: 4, done: 4, changed: 2, unchanged: 1, failed: 1 });
    expect(progress.failures).toEqual([{ id: gone, name: null, reason: 'gone' }]);
    expect(await enabledOnes()).toEqual(ids.slice(3));
  });

  it('are disabled by the search and the filters, apart from those left out, each with its version and its event', async () => {
    const id = randomUUID();
    const progress = await carriedOut({ action: 'disable', filter, except: [ids[7]], expected: 59 }, id);
    expect(progress).toMatchObject({ total: 59, changed: 59, failed: 0 });
    expect(await enabledOnes()).toEqual([ids[7]]);
    const changed = await portal.query(
      `SELECT client.id FROM client JOIN audit_event ON subject = client.id::text AND type = 'client.changed'
        WHERE client.version = 2 AND detail -> 'enabled' = '[true, false]' AND recorded_at > now() - interval '1 minute'
        GROUP BY client.id`,
    );
    expect(changed).toHaveLength(59);
  });

  it('are changed once when the answer was lost and the call is repeated, also by two at the same time', async () => {
    const id = randomUUID();
    const request = { action: 'disable', filter };
    await Promise.all([put(request, id), put(request, id)]);
    expect(await carriedOut(request, id)).toMatchObject({ total: 60, changed: 60, unchanged: 0 });
    const versions = await portal.query("SELECT DISTINCT version FROM client WHERE client_id LIKE 'vendor-x-%'");
    expect(versions).toEqual([{ version: 2 }]);
  });

  it('are changed by two calls of two tabs without a failure', async () => {
    const [one, other] = await Promise.all([
      carriedOut({ action: 'disable', filter }),
      carriedOut({ action: 'disable', ids: [...ids].reverse() }),
    ]);
    expect([one.changed + other.changed, one.failed + other.failed]).toEqual([60, 0]);
  });

  it('go on where a killed node stopped', async () => {
    const id = randomUUID();
    const request = { action: 'disable', ids };
    await carriedOut(request, id);
    await portal.query('UPDATE bulk_change_item SET outcome = NULL WHERE bulk_change = $1 AND target = ANY ($2)', [
      id,
      ids.slice(30),
    ]);
    await portal.query('UPDATE client SET enabled = true, version = 1 WHERE id = ANY ($1)', [ids.slice(30)]);
    expect(await carriedOut(request, id)).toMatchObject({ total: 60, changed: 60 });
    expect(await enabledOnes()).toEqual([]);
  });

  it('are as before after an undo, apart from those that another administrator changed since', async () => {
    await alterClient(portal, 'vendor-x-01', { enabled: false });
    const id = randomUUID();
    await carriedOut({ action: 'disable', filter }, id);
    await portal.api.put(`${path}/${ids[4]}`).send({ clientName: 'Vendor X changed' }).expect(200);
    expect(await undone(id)).toMatchObject({ restored: 58, kept: 1, unchanged: 1 });
    const [first, , , , fifth] = ids;
    expect(await enabledOnes()).toEqual(ids.filter((one) => one !== first && one !== fifth));
  });

  it('are undone once, and not done any more after it', async () => {
    const id = randomUUID();
    const request = { action: 'disable', ids: ids.slice(0, 3) };
    await carriedOut(request, id);
    await Promise.all([undone(id), undone(id)]);
    const [versions] = await portal.query('SELECT array_agg(DISTINCT version) AS all FROM client WHERE id = ANY ($1)', [
      ids.slice(0, 3),
    ]);
    expect(versions).toEqual({ all: [3] });
    expect(await put(request, id)).toMatchObject({ done: 3, changed: 0, restored: 3 });
  });

  it('are enabled; one whose settings do not satisfy the rules any more is named and stays disabled', async () => {
    await portal.query("UPDATE client SET enabled = false WHERE client_id LIKE 'vendor-x-%'");
    await alterClient(portal, 'vendor-x-03', { settings: { redirectUris: [] } });
    const progress = await carriedOut({ action: 'enable', ids: ids.slice(0, 3) });
    expect(progress).toMatchObject({ changed: 2, failed: 1 });
    expect(progress.failures).toEqual([{ id: ids[2], name: 'Vendor X 3', reason: 'rules' }]);
    await alterClient(portal, 'vendor-x-03', { settings: { redirectUris: publicApp.redirectUris } });
  });

  it('get and lose tags, and have exactly those from before after an undo', async () => {
    const tagsOf = async (client: string | undefined) =>
      (await portal.api.get(`${path}/${client}`)).body.clientTags.map(({ id }: { id: string }) => id);
    await portal.query('INSERT INTO client_tag_link (client, tag) VALUES ($1, $2)', [ids[0], tags.ward]);
    const id = randomUUID();
    const request = { action: 'tag', ids: ids.slice(0, 2), addTags: [tags.pilot], removeTags: [tags.ward] };
    expect(await carriedOut(request, id)).toMatchObject({ changed: 2 });
    expect([await tagsOf(ids[0]), await tagsOf(ids[1])]).toEqual([[tags.pilot], [tags.pilot]]);
    expect(await undone(id)).toMatchObject({ restored: 2 });
    expect([await tagsOf(ids[0]), await tagsOf(ids[1])]).toEqual([[tags.ward], []]);
  });

  it('are not tagged with a tag that does not exist', async () => {
    const progress = await carriedOut({ action: 'tag', ids: ids.slice(0, 1), addTags: [randomUUID()] });
    expect(progress.failures).toEqual([{ id: ids[0], name: 'Vendor X 1', reason: 'tags' }]);
  });

  it('are not changed when the list is another one by now than the administrator saw', async () => {
    expect(await errorOf({ action: 'disable', filter, expected: 38 }, 409)).toEqual({
      messages: ['The list has changed in the meantime. Please look at it again and repeat this.'],
    });
    expect(await enabledOnes()).toHaveLength(60);
  });

  it.each([
    ['neither ids nor a filter', { action: 'disable' }],
    ['both', { action: 'disable', ids: [randomUUID()], filter }],
    ['no ids', { action: 'disable', ids: [] }],
    ['ids that are none', { action: 'disable', ids: ["'; DROP TABLE client; --"] }],
    ['ids that are no texts', { action: 'disable', ids: [{ $ne: null }] }],
    ['too many ids', { action: 'disable', ids: Array.from({ length: 1001 }, () => randomUUID()) }],
    ['an unknown action', { action: 'drop', filter }],
    ['an unknown filter', { action: 'disable', filter: { name: 'x' } }],
    ['a filter that is a text', { action: 'disable', filter: 'x' }],
    ['NUL in the search', { action: 'disable', filter: { searchTerm: 'a\0' } }],
    ['no tag', { action: 'tag', filter }],
  ])('are refused with 400 for %s', async (_, request) => {
    expect((await errorOf(request, 400)).messages).toHaveLength(1);
    expect(await portal.query('SELECT FROM bulk_change')).toHaveLength(0);
  });

  it('are refused for a call whose id is no UUID, or that of another call', async () => {
    await errorOf({ action: 'disable', filter }, 400, 'x');
    const id = randomUUID();
    await carriedOut({ action: 'disable', ids: ids.slice(0, 1) }, id);
    await errorOf({ action: 'disable', ids: ids.slice(0, 2) }, 409, id);
    await portal.api.post(`${path}/bulk/${randomUUID()}/undo`).expect(404);
    await portal.api.post(`${path}/bulk/%27/undo`).expect(404);
  });

  it('say of which the access had ended before the undo enabled them', async () => {
    const id = randomUUID();
    const [inTime, late] = ids;
    await carriedOut({ action: 'disable', ids: [inTime, late] }, id);
    await portal.query("UPDATE job SET due_at = now() - interval '1 second' WHERE key = $1", [`access ${late}`]);
    expect(await undone(id)).toMatchObject({ restored: 2, kept: 0, withoutAccess: 1 });
    expect(await enabledOnes()).toEqual(ids);
  });
});

describe('Many clients that were deleted', () => {
  const restore = (id: string | undefined) => portal.api.post(`${path}/${id}/restore`).expect(200);
  const statusOf = async (id: string | undefined) => (await portal.api.get(`${path}/${id}`)).status;
  const endTimeOf = (id: string | undefined) =>
    portal.query("UPDATE job SET due_at = now() - interval '1 second' WHERE key = $1", [`client ${id}`]);
  const left = ({ failures }: BulkProgress) => failures.map(({ name, reason }) => [name, reason]);

  async function shortLived(count: number): Promise<string[]> {
    const rows = await portal.query<{ id: string }>(
      `INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
       SELECT gen_random_uuid(), 'short-' || gen_random_uuid(), 'Short ' || i, client_type, i <> 2, 1, settings, now(), now()
         FROM generate_series(1, $1) AS i JOIN client ON client_id = 'public-app' RETURNING id, client_name`,
      [count],
    );
    return rows.map(({ id }) => id);
  }

  it('are as before after an undo, with their tags, also one that was disabled', async () => {
    const chosen = await shortLived(30);
    await portal.query('INSERT INTO client_tag_link (client, tag) VALUES ($1, $2)', [chosen[0], tags.ward]);
    const id = randomUUID();
    expect(await carriedOut({ action: 'delete', ids: chosen }, id)).toMatchObject({ changed: 30 });
    expect(await statusOf(chosen[0])).toBe(404);
    await Promise.all([undone(id), undone(id)]);
    expect(await undone(id)).toMatchObject({ restored: 30, kept: 0, failures: [] });
    const { body } = await portal.api.get(`${path}/${chosen[0]}`).expect(200);
    expect([body.enabled, body.clientTags.map((tag: { id: string }) => tag.id)]).toEqual([true, [tags.ward]]);
    expect((await portal.api.get(`${path}/${chosen[1]}`).expect(200)).body.enabled).toBe(false);
    expect(await portal.query('SELECT FROM job WHERE key = ANY ($1)', [chosen.map((one) => `client ${one}`)])).toEqual(
      [],
    );
  });

  it('stay deleted where it is too late, are named, and are removed', async () => {
    const chosen = await shortLived(3);
    const id = randomUUID();
    await carriedOut({ action: 'delete', ids: chosen }, id);
    await endTimeOf(chosen[2]);
    const progress = await undone(id);
    expect(progress).toMatchObject({ restored: 2, kept: 1 });
    expect(left(progress)).toEqual([['Short 3', 'too-late']]);
    expect([await statusOf(chosen[0]), await statusOf(chosen[2])]).toEqual([200, 404]);
    await until(async () => (await portal.query('SELECT FROM client WHERE id = $1', [chosen[2]])).length === 0);
  });

  it('are left alone by the undo where another call restored them, or deleted them again', async () => {
    const chosen = await shortLived(3);
    const id = randomUUID();
    await carriedOut({ action: 'delete', ids: chosen }, id);
    await restore(chosen[1]);
    await restore(chosen[2]);
    await portal.api.delete(`${path}/${chosen[2]}`).expect(204);
    const progress = await undone(id);
    expect(progress).toMatchObject({ restored: 1, kept: 2 });
    expect(left(progress)).toEqual([
      ['Short 2', 'changed-since'],
      ['Short 3', 'changed-since'],
    ]);
    expect([await statusOf(chosen[1]), await statusOf(chosen[2])]).toEqual([200, 404]);
  });

  it('are not restored by the undo if they were deleted before', async () => {
    const [before, one] = await shortLived(2);
    await portal.api.delete(`${path}/${before}`).expect(204);
    const id = randomUUID();
    expect(await carriedOut({ action: 'delete', ids: [before, one] }, id)).toMatchObject({ changed: 1, failed: 1 });
    expect(await undone(id)).toMatchObject({ restored: 1 });
    expect([await statusOf(before), await statusOf(one)]).toEqual([404, 200]);
  });
});

describe('The export of clients', () => {
  it('has the chosen ones or those that the filter finds, in the order of their ids, and is recorded', async () => {
    const all = await portal.api.post(`${path}/export`).send({ filter }).expect(200);
    expect(all.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(all.headers['content-disposition']).toMatch(/^attachment; filename="clients-[\d-]+\.csv"$/);
    const lines = all.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(61);
    expect(lines[0]).toBe(
      '\uFEFFclient_id,name,type,enabled,tags,company,description,grant_types,redirect_uris,secrets,next_secret_end,id,scopes,operation_scopes',
    );
    expect(lines[1]).toMatch(/^vendor-x-01,"Vendor X 1",StandaloneApp,true,/);
    expect(lines[1]).toMatch(/,"patient\/\*\.cruds user\/\*\.cruds offline_access",all$/);
    const two = await portal.api.post(`${path}/export`).send({ ids: [ids[1], ids[0]] });
    expect(two.text.trimEnd().split('\r\n')).toHaveLength(3);
    const recorded = await portal.query("SELECT detail FROM audit_event WHERE type = 'list.exported' ORDER BY id DESC");
    expect(recorded[0]).toEqual({ detail: { list: 'clients', count: 2 } });
  });

  it('has no cell that a spreadsheet would compute', async () => {
    const { text } = await portal.api.post(`${path}/export`).send({ filter: { searchTerm: 'public-app' } });
    expect(text).toContain(`public-app,"'=HYPERLINK(""https://evil.test"")"`);
  });
});
