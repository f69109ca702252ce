import type { MigrationInterface, QueryRunner } from 'typeorm';

const indexes = {
  representation_due: `representation_relationship (due_at NULLS FIRST) WHERE status IN ('active', 'suspended')`,
  representation_left: `representation_relationship (id)
    WHERE account_id IS NULL AND status IN ('active', 'suspended', 'proposed', 'more-needed')`,
  representation_newest: 'representation_relationship (proposed_at DESC, id)',
  represented_patient_gone: 'represented_patient (gone_read_at) WHERE gone_since IS NOT NULL',
};

/**
 * Indexes by which nodes find relationships to look at, those without an account, and patients whose records are gone,
 * and by which administrators list the newest. They are created concurrently, which is impossible in a transaction. A
 * run that was killed leaves an invalid index, which the next run replaces.
 */
export class DueRelationships1763700000132 implements MigrationInterface {
  name = 'DueRelationships1763700000132';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(indexes)) {
      const invalid = await runner.query('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [
        name,
      ]);
      if (invalid.length > 0) await runner.query(`DROP INDEX ${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${definition}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(indexes)) await runner.query(`DROP INDEX IF EXISTS ${name}`);
  }
}
