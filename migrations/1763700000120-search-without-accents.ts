import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = { account_found: 'account', client_listing_found: 'client_listing' };

/**
 * Indexes by which users and clients are found with accents and without. They are created concurrently; a run that was
 * killed leaves an invalid index, which the next run replaces. The earlier indexes (`account_search`,
 * `client_listing_search`) are those of nodes of the release before, and can be removed in the next release.
 */
export class SearchWithoutAccents1763700000120 implements MigrationInterface {
  name = 'SearchWithoutAccents1763700000120';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, table] of Object.entries(tables)) {
      // The server may still be busy with the statement of a node that was killed.
      await runner.query(`BEGIN; LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE; COMMIT`);
      const invalid = await runner.query('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [
        name,
      ]);
      if (invalid.length > 0) await runner.query(`DROP INDEX ${name}`);
      // Without fastupdate: each search would read the list of pending entries.
      await runner.query(`
        CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${table}
          USING gin (text_pieces(without_accents(search_text), 1)) WITH (fastupdate = off)`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(tables)) await runner.query(`DROP INDEX IF EXISTS ${name}`);
  }
}
