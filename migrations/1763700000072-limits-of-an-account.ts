import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the counters of an account by the beginning of their keys. */
export class LimitsOfAnAccount1763700000072 implements MigrationInterface {
  name = 'LimitsOfAnAccount1763700000072';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX rate_limit_pattern ON rate_limit (key text_pattern_ops)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX rate_limit_pattern');
  }
}
