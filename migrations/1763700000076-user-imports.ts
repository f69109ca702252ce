import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Imports of users, until a day after: the lines that wait with their forms, and what became of the others. */
export class UserImports1763700000076 implements MigrationInterface {
  name = 'UserImports1763700000076';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_import (
        id uuid PRIMARY KEY,
        actor text NOT NULL,
        file_hash text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX user_import_created_at ON user_import (created_at)');
    await runner.query(`
      CREATE TABLE user_import_line (
        user_import uuid NOT NULL REFERENCES user_import (id) ON DELETE CASCADE,
        line integer NOT NULL,
        form jsonb,
        outcome text,
        PRIMARY KEY (user_import, line)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE user_import_line');
    await runner.query('DROP TABLE user_import');
  }
}
