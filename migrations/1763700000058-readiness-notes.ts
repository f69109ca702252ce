import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last backup, verification of the audit record and test mail, which nothing else records. */
export class ReadinessNotes1763700000058 implements MigrationInterface {
  name = 'ReadinessNotes1763700000058';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE readiness_note (
        name text PRIMARY KEY,
        noted_at timestamptz NOT NULL DEFAULT now(),
        account_id uuid REFERENCES account (id) ON DELETE CASCADE,
        detail jsonb NOT NULL DEFAULT '{}'
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE readiness_note');
  }
}
