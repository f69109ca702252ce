import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Requests of users to the hospital, the files that they send with them (sealed with the master key), and which
 * administrator has opened which file. A file without a request is one that its user has not sent yet.
 * `relationship_id` has no foreign key: rows of relationships are never deleted.
 */
export class Requests1763700000124 implements MigrationInterface {
  name = 'Requests1763700000124';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE request (
        id uuid PRIMARY KEY,
        reference text NOT NULL UNIQUE,
        kind text NOT NULL,
        account_id uuid REFERENCES account (id) ON DELETE CASCADE,
        relationship_id uuid,
        tenant text NOT NULL,
        asker_name text NOT NULL,
        patient_name text NOT NULL,
        content jsonb NOT NULL,
        status text NOT NULL DEFAULT 'waiting',
        version integer NOT NULL DEFAULT 0,
        note text,
        first_approval jsonb,
        decided_by jsonb,
        decided_at timestamptz,
        asked_at timestamptz NOT NULL DEFAULT now(),
        due_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX request_open_question ON request (relationship_id, kind)
        WHERE relationship_id IS NOT NULL AND account_id IS NULL AND status IN ('waiting', 'more-needed')`);
    await runner.query('CREATE INDEX request_account ON request (account_id, asked_at)');
    await runner.query('CREATE INDEX request_listed ON request (status, due_at, id)');
    await runner.query(`
      CREATE TABLE request_file (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        request_id uuid REFERENCES request (id) ON DELETE CASCADE,
        label text NOT NULL,
        name text NOT NULL,
        media_type text NOT NULL,
        bytes integer NOT NULL,
        content bytea,
        added_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX request_file_request ON request_file (request_id)');
    await runner.query('CREATE INDEX request_file_account ON request_file (account_id)');
    await runner.query('CREATE INDEX request_file_kept ON request_file (added_at) WHERE content IS NOT NULL');
    await runner.query(`
      CREATE TABLE request_file_opening (
        file_id uuid NOT NULL REFERENCES request_file (id) ON DELETE CASCADE,
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        opened_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (file_id, account_id)
      )`);
    await runner.query('CREATE INDEX request_file_opening_account ON request_file_opening (account_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE request_file_opening');
    await runner.query('DROP TABLE request_file');
    await runner.query('DROP TABLE request');
  }
}
