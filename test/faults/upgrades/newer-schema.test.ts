import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { addressOf, createDatabase, type TestConnection } from '../../support/database/database.js';
import { callGatehouse, configured } from '../../support/portal/command-line.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { until } from '../../support/until.js';

let client: pg.Client;
let connection: TestConnection;
let drop: () => Promise<void>;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-newer-'));
  ({ connection, drop } = await createDatabase());
  client = new pg.Client(connection);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await drop();
  await rm(folder, { recursive: true });
});

/** As later releases leave it: with a migration, and one that removes what releases before 0.8.0 use. */
async function migrateByLaterRelease(): Promise<void> {
  await client.query("INSERT INTO migrations (timestamp, name) VALUES (1999999999998, 'Added1999999999998')");
}
async function contractByLaterRelease(): Promise<void> {
  await client.query("INSERT INTO migrations (timestamp, name) VALUES (1999999999999, 'Removed1999999999999')");
  await client.query("INSERT INTO contraction VALUES ('Removed1999999999999', '0.8.0', 'Added1999999999998')");
}
const startNode = async () => PortalProcess.start({ database: connection, port: (await freePorts(1))[0] ?? 0 });

/** The configuration of an operator for commands on this database. */
const configuration = () =>
  configured(folder, { database: { url: addressOf(connection) }, keys: { masterKey: '7'.repeat(64) } });
const gatehouse = async (...words: string[]) => callGatehouse(await configuration(), ...words);

describe('R-11 A schema that a later release has migrated', () => {
  it('is served by this release, whose node is unready once something was removed that it uses', async () => {
    await migrateByLaterRelease();
    const node = await startNode();
    expect(await node.isReady()).toBe(true);
    const { code, out } = await gatehouse('database', 'status');
    expect(code).toBe(0);
    expect(out).toMatch(/^Served by it +yes$/m);
    expect(out).toMatch(/^Of later releases +Added1999999999998$/m);
    expect(out).toMatch(/^Running nodes +1 of \d+\.\d+\.\d+$/m);
    await contractByLaterRelease();
    await until(async () => !(await node.isReady()));
    await client.query('DELETE FROM contraction');
    await until(() => node.isReady());
    expect(await node.end('SIGTERM')).toBe(0);
  });

  it('ends a start and commands of this release with one line once something was removed that it uses', async () => {
    await contractByLaterRelease();
    const line =
      /^The database cannot be used: a later release has changed its schema, which this release \(\d+\.\d+\.\d+\) cannot serve: start release 0\.8\.0 or a later one, or restore the backup from before the upgrade\n$/;
    await expect(startNode()).rejects.toThrow(new RegExp(`before it was ready:\n${line.source.slice(1)}`));
    for (const words of [
      ['keys', 'list'],
      ['database', 'migrate'],
    ]) {
      const { code, out, err } = await gatehouse(...words);
      expect([code, out, err]).toEqual([1, '', expect.stringMatching(line)]);
    }
    const { code, out } = await gatehouse('database', 'status');
    expect([code, out]).toEqual([1, expect.stringMatching(/^Served by it +no, by 0\.8\.0 and later$/m)]);
  });

  it('is migrated by a command, which names what it has done, and can be repeated', async () => {
    await client.end();
    await drop();
    ({ connection, drop } = await createDatabase({ empty: true }));
    client = new pg.Client(connection);
    await client.connect();
    const pending = await gatehouse('database', 'status');
    expect([pending.code, pending.out]).toEqual([1, expect.stringMatching(/^Served by it +after its migrations$/m)]);
    const first = await gatehouse('database', 'migrate');
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toMatch(/^The schema has all migrations of this release\.\n {2}Done: Platform1763700000000\n/);
    const again = await gatehouse('database', 'migrate');
    expect([again.code, again.out]).toEqual([0, 'The schema has all migrations of this release.\n']);
    expect((await gatehouse('database', 'status')).code).toBe(0);
  });
});
