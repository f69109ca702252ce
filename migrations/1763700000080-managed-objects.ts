import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Clients, tags and users that a file manages. `enabled` is what the file says about a client, so that it can be
 * enabled again by hand.
 */
export class ManagedObjects1763700000080 implements MigrationInterface {
  name = 'ManagedObjects1763700000080';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE managed_object (
        client uuid UNIQUE REFERENCES client ON DELETE CASCADE,
        tag uuid UNIQUE REFERENCES tag ON DELETE CASCADE,
        account uuid UNIQUE REFERENCES account ON DELETE CASCADE,
        enabled boolean,
        applied_at timestamptz NOT NULL DEFAULT now(),
        CHECK (num_nonnulls(client, tag, account) = 1)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE managed_object');
  }
}
