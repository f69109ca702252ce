import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { ClientListingTags1763700000054 } from '../../migrations/index.js';
import type { ClientList } from '../../src/contract/clients/clients.js';
import { createDatabase } from '../support/database/database.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';
import { runs } from '../support/runs.js';

const path = '/api/admin/client';
const app = {
  clientName: 'Heart Companion',
  clientType: 'StandaloneApp',
  requireClientSecret: false,
  requirePkce: true,
  redirectUris: ['https://app.example/callback'],
};

/** The clients whose tags in the listing are not those that they have. */
const differing = `
  SELECT id FROM client_listing
   WHERE tags <> ARRAY(SELECT tag FROM client_tag_link WHERE client = client_listing.id ORDER BY tag)`;

describe('A list of clients filtered by a tag', () => {
  let portal: AdminPortal;

  beforeAll(async () => {
    portal = await startAdminPortal();
  });
  afterAll(() => portal.close());
  beforeEach(async () => {
    await portal.query('DELETE FROM client');
    await portal.query('DELETE FROM tag');
  });
  afterEach(async () => {
    expect(await portal.query(differing)).toEqual([]);
  });

  const createTag = async (value: string): Promise<{ id: string }> =>
    (await portal.api.post('/api/admin/configuration/tag').send({ value, color: '#123456' }).expect(201)).body;
  const createClient = async (clientId: string, clientTags: { id: string }[]): Promise<{ id: string }> =>
    (
      await portal.api
        .post(path)
        .send({ ...app, clientId, clientTags })
        .expect(201)
    ).body;
  const setTags = (client: { id: string }, clientTags: { id: string }[]) =>
    portal.api.put(`${path}/${client.id}`).send({ clientTags });
  const listed = async (query: Record<string, string>) =>
    ((await portal.api.get(path).query(query).expect(200)).body as ClientList).clients.map(({ clientId }) => clientId);

  it('follows the tags that clients are given and lose', async () => {
    const [pilot, ward] = [await createTag('Pilot'), await createTag('Ward')];
    const one = await createClient('one', [pilot, ward]);
    await createClient('two', [ward]);
    expect(await listed({ tags: pilot.id })).toEqual(['one']);
    await setTags(one, [ward]).expect(200);
    expect(await listed({ tags: pilot.id })).toEqual([]);
    expect(await listed({ tags: ward.id, searchTerm: 'heart' })).toEqual(['one', 'two']);
    await setTags(one, []).expect(200);
    expect(await listed({ tags: ward.id, searchTerm: 'heart' })).toEqual(['two']);
  });

  it('finds a renamed tag by its new name alone', async () => {
    const pilot = await createTag('Pilot');
    await createClient('one', [pilot]);
    await portal.api
      .put(`/api/admin/configuration/tag/${pilot.id}`)
      .send({ value: 'Finished', color: '#123456' })
      .expect(200);
    expect(await listed({ searchTerm: 'Finished' })).toEqual(['one']);
    expect(await listed({ searchTerm: 'Pilot' })).toEqual([]);
    expect(await listed({ tags: pilot.id })).toEqual(['one']);
  });

  it('is empty after the tag was deleted, and leaves out a deleted client', async () => {
    const [pilot, ward] = [await createTag('Pilot'), await createTag('Ward')];
    const one = await createClient('one', [pilot, ward]);
    await createClient('two', [pilot, ward]);
    await portal.api.delete(`/api/admin/configuration/tag/${pilot.id}`).expect(204);
    expect(await listed({ tags: pilot.id })).toEqual([]);
    await portal.api.delete(`${path}/${one.id}`).expect(204);
    expect(await listed({ tags: ward.id })).toEqual(['two']);
  });

  it('agrees with the tags after administrators changed clients and deleted their tags at the same time', async () => {
    for (let run = 0; run < runs(4, 40).numRuns; run += 1) {
      const tags = await Promise.all(['a', 'b', 'c', 'd'].map((name) => createTag(`${name}${run}`)));
      const clients = await Promise.all(['x', 'y', 'z'].map((name) => createClient(`${name}${run}`, tags)));
      const answers = await Promise.all([
        ...tags.slice(0, 2).map(({ id }) => portal.api.delete(`/api/admin/configuration/tag/${id}`)),
        ...clients.map((client) => setTags(client, tags.slice(2, 3))),
        ...clients.map((client) => setTags(client, tags)),
        portal.api.delete(`${path}/${clients[0]?.id}`),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(await portal.query(differing)).toEqual([]);
    }
  });
});

describe('The migration of the tags in the listing', () => {
  it('copies the tags that clients have, and can be undone', async () => {
    const database = await createDatabase();
    const client = new pg.Client(database.connection);
    await client.connect();
    const migration = new ClientListingTags1763700000054();
    const runner = { query: (sql: string) => client.query(sql) } as unknown as QueryRunner;
    await migration.down(runner);
    await client.query(`
      INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
      SELECT gen_random_uuid(), 'c' || i, 'Client', 'StandaloneApp', true, 1, '{}', now(), now() FROM generate_series(1, 3) i`);
    await client.query(`INSERT INTO tag SELECT gen_random_uuid(), 't' || i, '#123456' FROM generate_series(1, 2) i`);
    await client.query(`
      INSERT INTO client_tag_link SELECT client.id, tag.id FROM client, tag WHERE client_id <> 'c3' AND (value = 't1' OR client_id = 'c1')`);
    await client.query('BEGIN');
    await migration.up(runner);
    await client.query('COMMIT');
    const { rows } = await client.query('SELECT id_key, cardinality(tags) AS tags FROM client_listing ORDER BY id_key');
    expect(rows).toEqual([
      { id_key: 'c1', tags: 2 },
      { id_key: 'c2', tags: 1 },
      { id_key: 'c3', tags: 0 },
    ]);
    expect((await client.query(differing)).rows).toEqual([]);
    await client.end();
    await database.drop();
  });
});
