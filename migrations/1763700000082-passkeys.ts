import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys of accounts, the challenges that were answered, and the offers that were put off. */
export class Passkeys1763700000082 implements MigrationInterface {
  name = 'Passkeys1763700000082';
  /** A challenge that was answered is of no use after five minutes, and an offer can be put off again. */
  disposable = ['passkey_challenge', 'passkey_offer'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE passkey (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
        credential_id text NOT NULL UNIQUE,
        public_key bytea NOT NULL,
        counter bigint NOT NULL,
        transports text[] NOT NULL,
        backup_eligible boolean NOT NULL,
        backed_up boolean NOT NULL,
        kind text NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz,
        cloned_at timestamptz
      )`);
    await runner.query('CREATE INDEX passkey_account ON passkey (account_id)');
    await runner.query(
      'CREATE TABLE passkey_challenge (challenge_hash text PRIMARY KEY, expires_at timestamptz NOT NULL)',
    );
    await runner.query('CREATE INDEX passkey_challenge_expiry ON passkey_challenge (expires_at)');
    await runner.query(`
      CREATE TABLE passkey_offer (
        account_id uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
        times smallint NOT NULL,
        last_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE passkey_offer, passkey_challenge, passkey');
  }
}
