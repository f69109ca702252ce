import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Receipts for access to a person's data that was taken back. */
export class Receipts1763700000064 implements MigrationInterface {
  name = 'Receipts1763700000064';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE receipt (
        id text PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        client_id text NOT NULL,
        ended_at timestamptz NOT NULL,
        facts jsonb NOT NULL
      )`);
    await runner.query('CREATE INDEX receipt_account ON receipt (account_id, client_id, ended_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE receipt');
  }
}
