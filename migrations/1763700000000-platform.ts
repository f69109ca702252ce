import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counters of rate limits, and facts about the installation that must outlive the rows they were derived from. */
export class Platform1763700000000 implements MigrationInterface {
  name = 'Platform1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE rate_limit (
        key varchar(255) PRIMARY KEY,
        points integer NOT NULL DEFAULT 0,
        expire bigint
      )`);
    await runner.query('CREATE INDEX rate_limit_expire ON rate_limit (expire)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rate_limit');
  }
}
