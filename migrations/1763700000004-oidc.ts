import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records of the OIDC engine, their revocations, the signing keys, and the consents of users. */
export class Oidc1763700000004 implements MigrationInterface {
  name = 'Oidc1763700000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oidc_record (
        model text NOT NULL,
        id_hash text NOT NULL,
        payload jsonb NOT NULL,
        grant_id text,
        account_id text,
        client_id text,
        uid text,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        consumed_at timestamptz,
        PRIMARY KEY (model, id_hash)
      )`);
    await runner.query('CREATE INDEX oidc_record_grant ON oidc_record (grant_id) WHERE grant_id IS NOT NULL');
    await runner.query(
      'CREATE INDEX oidc_record_account ON oidc_record (account_id, client_id) WHERE account_id IS NOT NULL',
    );
    await runner.query('CREATE INDEX oidc_record_client ON oidc_record (client_id) WHERE client_id IS NOT NULL');
    await runner.query('CREATE INDEX oidc_record_uid ON oidc_record (uid) WHERE uid IS NOT NULL');
    await runner.query('CREATE INDEX oidc_record_expires ON oidc_record (expires_at)');
    await runner.query(`
      CREATE TABLE refresh_answer (
        token_hash text PRIMARY KEY,
        grant_id text NOT NULL,
        successor_hash text NOT NULL,
        salt bytea NOT NULL,
        sealed bytea NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX refresh_answer_grant ON refresh_answer (grant_id)');
    await runner.query('CREATE INDEX refresh_answer_successor ON refresh_answer (successor_hash)');
    await runner.query('CREATE TABLE revoked_token (id_hash text PRIMARY KEY, expires_at timestamptz NOT NULL)');
    await runner.query('CREATE TABLE client_revocation (client_id text PRIMARY KEY, revoked_at timestamptz NOT NULL)');
    await runner.query(`
      CREATE TABLE signing_key (
        kid text PRIMARY KEY,
        alg text NOT NULL,
        sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE app_consent (
        account_id text NOT NULL,
        client_id text NOT NULL,
        scopes text[] NOT NULL,
        remembered boolean NOT NULL,
        redirect_host text NOT NULL,
        granted_at timestamptz NOT NULL,
        expires_at timestamptz,
        PRIMARY KEY (account_id, client_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'app_consent',
      'signing_key',
      'client_revocation',
      'revoked_token',
      'refresh_answer',
      'oidc_record',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
