import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Recoveries of accounts that wait, and recovery codes of accounts without an authenticator app. */
export class AccountRecovery1763700000083 implements MigrationInterface {
  name = 'AccountRecovery1763700000083';
  /** A recovery can be begun again, and recovery codes can be made again by a user who can sign in. */
  disposable = ['account_recovery', 'recovery_code_set'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_recovery (
        account_id uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
        requested_at timestamptz NOT NULL,
        ready_at timestamptz NOT NULL,
        link_sent_at timestamptz
      )`);
    await runner.query('CREATE INDEX account_recovery_ready ON account_recovery (ready_at)');
    await runner.query(`
      CREATE TABLE recovery_code_set (
        account_id uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
        codes text[] NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recovery_code_set, account_recovery');
  }
}
