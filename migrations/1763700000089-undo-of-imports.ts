import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The accounts that an import of users has created, so that it can be undone. */
export class UndoOfImports1763700000089 implements MigrationInterface {
  name = 'UndoOfImports1763700000089';
  /** The accounts stay; only the undo of imports of the last day is lost. */
  disposable = ['user_import_account'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE user_import ADD COLUMN undo_requested_at timestamptz');
    await runner.query(`
      CREATE TABLE user_import_account (
        account_id uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
        user_import uuid NOT NULL,
        line integer NOT NULL,
        UNIQUE (user_import, line),
        FOREIGN KEY (user_import, line) REFERENCES user_import_line (user_import, line) ON DELETE CASCADE
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE user_import_account');
    await runner.query('ALTER TABLE user_import DROP COLUMN undo_requested_at');
  }
}
