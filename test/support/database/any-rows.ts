import type pg from 'pg';
import { inOrderOfReferences, referencesOf, tablesOf } from '../../../src/platform/backup/schema-tables.js';

/** Everything that the text format of COPY has to escape, or could take for something else. */
const awkward = 'é\\ \\N \\. \t "quoted", \'single\'\r\nnext line\n\\.\nend';

/** By type; a second row has NULL where it may. */
const values: Record<string, unknown> = {
  text: awkward,
  'character varying': awkward,
  uuid: '7d0f3c0e-6c3f-4a55-9d5c-0a3f5c1f0a01',
  boolean: true,
  smallint: 7,
  integer: -2_000_000_000,
  bigint: '9007199254740993',
  'double precision': 0.1 + 0.2,
  real: 1.1,
  numeric: '12345678901234567890.123456789',
  date: '2026-02-28',
  'timestamp with time zone': '2026-03-29T01:30:00.123456Z',
  'timestamp without time zone': '2026-03-29T01:30:00.123456',
  jsonb: JSON.stringify({ [awkward]: [null, 1e21, awkward] }),
  json: JSON.stringify([awkward]),
  int8multirange: '{[1,5),[9,12)}',
  int8range: '[1,5)',
  bytea: Buffer.from([0, 255, 10, 92, 9]),
  _int4: [0, -1, 2_147_483_647],
  _text: ['', awkward, 'NULL', '{a,b}'],
  _int8: ['1', '9007199254740993'],
  _uuid: ['7d0f3c0e-6c3f-4a55-9d5c-0a3f5c1f0a02'],
};

/** Values that a constraint wants. */
const wanted: Record<string, unknown> = {
  'account.user_type': 'Patient',
  'account.issuer': null,
  'account.subject': null,
  'client.client_type': 'StandaloneApp',
  'client_secret.secret_type': 'SharedSecret',
  'client_secret.jwk': null,
  'client_secret.url': null,
  'account_link.purpose': 'activation',
  'audit_event.outcome': 'success',
  'contraction.needs': 'Platform1763700000000',
  'installation.singleton': true,
  'managed_object.tag': null,
  'managed_object.account': null,
};

/**
 * Makes sure that each table has rows, with values of each kind. A new table that a constraint keeps empty needs a line
 * above.
 */
export async function fillTables(client: pg.Client): Promise<void> {
  const tables = inOrderOfReferences(await tablesOf(client), await referencesOf(client));
  for (const { name } of tables) {
    if (name === 'migrations') continue;
    // The rows are made up; what triggers would do with them is not asked.
    await client.query(`ALTER TABLE "${name}" DISABLE TRIGGER USER`);
    if (name !== 'installation') await insert(client, name);
    await client.query(`ALTER TABLE "${name}" ENABLE TRIGGER USER`);
  }
}

interface Column {
  name: string;
  type: string;
  isNullable: boolean;
  isIdentity: boolean;
  /** `table.column` that it refers to. */
  needs: string | null;
}

async function insert(client: pg.Client, table: string): Promise<void> {
  const { rows: columns } = await client.query<Column>(
    `SELECT column_name AS name, CASE data_type WHEN 'ARRAY' THEN udt_name ELSE data_type END AS type, is_nullable = 'YES' AS "isNullable",
            (SELECT confrelid::regclass || '.' || (SELECT attname FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[1])
               FROM pg_constraint WHERE contype = 'f' AND conrelid = $1::text::regclass AND array_length(conkey, 1) = 1
                AND conkey[1] = ordinal_position LIMIT 1) AS needs,
            is_identity = 'YES' OR column_default LIKE 'nextval%' AS "isIdentity"
       FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = $1::text AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [table],
  );
  const given = [];
  for (const { name, type, isIdentity, needs } of columns) {
    if (isIdentity) continue;
    const [other, column] = needs?.split('.') ?? [];
    const fixed = wanted[`${table}.${name}`];
    if (fixed !== undefined) given.push({ name, value: fixed });
    else if (other === undefined) given.push({ name, value: values[type] });
    else given.push({ name, value: (await client.query(`SELECT "${column}" AS v FROM ${other} LIMIT 1`)).rows[0]?.v });
  }
  const names = given.map(({ name }) => `"${name}"`).join(', ');
  const places = given.map((_, index) => `$${index + 1}`).join(', ');
  await client.query(
    `INSERT INTO "${table}" (${names}) VALUES (${places}) ON CONFLICT DO NOTHING`,
    given.map(({ value }) => value),
  );
}

/** All rows of each table as text, and what else a backup has to bring back. */
export async function everyRow(client: pg.Client): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>();
  for (const { name } of await tablesOf(client)) {
    const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" AS t ORDER BY t::text`);
    all.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  const partitions = `SELECT name || from_at || to_at || (SELECT count(*) FROM audit_event WHERE tableoid = name::regclass)
    AS row FROM audit_partition ORDER BY 1`;
  const sequences = `SELECT sequencename || ' ' || coalesce(last_value, 0) AS row FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`;
  const triggers = `SELECT concat(tgrelid::regclass, ' ', tgname, ' ', tgenabled) AS row FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`;
  for (const [name, sql] of Object.entries({ partitions, sequences, triggers })) {
    const { rows } = await client.query<{ row: string }>(sql);
    all.set(
      ` ${name}`,
      rows.map(({ row }) => row),
    );
  }
  return all;
}
