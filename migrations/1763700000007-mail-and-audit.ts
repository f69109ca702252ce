import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The mail outbox, and the audit record, which cannot be changed. */
export class MailAndAudit1763700000007 implements MigrationInterface {
  name = 'MailAndAudit1763700000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mail_outbox (
        id uuid PRIMARY KEY,
        sealed bytea NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        next_attempt_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX mail_outbox_next_attempt ON mail_outbox (next_attempt_at)');
    // No foreign keys to accounts and clients: audit events outlive them.
    await runner.query(`
      CREATE TABLE audit_event (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        recorded_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        type text NOT NULL,
        outcome text NOT NULL CHECK (outcome IN ('success', 'failure')),
        user_id text,
        client_id text,
        subject text,
        address text,
        correlation_id text,
        detail jsonb NOT NULL DEFAULT '{}'
      )`);
    await runner.query('CREATE INDEX audit_event_recorded_at ON audit_event (recorded_at)');
    await runner.query('CREATE INDEX audit_event_user ON audit_event (user_id, recorded_at)');
    await runner.query(`
      CREATE TABLE audit_seal (
        number bigint PRIMARY KEY,
        event_ids bigint[] NOT NULL,
        hash text NOT NULL,
        sealed_at timestamptz NOT NULL DEFAULT now()
      )`);
    // Ids of events that no seal covers yet. Ids are assigned before transactions end, so that "above the last sealed
    // one" would miss late commits.
    await runner.query('CREATE TABLE audit_unsealed (event_id bigint PRIMARY KEY)');
    await runner.query(`
      CREATE FUNCTION refuse_to_change_audit() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the audit record is append-only' USING ERRCODE = 'insufficient_privilege';
      END $$`);
    for (const table of ['audit_event', 'audit_seal']) {
      await runner.query(`
        CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
          FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['audit_unsealed', 'audit_seal', 'audit_event', 'mail_outbox']) {
      await runner.query(`DROP TABLE ${table}`);
    }
    await runner.query('DROP FUNCTION refuse_to_change_audit()');
  }
}
