import type { MigrationInterface, QueryRunner } from 'typeorm';
import { auditIndexes } from './1763700000060-audit-indexes.js';

const vacuum = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02`;
const range = 'audit_event_carried_range';

/**
 * Partitions the audit record by month (UTC). The earlier table becomes the partition of all months up to the current
 * one: nothing is copied. Its rows are validated while events are recorded; only the exchange of the tables excludes
 * other sessions, for milliseconds. Nodes of the previous version continue to record.
 */
export class AuditPartitions1763700000061 implements MigrationInterface {
  name = 'AuditPartitions1763700000061';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // The previous run may have been killed after the exchange.
    const [{ isDone }] = await runner.query(
      `SELECT relkind = 'p' AS "isDone" FROM pg_class WHERE oid = 'audit_event'::regclass`,
    );
    if (isDone) return;
    const end = await limitRange(runner);
    try {
      await runner.query(`ALTER TABLE audit_event VALIDATE CONSTRAINT ${range}`);
      await locked(runner, () => exchange(runner, end));
    } catch (error) {
      // Alone it would refuse the events of later months.
      await locked(runner, () => runner.query(`ALTER TABLE audit_event DROP CONSTRAINT ${range}`)).catch(
        () => undefined,
      );
      throw error;
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE audit_event IN ACCESS EXCLUSIVE MODE');
    const [{ next }] = await runner.query("SELECT nextval('audit_event_id_seq')::text AS next");
    await runner.query('ALTER TABLE audit_event DETACH PARTITION audit_event_carried');
    await runner.query('INSERT INTO audit_event_carried SELECT * FROM audit_event');
    await runner.query('DROP FUNCTION make_audit_partition');
    await runner.query('DROP VIEW audit_partition');
    await runner.query('DROP TABLE audit_event');
    await runner.query('ALTER TABLE audit_event_carried RENAME TO audit_event');
    for (const name of ['recorded_at', 'user', 'sign_in'])
      await runner.query(`ALTER INDEX audit_event_carried_${name} RENAME TO audit_event_${name}`);
    await runner.query('ALTER TABLE audit_event DROP CONSTRAINT audit_event_carried_pkey');
    await runner.query('ALTER TABLE audit_event ADD PRIMARY KEY (id)');
    // The previous migration removes it.
    await runner.query('CREATE UNIQUE INDEX audit_event_carried_pkey ON audit_event (id, recorded_at)');
    await runner.query(`ALTER TABLE audit_event ALTER id ADD GENERATED ALWAYS AS IDENTITY (START WITH ${next})`);
  }
}

/** A session that reads the table for long, such as a backup, must not make all others wait behind this one. */
const lock = `
  DO $$ BEGIN
    PERFORM set_config('lock_timeout', '1000', true);
    FOR attempt IN 1..150 LOOP
      BEGIN
        LOCK TABLE audit_event IN ACCESS EXCLUSIVE MODE;
        RETURN;
      EXCEPTION WHEN lock_not_available THEN
        PERFORM pg_sleep(1);
      END;
    END LOOP;
    RAISE EXCEPTION 'another session, such as a backup, has used the table audit_event for five minutes: start again after it';
  END $$`;

async function locked(runner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
  await runner.startTransaction();
  try {
    await runner.query(lock);
    await work();
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

/**
 * Adds a constraint that the rows are of the current and earlier months, and returns the end of its range: at least a
 * week ahead, because a killed migration leaves the constraint until the next start.
 */
async function limitRange(runner: QueryRunner): Promise<string> {
  const [{ end }] = await runner.query(`
    SELECT to_char(date_trunc('month', greatest(now() + interval '7 days', max(recorded_at)) AT TIME ZONE 'UTC')
                     + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"') AS end FROM audit_event`);
  await locked(runner, async () => {
    await runner.query(`ALTER TABLE audit_event DROP CONSTRAINT IF EXISTS ${range}`);
    await runner.query(
      `ALTER TABLE audit_event ADD CONSTRAINT ${range} CHECK (recorded_at < '${end}'::timestamptz) NOT VALID`,
    );
  });
  return end;
}

async function exchange(runner: QueryRunner, end: string): Promise<void> {
  await runner.query('ALTER TABLE audit_event RENAME TO audit_event_carried');
  await runner.query(`
    ALTER TABLE audit_event_carried DROP CONSTRAINT audit_event_pkey,
      ADD CONSTRAINT audit_event_carried_pkey PRIMARY KEY USING INDEX audit_event_carried_pkey`);
  for (const name of ['recorded_at', 'user', 'sign_in'])
    await runner.query(`ALTER INDEX audit_event_${name} RENAME TO audit_event_carried_${name}`);
  const [{ next }] = await runner.query("SELECT nextval('audit_event_id_seq')::text AS next");
  await runner.query('ALTER TABLE audit_event_carried ALTER id DROP IDENTITY');
  await runner.query(`CREATE SEQUENCE audit_event_id_seq START WITH ${next}`);
  await runner.query(`
    CREATE TABLE audit_event (
      id bigint NOT NULL DEFAULT nextval('audit_event_id_seq'),
      recorded_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      type text NOT NULL,
      outcome text NOT NULL CONSTRAINT audit_event_outcome_check CHECK (outcome IN ('success', 'failure')),
      user_id text,
      client_id text,
      subject text,
      address text,
      correlation_id text,
      detail jsonb NOT NULL DEFAULT '{}',
      PRIMARY KEY (id, recorded_at)
    ) PARTITION BY RANGE (recorded_at)`);
  await runner.query('ALTER SEQUENCE audit_event_id_seq OWNED BY audit_event.id');
  for (const [name, definition] of Object.entries(auditIndexes))
    await runner.query(`CREATE INDEX audit_event_${name} ON audit_event ${definition}`);
  // Of a statement on the whole record; each partition has a trigger of its own, for statements on it.
  await runner.query(`
    CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit()`);
  await runner.query(
    `ALTER TABLE audit_event ATTACH PARTITION audit_event_carried FOR VALUES FROM (MINVALUE) TO ('${end}')`,
  );
  await runner.query(`ALTER TABLE audit_event_carried DROP CONSTRAINT ${range}`);
  await maker(runner);
  await runner.query(
    'SELECT make_audit_partition(now() + make_interval(months => ahead)) FROM generate_series(0, 3) AS ahead',
  );
}

async function maker(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE VIEW audit_partition AS
    SELECT partition.relname::text AS name,
           coalesce(substring(bounds FROM 'FROM \\(''([^'']+)''\\)')::timestamptz, '-infinity') AS from_at,
           substring(bounds FROM 'TO \\(''([^'']+)''\\)')::timestamptz AS to_at
      FROM pg_inherits JOIN pg_class AS partition ON partition.oid = inhrelid
           CROSS JOIN LATERAL pg_get_expr(partition.relpartbound, partition.oid) AS bounds
     WHERE inhparent = 'audit_event'::regclass`);
  // Attaching a table lets other sessions insert meanwhile; CREATE TABLE … PARTITION OF would make them wait.
  await runner.query(`
    CREATE FUNCTION make_audit_partition(at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      month timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
      name text := 'audit_event_' || to_char(month, 'YYYY_MM');
    BEGIN
      IF EXISTS (SELECT FROM audit_partition WHERE from_at <= at AND at < to_at) THEN
        RETURN;
      END IF;
      -- Nodes make partitions at the same time. The number is arbitrary.
      PERFORM pg_advisory_xact_lock(4712053);
      IF EXISTS (SELECT FROM audit_partition WHERE from_at <= at AND at < to_at) THEN
        RETURN;
      END IF;
      EXECUTE format('CREATE TABLE %I (LIKE audit_event INCLUDING ALL) WITH (${vacuum})', name);
      EXECUTE format('CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit()', name);
      EXECUTE format('ALTER TABLE audit_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
        month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END $$`);
}
