import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts whose users have asked for their deletion, until they are deleted or kept. */
export class AccountDeletions1763700000063 implements MigrationInterface {
  name = 'AccountDeletions1763700000063';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_deletion (
        account_id uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
        requested_at timestamptz NOT NULL,
        due_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX account_deletion_due ON account_deletion (due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_deletion');
  }
}
