import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The months of the audit record that are in archives, and the times of what a seal covers, by which its events are
 * found in one partition. Nodes of the previous version leave the times empty.
 */
export class AuditArchives1763700000062 implements MigrationInterface {
  name = 'AuditArchives1763700000062';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_unsealed ADD COLUMN recorded_at timestamptz(3)');
    await runner.query('ALTER TABLE audit_seal ADD COLUMN from_at timestamptz(3), ADD COLUMN to_at timestamptz(3)');
    // `neighbours`: the events of the month that a seal covers together with events of another month, in their sealed
    // form.
    await runner.query(`
      CREATE TABLE audit_archive (
        month date PRIMARY KEY,
        archived_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        events bigint NOT NULL,
        seals int8multirange NOT NULL,
        neighbours text[] NOT NULL,
        digest text NOT NULL,
        hash text NOT NULL
      )`);
    await runner.query(`
      CREATE TRIGGER audit_archive_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_archive
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const archived = await runner.query('SELECT FROM audit_archive LIMIT 1');
    if (archived.length > 0)
      throw new Error('months of the audit record are in archives, which this schema knows alone');
    await runner.query('DROP TABLE audit_archive');
    await runner.query('ALTER TABLE audit_seal DROP COLUMN from_at, DROP COLUMN to_at');
    await runner.query('ALTER TABLE audit_unsealed DROP COLUMN recorded_at');
  }
}
