import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts of users who sign in at another OpenID provider, and pending sign-ins there. Such an account is found by
 * issuer and subject alone; its e-mail address is the provider's claim, and may be missing.
 */
export class SingleSignOn1763700000015 implements MigrationInterface {
  name = 'SingleSignOn1763700000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account ADD COLUMN issuer text, ADD COLUMN subject text, ALTER COLUMN email DROP NOT NULL,
        ADD CONSTRAINT account_identity_whole CHECK ((issuer IS NULL) = (subject IS NULL)),
        ADD CONSTRAINT account_email_of_local CHECK (is_external OR email IS NOT NULL)`);
    await runner.query('CREATE UNIQUE INDEX account_identity ON account (issuer, subject) WHERE issuer IS NOT NULL');
    // Two providers may have the same user; an address identifies only a local account.
    await runner.query('DROP INDEX account_email');
    await runner.query('CREATE UNIQUE INDEX account_email ON account (lower(email)) WHERE NOT is_external');
    await runner.query('CREATE INDEX account_external_email ON account (lower(email)) WHERE is_external');
    await searchText(runner, "lower(full_name || E'\\n' || coalesce(email, ''))");
    await runner.query(`
      CREATE TABLE external_sign_in (
        state_hash text PRIMARY KEY,
        browser_hash text NOT NULL,
        scheme text NOT NULL,
        return_url text,
        reauthenticate boolean NOT NULL,
        begun_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX external_sign_in_expires ON external_sign_in (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE external_sign_in');
    await runner.query('DELETE FROM account WHERE is_external AND issuer IS NOT NULL');
    await searchText(runner, "lower(full_name || E'\\n' || email)");
    await runner.query('DROP INDEX account_external_email');
    await runner.query('DROP INDEX account_email');
    await runner.query('CREATE UNIQUE INDEX account_email ON account (lower(email))');
    await runner.query('DROP INDEX account_identity');
    await runner.query(`
      ALTER TABLE account DROP CONSTRAINT account_identity_whole, DROP CONSTRAINT account_email_of_local,
        DROP COLUMN issuer, DROP COLUMN subject, ALTER COLUMN email SET NOT NULL`);
  }
}

/** A generated column changes its expression by being dropped and recreated. */
async function searchText(runner: QueryRunner, expression: string): Promise<void> {
  await runner.query('ALTER TABLE account DROP COLUMN search_text');
  await runner.query(
    `ALTER TABLE account ADD COLUMN search_text text NOT NULL GENERATED ALWAYS AS (${expression}) STORED`,
  );
}
