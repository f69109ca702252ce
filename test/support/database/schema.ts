import pg from 'pg';
import type { TestConnection } from './database.js';

/** The definitions of a schema, as text. */
export async function schemaOf(connection: TestConnection): Promise<string[]> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<{ line: string }>(`
    SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p
      WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c')
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT 'migration ' || name FROM migrations ORDER BY 1`);
  await client.end();
  return rows.map(({ line }) => line);
}
