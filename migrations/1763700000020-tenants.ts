import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which tenant's FHIR base a person decided about; null is the one of no tenant. */
export class Tenants1763700000020 implements MigrationInterface {
  name = 'Tenants1763700000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_consent ADD COLUMN tenant text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_consent DROP COLUMN tenant');
  }
}
