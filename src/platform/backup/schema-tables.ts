/**
 * Reads the tables of the schema from the catalog. Statements without parameters leave no open portal, and begin no
 * snapshot.
 */

import type { Client } from 'pg';
import type { BackedUpTable, BackupContents } from './content-frames.js';

/** Rows read as the same text everywhere, and no time-out of the database or of the user ends a long statement. */
export const sessionSettings = `
  SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; SET LOCAL TimeZone = 'UTC';
  SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex'; SET LOCAL client_encoding = 'UTF8'`;

/** All tables that hold rows, except those of extensions. A partition has its rows through its table. */
const ownTables = `
  SELECT oid, relname FROM pg_class AS found
   WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
     AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = found.oid AND deptype = 'e')`;

export async function tablesOf(client: Client): Promise<BackedUpTable[]> {
  const { rows } = await client.query<BackedUpTable>(`
    SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
      FROM (${ownTables}) AS own JOIN pg_attribute ON attrelid = own.oid
     WHERE attnum > 0 AND NOT attisdropped AND attgenerated = '' GROUP BY relname ORDER BY relname`);
  return rows;
}

/** Sequences that have given a number. It is not part of a snapshot: the number is of now, so it is never too low. */
export async function sequencesOf(client: Client): Promise<BackupContents['sequences']> {
  const { rows } = await client.query<BackupContents['sequences'][number]>(`
    SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
     WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`);
  return rows;
}

export async function partitionsOf(client: Client): Promise<BackupContents['partitions']> {
  const { rows: views } = await client.query<{ found: string | null }>(
    "SELECT to_regclass('audit_partition') AS found",
  );
  if (!views[0]?.found) return [];
  const { rows } = await client.query<BackupContents['partitions'][number]>(
    'SELECT name, from_at::text AS "from", to_at::text AS "to" FROM audit_partition ORDER BY to_at',
  );
  return rows;
}

/** Tables that each foreign key needs first: `[table, referenced table]`. */
export async function referencesOf(client: Client): Promise<[table: string, needed: string][]> {
  const { rows } = await client.query<{ table: string; needed: string }>(`
    SELECT own.relname AS "table", other.relname AS needed
      FROM pg_constraint JOIN pg_class AS own ON own.oid = conrelid JOIN pg_class AS other ON other.oid = confrelid
     WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND conrelid <> confrelid`);
  return rows.map(({ table, needed }) => [table, needed]);
}

/** The tables in an order in which each one comes after those that its rows refer to. */
export function inOrderOfReferences(tables: BackedUpTable[], references: [string, string][]): BackedUpTable[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<BackedUpTable>();
  const begun = new Set<string>();
  const add = (table: BackedUpTable) => {
    if (begun.has(table.name)) return;
    begun.add(table.name);
    for (const [name, needed] of references) {
      const first = name === table.name ? byName.get(needed) : undefined;
      if (first) add(first);
    }
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}

/** A table with its columns, as COPY and SELECT name them. */
export function namesIn(client: Client, { name, columns }: BackedUpTable): { table: string; columns: string } {
  return {
    table: client.escapeIdentifier(name),
    columns: columns.map((column) => client.escapeIdentifier(column)).join(', '),
  };
}
