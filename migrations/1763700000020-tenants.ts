import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tenant of the FHIR base that a user decided about; null for the base without a tenant. */
export class Tenants1763700000020 implements MigrationInterface {
  name = 'Tenants1763700000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_consent ADD COLUMN tenant text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_consent DROP COLUMN tenant');
  }
}
