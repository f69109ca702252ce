import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Second factors of accounts, and sign-ins whose password was correct and whose second factor is pending. */
export class TwoFactor1763700000009 implements MigrationInterface {
  name = 'TwoFactor1763700000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE two_factor (
        account_id uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
        sealed_key bytea NOT NULL,
        key_id text NOT NULL,
        last_step integer NOT NULL,
        recovery_codes text[] NOT NULL,
        enabled_at timestamptz NOT NULL
      )`);
    // No foreign key to the account: a user in the middle of a sign-in must be told that the account is gone.
    await runner.query(`
      CREATE TABLE pending_sign_in (
        id_hash text PRIMARY KEY,
        account_id uuid NOT NULL,
        security_stamp text NOT NULL,
        remembered boolean NOT NULL,
        tries integer NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX pending_sign_in_account ON pending_sign_in (account_id)');
    await runner.query('CREATE INDEX pending_sign_in_expires ON pending_sign_in (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE pending_sign_in');
    await runner.query('DROP TABLE two_factor');
  }
}
