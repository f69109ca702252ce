import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accesses that are still to be reported to the FHIR server. */
export class AccessAudit1763700000030 implements MigrationInterface {
  name = 'AccessAudit1763700000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE audit_post (event_id bigint PRIMARY KEY)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_post');
  }
}
