import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Launches of apps, one row each, with everything that happened in them. An entry has a key; a second entry of the same
 * key counts. The row refers to client and account by their ids alone: neither is kept for it, and no name is stored
 * here.
 */
export class Launches1763700000057 implements MigrationInterface {
  name = 'Launches1763700000057';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE launch (
        id text COLLATE "C" PRIMARY KEY,
        kind text NOT NULL,
        client_id text,
        account_id text,
        code_hash text,
        started_at timestamptz NOT NULL,
        last_at timestamptz NOT NULL,
        outcome text NOT NULL,
        cause text,
        cause_code text GENERATED ALWAYS AS (split_part(cause, E'\\n', 1)) STORED,
        entries jsonb NOT NULL
      ) WITH (fillfactor = 70)`);
    // Each list is read by outcome, in the order of time. None of these columns changes with a refresh.
    await runner.query('CREATE INDEX launch_outcome ON launch (outcome, started_at, id)');
    await runner.query('CREATE INDEX launch_client ON launch (client_id, outcome, started_at, id)');
    await runner.query(
      'CREATE INDEX launch_account ON launch (account_id, outcome, started_at, id) WHERE account_id IS NOT NULL',
    );
    await runner.query(
      'CREATE INDEX launch_cause ON launch (cause_code, outcome, started_at, id) WHERE cause_code IS NOT NULL',
    );
    await runner.query(
      'CREATE INDEX launch_refusal ON launch (client_id, kind, cause_code, started_at, id) WHERE cause_code IS NOT NULL',
    );
    await runner.query('CREATE INDEX launch_code ON launch (code_hash) WHERE code_hash IS NOT NULL');
    await runner.query(`
      CREATE FUNCTION merge_launch_entries(earlier jsonb, later jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
        SELECT earlier || later || coalesce(
          (SELECT jsonb_object_agg(key, entry || jsonb_build_object(
                    'at', least((earlier -> key ->> 'at')::float8, (entry ->> 'at')::float8),
                    'last', greatest((earlier -> key ->> 'last')::float8, (entry ->> 'last')::float8),
                    'count', (earlier -> key ->> 'count')::int + (entry ->> 'count')::int))
             FROM jsonb_each(later) AS noted (key, entry) WHERE earlier ? key), '{}')
      $$`);
    // In the order in which nodes write launches, so that the two cannot deadlock.
    await runner.query(`
      CREATE FUNCTION forget_launches_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM FROM launch WHERE account_id = OLD.id::text ORDER BY id FOR UPDATE;
          UPDATE launch SET account_id = NULL WHERE account_id = OLD.id::text;
          RETURN NULL;
        END $$`);
    await runner.query(`
      CREATE TRIGGER forget_launches AFTER DELETE ON account
        FOR EACH ROW EXECUTE FUNCTION forget_launches_of_account()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER forget_launches ON account');
    await runner.query('DROP FUNCTION forget_launches_of_account');
    await runner.query('DROP FUNCTION merge_launch_entries');
    await runner.query('DROP TABLE launch');
  }
}
