import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts, and the one row that remembers for ever that this installation had its first administrator. */
export class Users1763700000001 implements MigrationInterface {
  name = 'Users1763700000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account (
        id uuid PRIMARY KEY,
        email text NOT NULL,
        full_name text NOT NULL,
        user_type text NOT NULL CHECK (user_type IN ('Incomplete', 'Patient', 'Practitioner', 'Admin')),
        claims jsonb NOT NULL,
        password_hash text,
        email_confirmed boolean NOT NULL,
        is_external boolean NOT NULL,
        security_stamp text NOT NULL,
        created_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE UNIQUE INDEX account_email ON account (lower(email))');
    await runner.query('CREATE INDEX account_user_type ON account (user_type)');
    await runner.query(`
      CREATE TABLE installation (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        first_admin_created_at timestamptz
      )`);
    await runner.query('INSERT INTO installation DEFAULT VALUES');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE installation');
    await runner.query('DROP TABLE account');
  }
}
