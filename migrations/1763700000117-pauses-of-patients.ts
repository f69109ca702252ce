import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Apps that users have paused for a patient for whom they act. A table of its own: the release before reads pauses by
 * account and app alone.
 */
export class PausesOfPatients1763700000117 implements MigrationInterface {
  name = 'PausesOfPatients1763700000117';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE represented_pause (
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        client_id text NOT NULL,
        relationship_id uuid NOT NULL,
        paused_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, client_id, relationship_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE represented_pause');
  }
}
