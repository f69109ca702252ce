import type { MigrationInterface, QueryRunner } from 'typeorm';

const nameAndAddress = "lower(full_name || E'\\n' || coalesce(email, ''))";
const fhirUser = `(jsonb_path_query_first(claims, '$[*] ? (@.name == "fhirUser").value') #>> '{}')`;
/**
 * The reference with its type in capitals, which no other part of the text has: a search for "pat" must not find every
 * patient.
 */
const reference = `
  coalesce(E'\\n' || upper(split_part(${fhirUser}, '/', 1) COLLATE "C") || '/' || lower(split_part(${fhirUser}, '/', 2)), '')`;

/**
 * Adds a version to accounts, so that of two administrators who change one user the later is told; makes accounts
 * searchable by FHIR reference, and finds the last sign-in of an account without reading all later events.
 */
export class UserVersionAndSearch1763700000042 implements MigrationInterface {
  name = 'UserVersionAndSearch1763700000042';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN version integer NOT NULL DEFAULT 1');
    await searchText(runner, `${nameAndAddress} || ${reference}`);
    await runner.query(`
      CREATE INDEX audit_event_sign_in ON audit_event (user_id, recorded_at)
        WHERE type = 'login' AND outcome = 'success'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_event_sign_in');
    await searchText(runner, nameAndAddress);
    await runner.query('ALTER TABLE account DROP COLUMN version');
  }
}

/** A generated column changes its expression, and its index, by being dropped and recreated. */
async function searchText(runner: QueryRunner, expression: string): Promise<void> {
  await runner.query('ALTER TABLE account DROP COLUMN search_text');
  await runner.query(
    `ALTER TABLE account ADD COLUMN search_text text NOT NULL GENERATED ALWAYS AS (${expression}) STORED`,
  );
  await runner.query(`
    CREATE INDEX account_search ON account USING gin (text_pieces(search_text, 1)) WITH (fastupdate = off)`);
}
