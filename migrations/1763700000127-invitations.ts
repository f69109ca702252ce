import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Invitations of adults by patients. The token of the mailed link is stored as a hash, and the code, which the patient
 * may look at again, sealed with the master key; it is removed with the end of the invitation.
 */
export class Invitations1763700000127 implements MigrationInterface {
  name = 'Invitations1763700000127';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE representation_invitation (
        id uuid PRIMARY KEY,
        inviter_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        tenant text NOT NULL,
        patient text NOT NULL,
        first_name text NOT NULL,
        full_name text NOT NULL,
        email text NOT NULL,
        basis text NOT NULL,
        level text NOT NULL,
        relation text NOT NULL,
        ends_on date,
        token_hash text NOT NULL,
        mail_id uuid NOT NULL,
        code bytea,
        wrong_codes integer NOT NULL DEFAULT 0,
        status text NOT NULL DEFAULT 'open',
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX representation_invitation_inviter ON representation_invitation (inviter_id)');
    await runner.query('CREATE INDEX representation_invitation_age ON representation_invitation (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE representation_invitation');
  }
}
