import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Dates at which a signing key starts to sign and is removed; and the clients still to be notified of ended sessions.
 */
export class KeysAndLogout1763700000006 implements MigrationInterface {
  name = 'KeysAndLogout1763700000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE signing_key
        ADD COLUMN signs_from timestamptz NOT NULL DEFAULT clock_timestamp(),
        ADD COLUMN retires_at timestamptz,
        ADD COLUMN keep_seconds integer NOT NULL DEFAULT 1209600`);
    await runner.query('UPDATE signing_key SET signs_from = created_at');
    await runner.query(`
      CREATE TABLE backchannel_logout (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        client_id text NOT NULL,
        account_id text NOT NULL,
        sid text NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        due_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX backchannel_logout_due ON backchannel_logout (due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE backchannel_logout');
    await runner.query(
      'ALTER TABLE signing_key DROP COLUMN signs_from, DROP COLUMN retires_at, DROP COLUMN keep_seconds',
    );
  }
}
