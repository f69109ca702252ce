import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The RelatedPerson and Person resources that belong to an account; each belongs to one account of a tenant. `tenant`
 * is empty for the FHIR base of no tenant.
 */
export class RepresentativeReferences1763700000128 implements MigrationInterface {
  name = 'RepresentativeReferences1763700000128';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE representative_reference (
        tenant text NOT NULL,
        reference text NOT NULL,
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        PRIMARY KEY (tenant, reference)
      )`);
    await runner.query('CREATE INDEX representative_reference_account ON representative_reference (account_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE representative_reference');
  }
}
