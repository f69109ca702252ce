import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Decisions about apps for patients for whom the user acts, one for each app and relationship. */
export class RepresentedConsents1763700000123 implements MigrationInterface {
  name = 'RepresentedConsents1763700000123';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE represented_consent (
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        client_id text NOT NULL,
        relationship_id uuid NOT NULL REFERENCES representation_relationship (id) ON DELETE CASCADE,
        scopes text[] NOT NULL,
        declined text[] NOT NULL,
        taken_back text[] NOT NULL,
        narrowed boolean NOT NULL,
        remembered boolean NOT NULL,
        tenant text,
        redirect_host text NOT NULL,
        disclaimers text NOT NULL,
        granted_at timestamptz NOT NULL,
        expires_at timestamptz,
        PRIMARY KEY (account_id, client_id, relationship_id)
      )`);
    await runner.query('CREATE INDEX represented_consent_relationship ON represented_consent (relationship_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE represented_consent');
  }
}
