import type { MigrationInterface, QueryRunner } from 'typeorm';

const keys = `
  id, lower(client_id), lower(client_name), client_type, enabled,
  CASE WHEN settings -> 'allowedGrantTypes' ? 'authorization_code' THEN 'authorization_code ' ELSE '' END ||
  CASE WHEN settings -> 'allowedGrantTypes' ? 'client_credentials' THEN 'client_credentials ' ELSE '' END`;
const keyColumns = 'id, id_key, name_key, client_type, enabled, grant_types';
/** One part per line: no search term has a line break, so none matches across two parts. */
const text = `
  lower(concat_ws(E'\\n', client_id, client_name, settings ->> 'description',
    (SELECT string_agg(uri, E'\\n') FROM jsonb_array_elements_text(settings -> 'redirectUris') AS uri)))`;

/**
 * Makes clients searchable by description and redirect URIs, and by the expiry of their secrets. The trigger that
 * maintains the listing (see 1763700000035) writes the search text.
 */
export class ClientSearchAndSecrets1763700000043 implements MigrationInterface {
  name = 'ClientSearchAndSecrets1763700000043';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE client IN SHARE ROW EXCLUSIVE MODE');
    await runner.query('DROP INDEX client_listing_search');
    await runner.query('ALTER TABLE client_listing ALTER COLUMN search_text DROP EXPRESSION');
    await listClients(runner, [...keyColumns.split(', '), 'search_text'], `${keys}, ${text}`);
    await runner.query(`
      UPDATE client_listing AS listing SET search_text = ${text} FROM client WHERE client.id = listing.id`);
    await searchIndex(runner);
    await runner.query('CREATE INDEX client_secret_end ON client_secret (expires_at) WHERE expires_at IS NOT NULL');
    await runner.query('CREATE INDEX client_secret_unused ON client_secret (client) WHERE last_used_at IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX client_secret_unused');
    await runner.query('DROP INDEX client_secret_end');
    await listClients(runner, keyColumns.split(', '), keys);
    await runner.query('ALTER TABLE client_listing DROP COLUMN search_text');
    await runner.query(`
      ALTER TABLE client_listing
        ADD COLUMN search_text text NOT NULL GENERATED ALWAYS AS (id_key || E'\\n' || name_key) STORED`);
    await searchIndex(runner);
  }
}

/** Fills each column from its expression, after every statement that adds or changes clients. */
async function listClients(runner: QueryRunner, columns: string[], expressions: string): Promise<void> {
  const [, ...changing] = columns;
  const of = (row: string) => changing.map((column) => `${row}.${column}`).join(', ');
  await runner.query(`
    CREATE OR REPLACE FUNCTION list_clients() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        INSERT INTO client_listing (${columns.join(', ')}) SELECT ${expressions} FROM after_it;
      ELSE
        UPDATE client_listing AS listing
           SET (${changing.join(', ')}) = (${of('changed')})
          FROM (SELECT ${expressions} FROM after_it) AS changed (${columns.join(', ')})
         WHERE listing.id = changed.id AND (${of('listing')}) IS DISTINCT FROM (${of('changed')});
      END IF;
      RETURN NULL;
    END $$`);
}

/** Without fastupdate: each search would read the list of pending entries. */
async function searchIndex(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE INDEX client_listing_search ON client_listing USING gin (text_pieces(search_text, 1))
      WITH (fastupdate = off)`);
}
