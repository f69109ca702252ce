import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes of each partition of the audit record, by the end of their names. */
export const auditIndexes: Record<string, string> = {
  recorded_at: '(recorded_at)',
  user: '(user_id, recorded_at)',
  sign_in: "(user_id, recorded_at) WHERE type = 'login' AND outcome = 'success'",
  client: '(client_id, recorded_at) WHERE client_id IS NOT NULL',
  subject: '(subject, recorded_at) WHERE subject IS NOT NULL',
  address: '(address, recorded_at) WHERE address IS NOT NULL',
  correlation: '(correlation_id, recorded_at) WHERE correlation_id IS NOT NULL',
  launch: "((detail ->> 'launch'), recorded_at) WHERE (detail ->> 'launch') IS NOT NULL",
  type: "(type, recorded_at) WHERE type <> 'record.accessed'",
  patients: `USING gin ((coalesce(detail -> 'patients', detail -> 'patient')) jsonb_path_ops)
    WITH (fastupdate = on, gin_pending_list_limit = 1024) WHERE type = 'record.accessed'`,
};

/** The table has these indexes already. */
const present = ['recorded_at', 'user', 'sign_in'];

/**
 * Indexes by which patients and administrators find events. The table can have hundreds of millions of rows and
 * receives an event for each access, so its indexes are created concurrently, which is impossible in a transaction. A
 * run that was killed leaves an invalid index, which the next run replaces.
 */
export class AuditIndexes1763700000060 implements MigrationInterface {
  name = 'AuditIndexes1763700000060';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await create(runner, 'UNIQUE INDEX', 'audit_event_carried_pkey', '(id, recorded_at)');
    for (const [name, definition] of Object.entries(auditIndexes)) {
      if (present.includes(name)) continue;
      await create(runner, 'INDEX', `audit_event_carried_${name}`, definition);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['pkey', ...Object.keys(auditIndexes)]) {
      if (!present.includes(name)) await runner.query(`DROP INDEX IF EXISTS audit_event_carried_${name}`);
    }
  }
}

async function create(runner: QueryRunner, kind: string, name: string, definition: string): Promise<void> {
  // The server may still be busy with the statement of a node that was killed.
  await runner.query('BEGIN; LOCK TABLE audit_event IN SHARE UPDATE EXCLUSIVE MODE; COMMIT');
  const invalid = await runner.query('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [
    name,
  ]);
  if (invalid.length > 0) await runner.query(`DROP INDEX ${name}`);
  await runner.query(`CREATE ${kind} CONCURRENTLY IF NOT EXISTS ${name} ON audit_event ${definition}`);
}
