import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Changes of the schema that older releases cannot serve: each names the first release that can, and the last migration
 * of that release, by which a node knows whether it is one. While the table is empty every release can.
 */
export class Contractions1763700000078 implements MigrationInterface {
  name = 'Contractions1763700000078';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE contraction (
        migration text PRIMARY KEY,
        release text NOT NULL,
        needs text NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE contraction');
  }
}
