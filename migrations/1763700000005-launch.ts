import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Index of the interactions that wait in one browser. */
export class Launch1763700000005 implements MigrationInterface {
  name = 'Launch1763700000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "CREATE INDEX oidc_record_browser ON oidc_record ((payload ->> 'browser')) WHERE model = 'Interaction'",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX oidc_record_browser');
  }
}
