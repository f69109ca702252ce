import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The form of a text by which it is found with accents and without. The extension unaccent is not used: an ordinary
 * database user may not be allowed to create it. Letters that have no accent in Unicode, as ø, are those of names.
 */
export class TextWithoutAccents1763700000119 implements MigrationInterface {
  name = 'TextWithoutAccents1763700000119';

  async up(runner: QueryRunner): Promise<void> {
    // Most texts are ASCII and need nothing else. Syllables of Hangul and Kana are composed again.
    await runner.query(`
      CREATE FUNCTION without_accents(content text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE WHEN octet_length(content) = char_length(content) THEN content ELSE
          normalize(regexp_replace(normalize(
            replace(replace(replace(translate(content, 'øłđħı', 'oldhi'), 'æ', 'ae'), 'œ', 'oe'), 'ß', 'ss'),
            NFD), '[\\u0300-\\u036f]', '', 'g'), NFC) END
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION without_accents(text)');
  }
}
