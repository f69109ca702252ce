import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets PostgreSQL vacuum and analyze the tables that grow to many millions of rows after 2 % of changes. By default it
 * waits for 20 %, so that dead rows of hours would lie between those that are read, and each vacuum would take hours
 * itself.
 */
export class EarlyVacuum1763700000056 implements MigrationInterface {
  name = 'EarlyVacuum1763700000056';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['oidc_record', 'audit_event']) {
      await runner.query(
        `ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
           autovacuum_analyze_scale_factor = 0.02)`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['oidc_record', 'audit_event']) {
      await runner.query(
        `ALTER TABLE ${table} RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor,
           autovacuum_analyze_scale_factor)`,
      );
    }
  }
}
