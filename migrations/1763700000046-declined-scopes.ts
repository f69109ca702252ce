import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A remembered decision also stores the scopes that were requested and not granted. */
export class DeclinedScopes1763700000046 implements MigrationInterface {
  name = 'DeclinedScopes1763700000046';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE app_consent ADD COLUMN declined text[] NOT NULL DEFAULT '{}'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_consent DROP COLUMN declined');
  }
}
