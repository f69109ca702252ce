import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Time of the next attempt to report an access to the FHIR server, and the number of attempts. */
export class AccessPostTurns1763700000048 implements MigrationInterface {
  name = 'AccessPostTurns1763700000048';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_post ADD COLUMN due_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN attempts integer NOT NULL DEFAULT 0`);
    await runner.query('CREATE INDEX audit_post_due ON audit_post (due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_post_due');
    await runner.query('ALTER TABLE audit_post DROP COLUMN due_at, DROP COLUMN attempts');
  }
}
