import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tags of a client in its row of the listing (see 1763700000035), so that a search that is also filtered by tags
 * reads no other table for each match. Triggers copy them there from the links; a tag's name is only in its own row.
 */
export class ClientListingTags1763700000054 implements MigrationInterface {
  name = 'ClientListingTags1763700000054';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE client_tag_link IN SHARE ROW EXCLUSIVE MODE');
    await runner.query("ALTER TABLE client_listing ADD COLUMN tags uuid[] NOT NULL DEFAULT '{}'");
    // The rows are locked first, in a fixed order: two deleted tags may be of the same clients. The update sees what
    // was committed while it waited for the locks.
    await runner.query(`
      CREATE FUNCTION list_client_tags() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM FROM client_listing WHERE id IN (SELECT client FROM changed) ORDER BY id FOR NO KEY UPDATE;
        UPDATE client_listing AS listing SET tags = linked.tags
          FROM (SELECT client, ARRAY(SELECT tag FROM client_tag_link link WHERE link.client = one.client ORDER BY tag) AS tags
                  FROM (SELECT DISTINCT client FROM changed) AS one) AS linked
         WHERE listing.id = linked.client AND listing.tags <> linked.tags;
        RETURN NULL;
      END $$`);
    for (const [event, rows] of [
      ['INSERT', 'NEW'],
      ['DELETE', 'OLD'],
    ] as const) {
      await runner.query(`
        CREATE TRIGGER list_tags_${event.toLowerCase()} AFTER ${event} ON client_tag_link REFERENCING ${rows} TABLE AS changed
          FOR EACH STATEMENT EXECUTE FUNCTION list_client_tags()`);
    }
    await runner.query(`
      UPDATE client_listing AS listing SET tags = linked.tags
        FROM (SELECT client, array_agg(tag ORDER BY tag) AS tags FROM client_tag_link GROUP BY client) AS linked
       WHERE listing.id = linked.client`);
    // Without fastupdate: each search would read the list of pending entries.
    await runner.query('CREATE INDEX client_listing_tags ON client_listing USING gin (tags) WITH (fastupdate = off)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const event of ['insert', 'delete']) await runner.query(`DROP TRIGGER list_tags_${event} ON client_tag_link`);
    await runner.query('DROP FUNCTION list_client_tags()');
    await runner.query('ALTER TABLE client_listing DROP COLUMN tags');
  }
}
