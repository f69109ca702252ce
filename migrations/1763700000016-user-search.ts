import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds accounts by any part of name or address without reading all of them. The pieces are Gatehouse's own and not
 * those of the extension pg_trgm: an ordinary database user may not be allowed to create that extension, and it does
 * not find terms of one or two characters.
 */
export class UserSearch1763700000016 implements MigrationInterface {
  name = 'UserSearch1763700000016';

  async up(runner: QueryRunner): Promise<void> {
    // The cost is realistic; with a lower one PostgreSQL computes the function for every row instead of using the
    // index.
    await runner.query(`
      CREATE FUNCTION text_pieces(content text, shortest integer) RETURNS text[]
        LANGUAGE sql IMMUTABLE STRICT COST 10000 AS $$
        SELECT coalesce(array_agg(DISTINCT substr(content, start, size)), '{}')
          FROM generate_series(shortest, 3) AS size, generate_series(1, length(content) - size + 1) AS start
      $$`);
    // Without fastupdate: each search would read the list of pending entries.
    await runner.query(`
      CREATE INDEX account_search ON account USING gin (text_pieces(search_text, 1)) WITH (fastupdate = off)`);
    // The id is included, so that a list of one kind is read in index order.
    await runner.query('DROP INDEX account_kind');
    await runner.query('CREATE INDEX account_kind ON account (user_type, is_external, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX account_kind');
    await runner.query('CREATE INDEX account_kind ON account (user_type, is_external)');
    await runner.query('DROP INDEX account_search');
    await runner.query('DROP FUNCTION text_pieces(text, integer)');
  }
}
