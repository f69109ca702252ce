import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Times of relationships that nothing but the calendar changes: since when they are suspended, when a node looks at
 * them next (`due_at`; null means at once), when their side confirmed them last, and what the last look found
 * (`looked`). `representation_notice` has a row for each step that its sides were told of, so that each is told once.
 */
export class EndsOfRelationships1763700000131 implements MigrationInterface {
  name = 'EndsOfRelationships1763700000131';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE represented_patient ADD COLUMN gone_read_at timestamptz');
    await runner.query(`
      ALTER TABLE representation_relationship
        ADD COLUMN suspended_at timestamptz,
        ADD COLUMN due_at timestamptz,
        ADD COLUMN renewed_at timestamptz,
        ADD COLUMN looked jsonb`);
    await runner.query(`
      CREATE TABLE representation_notice (
        relationship_id uuid NOT NULL REFERENCES representation_relationship (id) ON DELETE CASCADE,
        step text NOT NULL,
        told_at timestamptz NOT NULL,
        PRIMARY KEY (relationship_id, step)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE representation_notice');
    await runner.query(`
      ALTER TABLE representation_relationship
        DROP COLUMN suspended_at, DROP COLUMN due_at, DROP COLUMN renewed_at, DROP COLUMN looked`);
    await runner.query('ALTER TABLE represented_patient DROP COLUMN gone_read_at');
  }
}
