import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Permissions that users take back from an app one by one, and apps that users have paused. */
export class ChoicesAboutApps1763700000068 implements MigrationInterface {
  name = 'ChoicesAboutApps1763700000068';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE app_consent ADD COLUMN taken_back text[] NOT NULL DEFAULT '{}',
                              ADD COLUMN narrowed boolean NOT NULL DEFAULT false`);
    await runner.query(`
      CREATE TABLE app_pause (
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        client_id text NOT NULL,
        paused_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, client_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE app_pause');
    await runner.query('ALTER TABLE app_consent DROP COLUMN taken_back, DROP COLUMN narrowed');
  }
}
