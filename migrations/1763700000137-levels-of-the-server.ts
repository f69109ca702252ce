import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the FHIR server gives in a relationship that it made, where patient or administrators gave another level. */
export class LevelsOfTheServer1763700000137 implements MigrationInterface {
  name = 'LevelsOfTheServer1763700000137';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE representation_relationship ADD COLUMN server_level text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE representation_relationship DROP COLUMN server_level');
  }
}
