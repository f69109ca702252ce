import type { MigrationInterface, QueryRunner } from 'typeorm';

const columns = 'id, id_key, name_key, client_type, enabled, grant_types';
/** The listing of a client: its grant types in a fixed order, a space after each. */
const listed = `
  id, lower(client_id), lower(client_name), client_type, enabled,
  CASE WHEN settings -> 'allowedGrantTypes' ? 'authorization_code' THEN 'authorization_code ' ELSE '' END ||
  CASE WHEN settings -> 'allowedGrantTypes' ? 'client_credentials' THEN 'client_credentials ' ELSE '' END`;
const sortKeys = ['id_key', 'name_key', 'client_type', 'enabled'];
const orders = ['client_id', 'client_name'];

/**
 * Keeps the list of clients fast however many clients there are. The columns to search, filter and sort by are in a
 * narrow table of their own, because the settings make clients so long that a thousand of them fill as many pages of
 * the database. There any part of name or id is found by its pieces (see 1763700000016), every sort order has its
 * index, and the number of each kind is counted. Triggers maintain all of this.
 */
export class ClientSearch1763700000035 implements MigrationInterface {
  name = 'ClientSearch1763700000035';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE client_listing (
        id uuid PRIMARY KEY REFERENCES client ON DELETE CASCADE,
        id_key text NOT NULL,
        name_key text NOT NULL,
        client_type text NOT NULL,
        enabled boolean NOT NULL,
        grant_types text NOT NULL,
        search_text text NOT NULL GENERATED ALWAYS AS (id_key || E'\\n' || name_key) STORED
      )`);
    await runner.query(`
      CREATE TABLE client_tally (
        enabled boolean NOT NULL,
        grant_types text NOT NULL,
        clients bigint NOT NULL,
        PRIMARY KEY (enabled, grant_types)
      )`);
    // Runs once per statement: row by row, the tally of many new clients would be changed as often within one
    // transaction.
    await runner.query(`
      CREATE FUNCTION list_clients() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          INSERT INTO client_listing (${columns}) SELECT ${listed} FROM after_it;
        ELSE
          UPDATE client_listing AS listing
             SET (id_key, name_key, client_type, enabled, grant_types) =
                 (changed.id_key, changed.name_key, changed.client_type, changed.enabled, changed.grant_types)
            FROM (SELECT ${listed} FROM after_it) AS changed (${columns})
           WHERE listing.id = changed.id
             AND (listing.id_key, listing.name_key, listing.client_type, listing.enabled, listing.grant_types)
                 IS DISTINCT FROM
                 (changed.id_key, changed.name_key, changed.client_type, changed.enabled, changed.grant_types);
        END IF;
        RETURN NULL;
      END $$`);
    // The order is fixed, so that transactions that touch two kinds cannot deadlock.
    await runner.query(`
      CREATE FUNCTION tally_clients() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          INSERT INTO client_tally AS tally
            SELECT enabled, grant_types, count(*) FROM after_it GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (enabled, grant_types) DO UPDATE SET clients = tally.clients + excluded.clients;
        ELSIF TG_OP = 'DELETE' THEN
          INSERT INTO client_tally AS tally
            SELECT enabled, grant_types, -count(*) FROM before_it GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (enabled, grant_types) DO UPDATE SET clients = tally.clients + excluded.clients;
        ELSE
          INSERT INTO client_tally AS tally
            SELECT enabled, grant_types, sum(clients) FROM (
              SELECT enabled, grant_types, 1 AS clients FROM after_it
              UNION ALL SELECT enabled, grant_types, -1 FROM before_it) AS moved
            GROUP BY 1, 2 HAVING sum(clients) <> 0 ORDER BY 1, 2
            ON CONFLICT (enabled, grant_types) DO UPDATE SET clients = tally.clients + excluded.clients;
        END IF;
        RETURN NULL;
      END $$`);
    const trigger = (table: string, job: string, event: string, rows: string) =>
      runner.query(`
        CREATE TRIGGER ${job}_${event.toLowerCase()} AFTER ${event} ON ${table} REFERENCING ${rows}
          FOR EACH STATEMENT EXECUTE FUNCTION ${job}_clients()`);
    await trigger('client_listing', 'tally', 'INSERT', 'NEW TABLE AS after_it');
    await trigger('client_listing', 'tally', 'DELETE', 'OLD TABLE AS before_it');
    await trigger('client_listing', 'tally', 'UPDATE', 'OLD TABLE AS before_it NEW TABLE AS after_it');
    await runner.query('LOCK TABLE client IN SHARE ROW EXCLUSIVE MODE');
    await trigger('client', 'list', 'INSERT', 'NEW TABLE AS after_it');
    await trigger('client', 'list', 'UPDATE', 'NEW TABLE AS after_it');
    await runner.query(`INSERT INTO client_listing (${columns}) SELECT ${listed} FROM client`);
    // Without fastupdate: each search would read the list of pending entries.
    await runner.query(`
      CREATE INDEX client_listing_search ON client_listing USING gin (text_pieces(search_text, 1))
        WITH (fastupdate = off)`);
    await runner.query('CREATE INDEX client_listing_kind ON client_listing (enabled, grant_types, id)');
    for (const key of sortKeys) {
      await runner.query(`CREATE INDEX client_listing_by_${key} ON client_listing (${key}, id)`);
    }
    await runner.query('DROP INDEX client_grant_types');
    for (const column of orders) await runner.query(`DROP INDEX client_sorted_by_${column}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of orders) {
      await runner.query(`CREATE INDEX client_sorted_by_${column} ON client (lower(${column}), id)`);
    }
    await runner.query("CREATE INDEX client_grant_types ON client USING gin ((settings -> 'allowedGrantTypes'))");
    for (const event of ['insert', 'update']) await runner.query(`DROP TRIGGER list_${event} ON client`);
    await runner.query('DROP FUNCTION list_clients()');
    await runner.query('DROP TABLE client_listing');
    await runner.query('DROP FUNCTION tally_clients()');
    await runner.query('DROP TABLE client_tally');
  }
}
