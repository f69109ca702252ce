import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tables and indexes for account management: lists of many accounts, links by mail, and no rows left behind when an
 * account is deleted.
 */
export class AccountCare1763700000008 implements MigrationInterface {
  name = 'AccountCare1763700000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account ADD COLUMN search_text text NOT NULL
        GENERATED ALWAYS AS (lower(full_name || E'\\n' || email)) STORED`);
    // The list sorts without regard to case, with the id as tie-breaker, and never shows administrators.
    await runner.query(
      "CREATE INDEX account_sorted_by_full_name ON account (lower(full_name), id) WHERE user_type <> 'Admin'",
    );
    await runner.query("CREATE INDEX account_sorted_by_email ON account (lower(email), id) WHERE user_type <> 'Admin'");
    await runner.query('CREATE INDEX account_claims ON account USING gin (claims jsonb_path_ops)');
    await runner.query(`
      CREATE TABLE account_link (
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        purpose text NOT NULL CHECK (purpose IN ('activation', 'password-reset')),
        token_hash text NOT NULL,
        mail_id uuid NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, purpose)
      )`);
    await runner.query('CREATE INDEX account_link_mail ON account_link (mail_id)');
    await runner.query('DELETE FROM app_consent WHERE account_id NOT IN (SELECT id::text FROM account)');
    await runner.query('ALTER TABLE app_consent ALTER COLUMN account_id TYPE uuid USING account_id::uuid');
    await runner.query(`
      ALTER TABLE app_consent ADD CONSTRAINT app_consent_account
        FOREIGN KEY (account_id) REFERENCES account ON DELETE CASCADE`);
    await runner.query('ALTER TABLE oidc_record ADD COLUMN last_used_at timestamptz NOT NULL DEFAULT now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE oidc_record DROP COLUMN last_used_at');
    await runner.query('ALTER TABLE app_consent DROP CONSTRAINT app_consent_account');
    await runner.query('ALTER TABLE app_consent ALTER COLUMN account_id TYPE text');
    await runner.query('DROP TABLE account_link');
    await runner.query('DROP INDEX account_claims');
    await runner.query('DROP INDEX account_sorted_by_email');
    await runner.query('DROP INDEX account_sorted_by_full_name');
    await runner.query('ALTER TABLE account DROP COLUMN search_text');
  }
}
