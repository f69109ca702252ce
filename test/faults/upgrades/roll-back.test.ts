import pg from 'pg';
import * as migrations from '../../../migrations/index.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { rollBack } from '../../../src/platform/database/roll-back.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { withMigrations } from '../../support/database/earlier-schema.js';
import { schemaOf } from '../../support/database/schema.js';

const version = '0.0.9';
const namesUpTo = (last: number) => Object.keys(migrations).filter((name) => Number(name.slice(-13)) <= last);
/** A release with the migrations up to this number. */
const releaseAt = (last: number) => ({ version, migrations: namesUpTo(last) });
const release = releaseAt(1763700000062);
const later = Object.keys(migrations).filter((name) => !release.migrations.includes(name));

let client: pg.Client;
let connection: TestConnection;
let drop: () => Promise<void>;

beforeEach(async () => {
  ({ connection, drop } = await createDatabase());
  client = new pg.Client(connection);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await drop();
});

const addUser = async (issuer: string | null = null) => {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at, issuer, subject)
     VALUES (gen_random_uuid(), 'ada@example.org', 'Ada', 'Patient', '[]', true, $1::text IS NOT NULL, 's', now(), $1, $1) RETURNING id`,
    [issuer],
  );
  return rows[0]?.id;
};
const refused = async (reason: RegExp) => {
  const before = await schemaOf(connection);
  await expect(rollBack(connection, release)).rejects.toThrow(reason);
  expect(await schemaOf(connection)).toEqual(before);
};

describe('R-11 The rollback of a schema to the release before', () => {
  it('undoes the migrations that this release does not know, and leaves its schema, which can be migrated again', async () => {
    const old = await createDatabase({ empty: true });
    await withMigrations(old.connection, 1763700000062, (source) => source.runMigrations());
    const expected = await schemaOf(old.connection);
    await old.drop();
    await addUser();
    expect([...(await rollBack(connection, release))].sort()).toEqual([...later].sort());
    // A function can be written in several ways.
    const named = (lines: string[]) => lines.map((line) => (line.startsWith('CREATE OR') ? line.split('\n')[0] : line));
    expect(named(await schemaOf(connection))).toEqual(named(expected));
    expect(await rollBack(connection, release)).toEqual([]);
    expect((await migrate(connection)).sort()).toEqual([...later].sort());
    expect((await client.query('SELECT FROM account')).rowCount).toBe(1);
  });

  it('is refused while a table or a column that it would remove holds something, and names each', async () => {
    const user = await addUser();
    await client.query("INSERT INTO receipt VALUES ('r1', $1, 'app', now(), '{}'), ('r2', $1, 'app', now(), '{}')", [
      user,
    ]);
    await client.query(
      `INSERT INTO account_link (account_id, purpose, token_hash, mail_id, expires_at, client_id)
       VALUES ($1, 'password-reset', 'h', gen_random_uuid(), now(), 'app')`,
      [user],
    );
    await refused(/^Data would be lost: account_link\.client_id has 1 row; receipt has 2 rows\.$/);
    await client.query('DELETE FROM receipt');
    await client.query('UPDATE account_link SET client_id = NULL');
    expect(await rollBack(connection, release)).toHaveLength(later.length);
  });

  it('loses what can be computed again', async () => {
    await client.query(
      `INSERT INTO launch (id, kind, started_at, last_at, outcome, entries) VALUES ('l', 'app', now(), now(), 'refused', '{}')`,
    );
    expect((await client.query('SELECT FROM launch_tally')).rowCount).toBe(1);
    expect(await rollBack(connection, releaseAt(1763700000058))).toContain('LaunchTally1763700000059');
    await migrate(connection);
    expect((await client.query('SELECT FROM launch_tally')).rowCount).toBe(1);
  });

  it('is refused if it would delete rows', async () => {
    await addUser('https://idp.example.org');
    await expect(rollBack(connection, releaseAt(1763700000014))).rejects.toThrow(
      /^Data would be lost: account would lose 1 row; /,
    );
    expect((await client.query('SELECT FROM account')).rowCount).toBe(1);
  });

  it('is refused while a node of another release uses the schema', async () => {
    const node = (of: string) => new pg.Client({ ...connection, application_name: `gatehouse notifications ${of}` });
    const [own, newer] = [node(version), node('0.1.5')];
    await Promise.all([own.connect(), newer.connect()]);
    await refused(
      /^Nodes that are not of 0\.0\.9 use the schema \(1 of 0\.1\.5\): replace them by nodes of 0\.0\.9 first/,
    );
    await newer.end();
    expect(await rollBack(connection, release)).toHaveLength(later.length);
    await own.end();
  });

  it('is refused for a schema of a later release, whose command knows the way back', async () => {
    await client.query("INSERT INTO migrations (timestamp, name) VALUES (1999, 'Later1999999999999')");
    await refused(/^A later release has migrated the schema \(Later1999999999999\): use its command\.$/);
  });

  it('gives up while another session uses a table for long, and changes nothing', async () => {
    const backup = new pg.Client(connection);
    await backup.connect();
    await backup.query('BEGIN');
    await backup.query('SELECT FROM receipt');
    await refused(/^Another session uses a table of the schema .*: try again after it\.$/);
    await backup.query('COMMIT');
    await backup.end();
  });
});
