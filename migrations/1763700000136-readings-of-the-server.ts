import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the FHIR server last had a relationship that it made, and since when it does not have it (any more).
 */
export class ReadingsOfTheServer1763700000136 implements MigrationInterface {
  name = 'ReadingsOfTheServer1763700000136';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE server_relationship (
        relationship_id uuid PRIMARY KEY REFERENCES representation_relationship (id) ON DELETE CASCADE,
        had_at timestamptz,
        missing_since timestamptz,
        missing_read_at timestamptz
      )`);
    await runner.query(
      'CREATE INDEX server_relationship_missing ON server_relationship (missing_read_at) WHERE missing_since IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE server_relationship');
  }
}
