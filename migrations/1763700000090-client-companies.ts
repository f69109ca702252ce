import type { MigrationInterface, QueryRunner } from 'typeorm';

const company = "settings ->> 'legalCompanyName'";
/** One part per line: no search term has a line break, so none matches across two parts. */
const textWith = (parts: string) => `
  lower(concat_ws(E'\\n', client_id, client_name, settings ->> 'description',
    (SELECT string_agg(uri, E'\\n') FROM jsonb_array_elements_text(settings -> 'redirectUris') AS uri)${parts}))`;

/**
 * Makes clients searchable by the company behind them. The trigger that maintains the listing writes the search text.
 */
export class ClientCompanies1763700000090 implements MigrationInterface {
  name = 'ClientCompanies1763700000090';

  async up(runner: QueryRunner): Promise<void> {
    await writeText(runner, textWith(`, ${company}`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await writeText(runner, textWith(''));
  }
}

async function writeText(runner: QueryRunner, text: string): Promise<void> {
  // A change by a statement that still runs the function of before would be written without the company.
  await runner.query('LOCK TABLE client IN SHARE ROW EXCLUSIVE MODE');
  const expressions = `
  id, lower(client_id), lower(client_name), client_type, enabled,
  CASE WHEN settings -> 'allowedGrantTypes' ? 'authorization_code' THEN 'authorization_code ' ELSE '' END ||
  CASE WHEN settings -> 'allowedGrantTypes' ? 'client_credentials' THEN 'client_credentials ' ELSE '' END, ${text}`;
  const columns = ['id_key', 'name_key', 'client_type', 'enabled', 'grant_types', 'search_text'];
  const of = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
  await runner.query(`
    CREATE OR REPLACE FUNCTION list_clients() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        INSERT INTO client_listing (id, ${columns.join(', ')}) SELECT ${expressions} FROM after_it;
      ELSE
        UPDATE client_listing AS listing
           SET (${columns.join(', ')}) = (${of('changed')})
          FROM (SELECT ${expressions} FROM after_it) AS changed (id, ${columns.join(', ')})
         WHERE listing.id = changed.id AND (${of('listing')}) IS DISTINCT FROM (${of('changed')});
      END IF;
      RETURN NULL;
    END $$`);
  await runner.query(`
    UPDATE client_listing AS listing SET search_text = ${text}
      FROM client WHERE client.id = listing.id AND coalesce(${company}, '') <> ''`);
}
