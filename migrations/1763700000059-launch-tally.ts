import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The number of launches per day and outcome, for the dashboard. It changes with the statement that changes launches,
 * so that it is exact at every moment.
 */
export class LaunchTally1763700000059 implements MigrationInterface {
  name = 'LaunchTally1763700000059';
  /** A rollback may lose it: it is counted again. */
  disposable = ['launch_tally'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE launch_tally (
        day date PRIMARY KEY,
        completed integer NOT NULL,
        refused integer NOT NULL
      ) WITH (fillfactor = 50)`);
    // The statement that writes launches inserts some and updates others, and both triggers run: without the lock, the
    // days of the one and then those of the other would be locked in no common order.
    await runner.query(`
      CREATE FUNCTION tally_launches() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF TG_OP = 'INSERT' THEN
            IF NOT EXISTS (SELECT FROM added WHERE ${isCounted}) THEN RETURN NULL; END IF;
            PERFORM pg_advisory_xact_lock(${lock});
            ${added('SELECT started_at, outcome, 1 AS number FROM added')};
          ELSIF TG_OP = 'UPDATE' THEN
            IF NOT EXISTS (SELECT FROM added JOIN removed USING (id) WHERE added.outcome <> removed.outcome) THEN RETURN NULL; END IF;
            PERFORM pg_advisory_xact_lock(${lock});
            ${added('SELECT started_at, outcome, 1 AS number FROM added UNION ALL SELECT started_at, outcome, -1 FROM removed')};
          ELSE
            IF NOT EXISTS (SELECT FROM removed WHERE ${isCounted}) THEN RETURN NULL; END IF;
            PERFORM pg_advisory_xact_lock(${lock});
            ${added('SELECT started_at, outcome, -1 AS number FROM removed')};
            DELETE FROM launch_tally WHERE completed = 0 AND refused = 0 AND day < now() - interval '2 days';
          END IF;
          RETURN NULL;
        END $$`);
    // They wait for statements that write launches now; those that come later wait for the end of this migration.
    for (const [event, rows] of Object.entries(events)) {
      await runner.query(`
        CREATE TRIGGER tally_launches_${event} AFTER ${event} ON launch REFERENCING ${rows}
          FOR EACH STATEMENT EXECUTE FUNCTION tally_launches()`);
    }
    await runner.query(added('SELECT started_at, outcome, 1 AS number FROM launch'));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const event of Object.keys(events)) await runner.query(`DROP TRIGGER tally_launches_${event} ON launch`);
    await runner.query('DROP FUNCTION tally_launches');
    await runner.query('DROP TABLE launch_tally');
  }
}

/** Key of the advisory lock of changes of the tally. */
const lock = 1763700059;
const isCounted = "outcome IN ('completed', 'refused', 'failed')";

const events = {
  insert: 'NEW TABLE AS added',
  update: 'OLD TABLE AS removed NEW TABLE AS added',
  delete: 'OLD TABLE AS removed',
};

/** Adds the numbers of these launches to their days (UTC); a refresh changes none. */
function added(launches: string): string {
  return `
    INSERT INTO launch_tally AS tally (day, completed, refused)
    SELECT day, completed, refused
      FROM (SELECT (started_at AT TIME ZONE 'UTC')::date AS day,
                   coalesce(sum(number) FILTER (WHERE outcome = 'completed'), 0) AS completed,
                   coalesce(sum(number) FILTER (WHERE outcome IN ('refused', 'failed')), 0) AS refused
              FROM (${launches}) AS changed GROUP BY 1) AS days
     WHERE completed <> 0 OR refused <> 0
    ON CONFLICT (day) DO UPDATE SET
      completed = tally.completed + excluded.completed, refused = tally.refused + excluded.refused`;
}
