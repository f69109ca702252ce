import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tally counts launches of users' apps, and none that an administrator tries. */
export class LaunchTrials1763700000073 implements MigrationInterface {
  name = 'LaunchTrials1763700000073';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tallyOf("kind <> 'trial'"));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(tallyOf('true'));
  }
}

/** Key of the advisory lock of changes of the tally. */
const lock = 1763700059;

/** The function of the triggers, for the launches that this condition holds for. */
function tallyOf(counts: string): string {
  const isCounted = `outcome IN ('completed', 'refused', 'failed') AND ${counts}`;
  const rows = (name: string, number: number) =>
    `SELECT started_at, outcome, ${number} AS number FROM ${name} WHERE ${counts}`;
  return `
    CREATE OR REPLACE FUNCTION tally_launches() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          IF NOT EXISTS (SELECT FROM added WHERE ${isCounted}) THEN RETURN NULL; END IF;
          PERFORM pg_advisory_xact_lock(${lock});
          ${added(rows('added', 1))};
        ELSIF TG_OP = 'UPDATE' THEN
          IF NOT EXISTS (SELECT FROM added JOIN removed USING (id) WHERE added.outcome <> removed.outcome) THEN RETURN NULL; END IF;
          PERFORM pg_advisory_xact_lock(${lock});
          ${added(`${rows('added', 1)} UNION ALL ${rows('removed', -1)}`)};
        ELSE
          IF NOT EXISTS (SELECT FROM removed WHERE ${isCounted}) THEN RETURN NULL; END IF;
          PERFORM pg_advisory_xact_lock(${lock});
          ${added(rows('removed', -1))};
          DELETE FROM launch_tally WHERE completed = 0 AND refused = 0 AND day < now() - interval '2 days';
        END IF;
        RETURN NULL;
      END $$`;
}

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
