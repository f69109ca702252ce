import type { MigrationInterface, QueryRunner } from 'typeorm';

/** State of the FHIR server as the nodes know it; all of it is relearned within seconds. */
export class FhirServer1763700000003 implements MigrationInterface {
  name = 'FhirServer1763700000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE fhir_server_status (
        base_url text PRIMARY KEY,
        available boolean NOT NULL DEFAULT false,
        failures integer NOT NULL DEFAULT 0,
        checked_at timestamptz,
        next_check_at timestamptz NOT NULL,
        loaded_at timestamptz,
        capabilities jsonb
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE fhir_server_status');
  }
}
