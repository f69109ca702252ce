import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps when the successor of a refresh token was first used, for requests with the token that are executed late. */
export class LateRequests1763700000099 implements MigrationInterface {
  name = 'LateRequests1763700000099';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE refresh_answer ADD COLUMN used_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE refresh_answer DROP COLUMN used_at');
  }
}
