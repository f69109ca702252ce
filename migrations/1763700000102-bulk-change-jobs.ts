import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Changes of many that a job continues with: what they are about, why they were stopped, and whether their end was
 * seen.
 */
export class BulkChangeJobs1763700000102 implements MigrationInterface {
  name = 'BulkChangeJobs1763700000102';
  /** A node of the release before continues with a change only while its page calls. */
  disposable = ['bulk_change.subject', 'bulk_change.is_service', 'bulk_change.stopped', 'bulk_change.seen_at'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE bulk_change ADD COLUMN subject text, ADD COLUMN is_service boolean NOT NULL DEFAULT false,
         ADD COLUMN stopped text, ADD COLUMN seen_at timestamptz`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE bulk_change DROP COLUMN subject, DROP COLUMN is_service, DROP COLUMN stopped, DROP COLUMN seen_at',
    );
  }
}
