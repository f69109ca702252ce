import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One table for all work that follows from a use case: waiting mails, notifications of ended sessions, and AuditEvents
 * for the FHIR server.
 *
 * Nodes of the previous version may run until they are replaced. The tables that they use become views: what they
 * insert is added as a job, and they find nothing to do, except that they can settle or withdraw a mail.
 */
export class Jobs1763700000049 implements MigrationInterface {
  name = 'Jobs1763700000049';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE job (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL,
        key text,
        payload jsonb NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        due_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX job_due ON job (kind, due_at, id)');
    await runner.query('CREATE UNIQUE INDEX job_key ON job (kind, key) WHERE key IS NOT NULL');
    // In one statement, so that no node adds a row to one of them after it was copied.
    await runner.query('LOCK TABLE mail_outbox, backchannel_logout, audit_post IN ACCESS EXCLUSIVE MODE');
    await runner.query(`
      INSERT INTO job (kind, key, payload, attempts, created_at, due_at)
      SELECT 'mail', id, jsonb_build_object('id', id, 'sealed', translate(encode(sealed, 'base64'), E'\\n', '')),
             attempts, created_at, next_attempt_at
        FROM mail_outbox ORDER BY created_at`);
    await runner.query(`
      INSERT INTO job (kind, payload, attempts, created_at, due_at)
      SELECT 'backchannel-logout', jsonb_build_object('clientId', client_id, 'accountId', account_id, 'sid', sid),
             attempts, created_at, due_at
        FROM backchannel_logout ORDER BY id`);
    await runner.query(`
      INSERT INTO job (kind, payload, attempts, created_at, due_at)
      SELECT coalesce('audit-event/' || (detail ->> 'tenant'), 'audit-event'),
             jsonb_build_object('eventId', event_id::text), attempts, recorded_at, due_at
        FROM audit_post JOIN audit_event ON id = event_id ORDER BY event_id`);
    await runner.query('DROP TABLE mail_outbox, backchannel_logout, audit_post');
    await this.keepPreviousVersionRunning(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW mail_outbox, backchannel_logout, audit_post');
    await runner.query('DROP FUNCTION mail_outbox_to_job(), backchannel_logout_to_job(), audit_post_to_job()');
    await runner.query(`
      CREATE TABLE mail_outbox (
        id uuid PRIMARY KEY,
        sealed bytea NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        next_attempt_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX mail_outbox_next_attempt ON mail_outbox (next_attempt_at)');
    await runner.query(`
      CREATE TABLE backchannel_logout (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        client_id text NOT NULL,
        account_id text NOT NULL,
        sid text NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        due_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX backchannel_logout_due ON backchannel_logout (due_at)');
    await runner.query(`
      CREATE TABLE audit_post (
        event_id bigint PRIMARY KEY,
        due_at timestamptz NOT NULL DEFAULT now(),
        attempts integer NOT NULL DEFAULT 0
      )`);
    await runner.query('CREATE INDEX audit_post_due ON audit_post (due_at)');
    await runner.query(`
      INSERT INTO mail_outbox
      SELECT key::uuid, decode(payload ->> 'sealed', 'base64'), attempts, created_at, due_at FROM job WHERE kind = 'mail'`);
    await runner.query(`
      INSERT INTO backchannel_logout (client_id, account_id, sid, attempts, created_at, due_at)
      SELECT payload ->> 'clientId', payload ->> 'accountId', payload ->> 'sid', attempts, created_at, due_at
        FROM job WHERE kind = 'backchannel-logout' ORDER BY id`);
    await runner.query(`
      INSERT INTO audit_post
      SELECT (payload ->> 'eventId')::bigint, due_at, attempts FROM job WHERE kind ~ '^audit-event(/|$)'`);
    await runner.query('DROP TABLE job');
  }

  private async keepPreviousVersionRunning(runner: QueryRunner): Promise<void> {
    // Never due and never old, so that a node of the previous version neither claims nor drops a mail.
    await runner.query(`
      CREATE VIEW mail_outbox AS
      SELECT key::uuid AS id, ''::bytea AS sealed, attempts, 'infinity'::timestamptz AS created_at,
             'infinity'::timestamptz AS next_attempt_at
        FROM job WHERE kind = 'mail'`);
    await replaceChanges(
      runner,
      'mail_outbox',
      `IF TG_OP = 'INSERT' THEN
         INSERT INTO job (kind, key, payload) VALUES ('mail', NEW.id, jsonb_build_object('id', NEW.id,
           'sealed', translate(encode(NEW.sealed, 'base64'), E'\\n', '')));
         PERFORM pg_notify('gatehouse_jobs', 'mail');
       ELSIF TG_OP = 'DELETE' THEN
         DELETE FROM job WHERE kind = 'mail' AND key = OLD.id::text;
       ELSE
         UPDATE job SET due_at = NEW.next_attempt_at WHERE kind = 'mail' AND key = OLD.id::text;
       END IF;`,
    );
    await runner.query(`
      CREATE VIEW backchannel_logout AS
      SELECT NULL::bigint AS id, NULL::text AS client_id, NULL::text AS account_id, NULL::text AS sid,
             NULL::integer AS attempts, NULL::timestamptz AS created_at, NULL::timestamptz AS due_at WHERE false`);
    await replaceChanges(
      runner,
      'backchannel_logout',
      `IF TG_OP = 'INSERT' THEN
         INSERT INTO job (kind, payload) VALUES ('backchannel-logout',
           jsonb_build_object('clientId', NEW.client_id, 'accountId', NEW.account_id, 'sid', NEW.sid));
         PERFORM pg_notify('gatehouse_jobs', 'backchannel-logout');
       END IF;`,
    );
    await runner.query(`
      CREATE VIEW audit_post AS
      SELECT NULL::bigint AS event_id, NULL::timestamptz AS due_at, NULL::integer AS attempts WHERE false`);
    // The event is inserted by the same statement and cannot be read here, so its tenant is unknown; the handler of the
    // kind without a tenant reads it.
    await replaceChanges(
      runner,
      'audit_post',
      `IF TG_OP = 'INSERT' THEN
         INSERT INTO job (kind, payload) VALUES ('audit-event', jsonb_build_object('eventId', NEW.event_id::text));
       END IF;`,
    );
  }
}

/** Runs `body` instead of a change of a row of the view. */
async function replaceChanges(runner: QueryRunner, view: string, body: string): Promise<void> {
  await runner.query(`
    CREATE FUNCTION ${view}_to_job() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      ${body}
      RETURN coalesce(NEW, OLD);
    END $$`);
  await runner.query(`
    CREATE TRIGGER ${view}_to_job INSTEAD OF INSERT OR UPDATE OR DELETE ON ${view}
      FOR EACH ROW EXECUTE FUNCTION ${view}_to_job()`);
}
