import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The CapabilityStatement that was read last from each FHIR server: gzip of its JSON. */
export class FhirServerStatement1763700000103 implements MigrationInterface {
  name = 'FhirServerStatement1763700000103';
  /** A node of the release before does not read it. */
  readonly disposable = ['fhir_server_statement'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE fhir_server_statement (
        base_url text PRIMARY KEY,
        content bytea NOT NULL,
        read_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE fhir_server_statement');
  }
}
