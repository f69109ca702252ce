import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the grant of a code or token at once. Before the table was first analyzed, PostgreSQL read all grants for it:
 * of the columns of two indexes it knew neither that one has few values nor that the other identifies the grant.
 */
export class GrantIndex1763700000051 implements MigrationInterface {
  name = 'GrantIndex1763700000051';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("CREATE UNIQUE INDEX oidc_record_own_grant ON oidc_record (grant_id) WHERE model = 'Grant'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX oidc_record_own_grant');
  }
}
