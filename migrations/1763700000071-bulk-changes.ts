import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes of many clients or users by one call, until a day after: how each one ended, and how to undo it. */
export class BulkChanges1763700000071 implements MigrationInterface {
  name = 'BulkChanges1763700000071';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE bulk_change (
        id uuid PRIMARY KEY,
        actor text NOT NULL,
        request jsonb NOT NULL,
        undone boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX bulk_change_created_at ON bulk_change (created_at)');
    await runner.query(`
      CREATE TABLE bulk_change_item (
        bulk_change uuid NOT NULL REFERENCES bulk_change (id) ON DELETE CASCADE,
        target uuid NOT NULL,
        outcome text,
        name text,
        reason text,
        version integer,
        before jsonb,
        PRIMARY KEY (bulk_change, target)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE bulk_change_item');
    await runner.query('DROP TABLE bulk_change');
  }
}
