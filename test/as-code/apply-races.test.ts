import pg from 'pg';
import { type AsCodePortal, startAsCodePortal } from '../support/portal/as-code-portal.js';
import { until } from '../support/until.js';

const app = {
  clientId: 'heart',
  clientName: 'Heart',
  clientType: 'StandaloneApp',
  requireClientSecret: false,
  redirectUris: ['https://heart.example/cb'],
};
const stored = { version: 1, clients: [app] };
const wanted = {
  version: 1,
  tags: [{ value: 'Pilot', color: '#1D6FB8' }],
  clients: [{ ...app, clientName: 'New name' }],
};

describe('applying a file while something else happens', () => {
  let portal: AsCodePortal;
  let other: pg.Client;

  beforeAll(async () => {
    portal = await startAsCodePortal();
    other = new pg.Client(portal.connection);
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await portal.close();
  });
  beforeEach(async () => {
    await portal.query('DELETE FROM client; DELETE FROM tag');
    await portal.apply(stored);
    await other.query("BEGIN; SELECT FROM client WHERE client_id = 'heart' FOR UPDATE");
  });

  const outcome = (work: Promise<string>) =>
    work.then(
      () => 'applied',
      (error: Error) => error.message,
    );
  const isWaiting = async () =>
    (await portal.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"))
      .length > 0;

  test('a second apply is refused while the first one waits for a client', async () => {
    const first = outcome(portal.apply(wanted));
    await until(isWaiting);
    expect(await outcome(portal.apply(wanted))).toBe(
      'Another process is applying a file at this moment. Please try again.',
    );
    await other.query('COMMIT');
    expect(await first).toBe('applied');
    expect(await portal.plan(wanted)).toBe('No changes.');
  });

  test('a client that an administrator changes meanwhile is not overwritten, and nothing of the file is applied', async () => {
    const first = outcome(portal.apply(wanted));
    await until(isWaiting);
    await other.query(
      "UPDATE client SET client_name = 'By hand', version = version + 1 WHERE client_id = 'heart'; COMMIT",
    );
    expect(await first).toMatch(/clients\.0: The client was changed by another administrator in the meantime/);
    expect(await portal.query('SELECT client_name FROM client')).toEqual([{ client_name: 'By hand' }]);
    expect(await portal.query('SELECT FROM tag')).toEqual([]);
  });

  test('an administrator who changes a client while it is taken over is refused', async () => {
    await other.query('COMMIT');
    await portal.releases.releaseAll();
    await other.query("BEGIN; SELECT FROM client WHERE client_id = 'heart' FOR UPDATE");
    const { body } = await portal.api.get('/api/admin/client').expect(200);
    const taken = outcome(portal.apply(stored, { adopt: true }));
    await until(isWaiting);
    const change = portal.api.put(`/api/admin/client/${body.clients[0].id}`).send({ clientName: 'By hand' });
    const answered = change.then(({ status }) => status);
    await until(async () => {
      const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      return (await portal.query(waiting)).length === 2;
    });
    await other.query('COMMIT');
    expect([await taken, await answered]).toEqual(['applied', 409]);
    expect(await portal.plan(stored)).toBe('No changes.');
  });
});
