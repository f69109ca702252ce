import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Clients whose deletion can still be undone, and rotations of secrets that are under way. A client that waits has no
 * row in the listing, so that nothing counts or finds it; `listed` is that row, for the undo.
 */
export class ClientDeletions1763700000070 implements MigrationInterface {
  name = 'ClientDeletions1763700000070';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE client_deletion (
        client uuid PRIMARY KEY REFERENCES client ON DELETE CASCADE,
        was_enabled boolean NOT NULL,
        listed jsonb NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE secret_rotation (
        client uuid PRIMARY KEY REFERENCES client ON DELETE CASCADE,
        old_secret uuid NOT NULL REFERENCES client_secret ON DELETE CASCADE,
        new_secret uuid NOT NULL REFERENCES client_secret ON DELETE CASCADE,
        old_expires_at timestamptz,
        started_at timestamptz NOT NULL DEFAULT now(),
        stored_at timestamptz
      )`);
    await runner.query('CREATE INDEX secret_rotation_old ON secret_rotation (old_secret)');
    await runner.query('CREATE INDEX secret_rotation_new ON secret_rotation (new_secret)');
    await runner.query('CREATE INDEX secret_rotation_started ON secret_rotation (started_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE secret_rotation');
    await runner.query('DROP TABLE client_deletion');
  }
}
