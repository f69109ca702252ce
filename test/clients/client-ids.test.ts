import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { ClientIds1763700000044 } from '../../migrations/index.js';
import { createDatabase } from '../support/database/database.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';
import { startPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const path = '/api/admin/client';
const app = {
  clientId: 'Heart-Companion',
  clientName: 'Heart Companion',
  clientType: 'StandaloneApp',
  redirectUris: ['https://app.example/callback'],
  clientSecrets: [{ secretType: 'SharedSecret', secret: 'correct horse', description: 'Production' }],
};
const taken = 'This client id is already in use.';

describe('A client id (RFC 9700 §4.15)', () => {
  let portal: AdminPortal;

  beforeAll(async () => {
    portal = await startAdminPortal();
  });
  afterAll(() => portal.close());
  beforeEach(() => portal.query('DELETE FROM client'));

  const create = (clientId: string) => portal.api.post(path).send({ ...app, clientId });
  const userId = async () =>
    (await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [people.admin.email]))[0]?.id ?? '';

  it("cannot differ from another client's id by case alone, when a client is created or changed", async () => {
    await create('Heart-Companion').expect(201);
    const { body } = await create('heart-companion').expect(409);
    expect(body.errors).toEqual([{ field: 'clientId', messages: [taken] }]);
    const other = (await create('lung-companion').expect(201)).body;
    await portal.api.put(`${path}/${other.id}`).send({ clientId: 'HEART-companion' }).expect(409);
    await portal.api.put(`${path}/${other.id}`).send({ clientId: 'Lung-Companion' }).expect(200);
  });

  it('cannot be the id of a user, when a client is created or changed', async () => {
    const id = await userId();
    for (const clientId of [id, id.toUpperCase()]) await create(clientId).expect(409);
    const other = (await create('lung-companion').expect(201)).body;
    await portal.api.put(`${path}/${other.id}`).send({ clientId: id }).expect(409);
    await create('5b1c6a52-0000-4000-8000-000000000000').expect(201);
  });

  it('is given to one of several clients created at once with ids that differ by case', async () => {
    const spellings = ['race-app', 'Race-App', 'RACE-APP', 'race-APP', 'Race-app'];
    const answers = await Promise.all(spellings.map((clientId) => create(clientId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it('in the configuration stops the start when another one differs by case alone', async () => {
    const clients = [app, { ...app, clientId: 'heart-companion' }];
    await expect(startPortal({ config: { clients } })).rejects.toMatchObject({
      problems: [`clients.1.clientId: ${taken}`],
    });
  });

  it.each([null, undefined])('S5-084 is given to no client of type %s', async (clientType) => {
    const { body } = await portal.api
      .post(path)
      .send({ ...app, clientType })
      .expect(400);
    expect(body.errors).toEqual([{ field: 'clientType', messages: ['Please choose a valid client type'] }]);
  });

  it('S5-084 prevents a client from being changed to type null', async () => {
    const { id } = (await create('lung-companion').expect(201)).body;
    await portal.api.put(`${path}/${id}`).send({ clientType: null }).expect(400);
  });

  it.each(['secret-é', 'пароль', 'key\u00a0one'])(
    'cannot have a secret that HTTP Basic cannot transmit: %j',
    async (secret) => {
      const clientSecrets = [{ secretType: 'SharedSecret', secret, description: 'Production' }];
      const { body } = await portal.api
        .post(path)
        .send({ ...app, clientSecrets })
        .expect(400);
      expect(body.errors).toEqual([
        {
          field: 'clientSecrets.0.secret',
          messages: ['Please use only letters, digits and symbols of ASCII: apps cannot send any other'],
        },
      ]);
    },
  );
});

describe('Older clients whose ids differ by case alone', () => {
  it('still exist and can be changed, and no further one can be added', async () => {
    const { connection, drop } = await createDatabase();
    const database = new pg.Client(connection);
    await database.connect();
    const runner = { query: (sql: string) => database.query(sql) } as unknown as QueryRunner;
    const insert = (clientId: string) =>
      database.query(
        `INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
         VALUES (gen_random_uuid(), $1, 'An app', 'StandaloneApp', true, 1, '{}', now(), now())`,
        [clientId],
      );
    const migration = new ClientIds1763700000044();
    await migration.down(runner);
    for (const clientId of ['App', 'app', 'APP', 'other']) await insert(clientId);
    await database.query('BEGIN');
    await migration.up(runner);
    await database.query('COMMIT');
    await expect(insert('aPP')).rejects.toThrow('another client has this client id');
    await database.query("UPDATE client SET client_name = 'Changed', client_id = client_id");
    await database.query("DELETE FROM client WHERE client_id = 'App'");
    await expect(insert('aPP')).rejects.toThrow('another client has this client id');
    await database.query("UPDATE client SET client_id = 'third' WHERE client_id = 'APP'");
    await expect(insert('Third')).rejects.toThrow('another client has this client id');
    const { rows } = await database.query('SELECT client_id FROM client ORDER BY client_id COLLATE "C"');
    expect(rows.map((row) => row.client_id)).toEqual(['app', 'other', 'third']);
    await database.end();
    await drop();
  });
});
