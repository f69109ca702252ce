import type { MigrationInterface, QueryRunner } from 'typeorm';

const types = ['Incomplete', 'Patient', 'Practitioner', 'Admin'];

/**
 * Accounts may be of the type RelatedPerson. The wider constraint holds for all rows that the narrower one permitted,
 * so that no row is read. It is one statement, which can be repeated, outside of a transaction that would hold its
 * lock.
 */
export class RepresentativeAccounts1763700000122 implements MigrationInterface {
  name = 'RepresentativeAccounts1763700000122';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${constraint([...types, 'RelatedPerson'])} NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(constraint(types));
  }
}

function constraint(permitted: string[]): string {
  const list = permitted.map((type) => `'${type}'`).join(', ');
  return `ALTER TABLE account DROP CONSTRAINT IF EXISTS account_user_type_check,
    ADD CONSTRAINT account_user_type_check CHECK (user_type IN (${list}))`;
}
