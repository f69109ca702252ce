import pg from 'pg';
import { refusePooledTransactions } from '../../../src/platform/database/first-contact.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { hasPgBouncer, PgBouncer } from '../../support/database/pgbouncer.js';
import { Agent } from '../../support/http/agent.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const app = { ...publicApp, requireConsent: false };
const config = { users: [people.patient], clients: [app] };

(hasPgBouncer ? describe : describe.skip)('Behind PgBouncer (skipped where it is not installed)', () => {
  let database: TestConnection;
  let drop: () => Promise<void>;
  let pooler: PgBouncer;
  const nodes: PortalProcess[] = [];

  async function begin(mode: 'session' | 'transaction' | 'statement', { empty = false } = {}): Promise<void> {
    ({ connection: database, drop } = await createDatabase({ empty }));
    pooler = await PgBouncer.start(mode, database);
  }

  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.end('SIGTERM')));
    await pooler.stop();
    await drop();
  });

  const startNodes = async (count: number) => {
    const ports = await freePorts(count);
    const issuer = `http://localhost:${ports[0]}`;
    for (const port of ports) {
      nodes.push(await PortalProcess.start({ database: pooler.reach(database), port, issuer, config }));
    }
    return { issuer, ports };
  };

  it('in session mode of a pooler, two nodes migrate an empty database, sign users in, and notify each other', async () => {
    await begin('session', { empty: true });
    const { issuer, ports } = await startNodes(2);
    const portal = { issuer, fhirBase: `${issuer}/fhir` };
    const smart = new SmartApp(portal, { client: app });
    const { refresh_token: token = '' } = await smart.tokens(people.patient);
    const other = new Agent(issuer, ports[1]);
    expect((await smart.refresh(token, {}, other)).status).toBe(200);

    const { access_token: access = '' } = await new SmartApp(portal, { client: app }).tokens(people.patient);
    const asked = () => other.get('/connect/userinfo', { headers: { authorization: `Bearer ${access}` } });
    expect((await asked()).status).toBe(200);
    const revoked = await new Agent(issuer, ports[0]).postForm('/connect/revocation', {
      token: access,
      client_id: app.clientId,
    });
    expect(revoked.status).toBe(200);
    // By the other node's notification: the node's cache would be valid for longer than this waits.
    await until(async () => (await asked()).status === 401, 15_000);
  });

  it.each(['transaction', 'statement'] as const)(
    'in %s mode of a pooler, a node ends with a log line that names the mode, and no lock is left',
    async (mode) => {
      await begin(mode, { empty: true });
      await expect(startNodes(1)).rejects.toThrow(
        /\nThe database cannot be used: the pooler .* \(its pool_mode is "transaction" or "statement"\).*: set pool_mode = session\n/,
      );
      await migrate(database, { giveUpAfterMs: 2_000 });
    },
  );

  it('in transaction mode of a pooler, a migration leaves no lock that would block the next node', async () => {
    await begin('transaction', { empty: true });
    await migrate(pooler.reach(database));
    const client = new pg.Client(database);
    await client.connect();
    const { rows } = await client.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await client.end();
    expect(rows).toEqual([]);
  });

  it('in transaction mode, a busy pooler is recognised as well', async () => {
    await begin('transaction');
    const others = Array.from({ length: 4 }, () => new pg.Client(pooler.reach(database)));
    for (const other of others) await other.connect();
    let going = true;
    const load = others.map(async (other) => {
      while (going) await other.query('SELECT pg_sleep(0.01)');
    });
    await expect(refusePooledTransactions(pooler.reach(database), 1_000)).rejects.toThrow(/pool_mode = session$/);
    going = false;
    await Promise.all(load);
    for (const other of others) await other.end();
  });

  it('a startup parameter that the pooler does not know is named, with the setting that permits it', async () => {
    await begin('session');
    const { host, port, user, database: name } = pooler.reach(database);
    const url = `postgres://${user}@${host}:${port}/${name}?options=-c%20statement_timeout%3D5000`;
    await expect(
      PortalProcess.start({ database, port: (await freePorts(1))[0] ?? 0, config: { database: { url } } }),
    ).rejects.toThrow(
      /\nThe database cannot be used: the pooler in front of the database refuses the startup parameter "options": .* ignore_startup_parameters\n/,
    );
  });
});
