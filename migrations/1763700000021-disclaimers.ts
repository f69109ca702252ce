import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The version of each disclaimer that a user accepted, and the disclaimers under which a user consented. */
export class Disclaimers1763700000021 implements MigrationInterface {
  name = 'Disclaimers1763700000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE disclaimer_agreement (
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        tenant_id text NOT NULL,
        client_id text NOT NULL,
        disclaimer_id text NOT NULL,
        text_hash text NOT NULL,
        agreed_at timestamptz NOT NULL,
        sign_in text NOT NULL,
        PRIMARY KEY (account_id, tenant_id, client_id, disclaimer_id)
      )`);
    // Before disclaimers existed, consent was given under none.
    await runner.query("ALTER TABLE app_consent ADD COLUMN disclaimers text NOT NULL DEFAULT ''");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_consent DROP COLUMN disclaimers');
    await runner.query('DROP TABLE disclaimer_agreement');
  }
}
