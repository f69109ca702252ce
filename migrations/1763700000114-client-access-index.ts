import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds clients by the access that they can get. The index is created concurrently; a run that was killed leaves an
 * invalid one, which the next run replaces.
 */
export class ClientAccessIndex1763700000114 implements MigrationInterface {
  name = 'ClientAccessIndex1763700000114';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // The server may still be busy with the statement of a node that was killed.
    await runner.query('BEGIN; LOCK TABLE client IN SHARE UPDATE EXCLUSIVE MODE; COMMIT');
    const invalid = await runner.query(
      "SELECT FROM pg_index WHERE indexrelid = to_regclass('client_access') AND NOT indisvalid",
    );
    if (invalid.length > 0) await runner.query('DROP INDEX client_access');
    // Without fastupdate: each search would read the list of pending entries.
    await runner.query(`
      CREATE INDEX CONCURRENTLY IF NOT EXISTS client_access ON client
        USING gin (client_access(settings, client_type)) WITH (fastupdate = off)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS client_access');
  }
}
