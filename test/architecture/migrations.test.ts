import { readFileSync } from 'node:fs';
import pg from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { examineMigrations } from '../../scripts/migrations/examine.mjs';
import { fillAsReleaseBefore, withLaterMigrations } from '../../scripts/migrations/release-before.mjs';
import { migrate } from '../../src/platform/database/migrate.js';
import { releaseBefore } from '../../src/platform/database/releases.js';
import { rollBack } from '../../src/platform/database/roll-back.js';
import { createDatabase, type TestConnection } from '../support/database/database.js';
import { schemaOf } from '../support/database/schema.js';

interface Planted {
  name: string;
  transaction?: boolean;
  up(runner: QueryRunner): Promise<void>;
}

const release = { version: '0.1.0', commit: '', migrations: ['Last1700000000001'] };

let connection: TestConnection;
let drop: () => Promise<void>;
let original: Awaited<ReturnType<typeof createDatabase>>;

beforeAll(async () => {
  original = await createDatabase({ empty: true });
  await fillAsReleaseBefore(original.connection);
});
afterAll(() => original.drop());
beforeEach(async () => {
  ({ connection, drop } = await createDatabase({ template: original.connection.database }));
});
afterEach(() => drop());

it('Each table of the schema is named in docs/architecture.md', async () => {
  const { connection: migrated, drop: end } = await createDatabase();
  const client = new pg.Client(migrated);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'migrations'`,
  );
  await client.end();
  await end();
  const document = readFileSync('docs/architecture.md', 'utf8');
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.map(({ name }) => name).filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
});

/** Runs the statements as a migration after those of the release before; returns what is wrong with it. */
async function findingsOf(statements: string[], { transaction = true } = {}): Promise<string[]> {
  return withLaterMigrations(connection, async (source: DataSource) => {
    const planted: Planted = {
      name: 'Planted1999999999999',
      transaction,
      async up(runner) {
        for (const sql of statements) await runner.query(sql);
      },
    };
    return (await examineMigrations(source, [planted], release))[0]?.findings ?? ['was not examined'];
  });
}

describe('A migration after the release before', () => {
  it.each([
    [
      'a new table with its indexes',
      ['CREATE TABLE fresh (id uuid PRIMARY KEY, account uuid)', 'CREATE INDEX fresh_account ON fresh (account)'],
    ],
    ['a new column that can be empty', ['ALTER TABLE account ADD COLUMN fresh text']],
    ['a new column with a constant', ["ALTER TABLE account ADD COLUMN fresh text[] NOT NULL DEFAULT '{}'"]],
    ['new statistics', ['CREATE STATISTICS fresh ON full_name, email FROM account']],
  ])('can add %s', async (_, statements) => expect(await findingsOf(statements)).toEqual([]));

  it('can add an index concurrently', async () =>
    expect(
      await findingsOf(['CREATE INDEX CONCURRENTLY IF NOT EXISTS fresh ON account (full_name)'], {
        transaction: false,
      }),
    ).toEqual([]));

  it.each<[string, string[], RegExp]>([
    [
      'remove a column',
      ['ALTER TABLE account DROP COLUMN full_name CASCADE'],
      /^removes or renames the column account\.full_name, which/,
    ],
    [
      'rename a column',
      ['ALTER TABLE account RENAME COLUMN profile TO other'],
      /^removes or renames the column account\.profile, /,
    ],
    ['remove a table', ['DROP TABLE receipt'], /^removes or renames the table receipt, /],
    ['rename a table', ['ALTER TABLE receipt RENAME TO other'], /^removes or renames the table receipt, /],
    [
      'remove a function',
      ['DROP FUNCTION make_audit_partition'],
      /^removes or renames the function make_audit_partition, /,
    ],
    [
      'change a type',
      ['ALTER TABLE account ALTER COLUMN version TYPE bigint'],
      /^changes the type of the column account\.version from integer to bigint$/,
    ],
    [
      'write a table again',
      ['ALTER TABLE launch ADD COLUMN fresh uuid DEFAULT gen_random_uuid()'],
      /^writes the whole table launch again/,
    ],
    [
      'require a value that the release before does not write',
      ['ALTER TABLE receipt ADD COLUMN fresh text NOT NULL'],
      /^adding-required-field: /,
    ],
    [
      'refuse what the release before writes',
      ['CREATE UNIQUE INDEX fresh ON receipt (client_id)'],
      /^adds the unique index fresh to the table receipt, which can refuse/,
    ],
    [
      'stop changes while an index is created',
      ['CREATE INDEX fresh ON account (full_name)'],
      /^require-concurrent-index-creation: /,
    ],
    [
      'check all rows while it stops other sessions',
      ["ALTER TABLE account ADD CONSTRAINT fresh CHECK (full_name <> 'x')"],
      /^constraint-missing-not-valid: /,
    ],
    [
      'change rows while it stops other sessions',
      ['ALTER TABLE account ADD COLUMN fresh text', "UPDATE account SET fresh = 'x'"],
      /^holds AccessExclusiveLock on account while it reads all and writes all of its rows/,
    ],
  ])('cannot %s', async (_, statements, finding) => {
    expect(await findingsOf(statements)).toEqual(expect.arrayContaining([expect.stringMatching(finding)]));
  });

  const contraction = (version: string, needs: string) => [
    'DROP TABLE receipt',
    `INSERT INTO contraction VALUES ('Planted1999999999999', '${version}', '${needs}')`,
  ];

  it('can remove a table that the release before does not use, if it says which releases can serve from then on', async () =>
    expect(await findingsOf(contraction('0.1.0', 'Last1700000000001'))).toEqual([]));

  it.each([
    ['0.2.0', 'Last1700000000001'],
    ['0.1.0', 'Planted1999999999999'],
  ])('cannot end the service of the release before, which still runs (%s, %s)', async (version, needs) =>
    expect(await findingsOf(contraction(version, needs))).toEqual([
      `can be served from release ${version} on, and nodes of 0.1.0 still run`,
    ]),
  );
});

describe('The migrations since the release before', () => {
  it('can all be undone: what is left is the schema of that release', async () => {
    const before = releaseBefore();
    if (!before) throw new Error('releases.json names no release');
    const expected = await schemaOf(connection);
    await migrate(connection);
    await rollBack(connection, before);
    expect(await schemaOf(connection)).toEqual(expected);
  });
});
