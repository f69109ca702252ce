import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Prevents a client id that equals another client's, ignoring case, or a user's id: both are the `sub` of tokens (RFC
 * 9700 §4.15). Older clients keep their ids; `shares_id` marks all but the first of those that differ by case alone. A
 * client is compared with users in the transaction that names it, because the id of a user is random and cannot be
 * known before.
 */
export class ClientIds1763700000044 implements MigrationInterface {
  name = 'ClientIds1763700000044';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE client IN SHARE ROW EXCLUSIVE MODE');
    await runner.query('ALTER TABLE client ADD COLUMN shares_id boolean NOT NULL DEFAULT false');
    await runner.query(`
      UPDATE client SET shares_id = true
        FROM (SELECT id, row_number() OVER (PARTITION BY lower(client_id) ORDER BY created_at, id) AS place FROM client)
          AS ranked
       WHERE ranked.id = client.id AND ranked.place > 1`);
    await runner.query('CREATE UNIQUE INDEX client_folded_id ON client (lower(client_id)) WHERE NOT shares_id');
    await runner.query(`
      CREATE FUNCTION refuse_taken_client_id() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'UPDATE' AND NEW.client_id = OLD.client_id THEN
          RETURN NEW;
        END IF;
        IF EXISTS (SELECT FROM client_listing WHERE id_key = lower(NEW.client_id) AND id <> NEW.id) THEN
          RAISE unique_violation USING MESSAGE = 'another client has this client id';
        END IF;
        IF NEW.client_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
          IF EXISTS (SELECT FROM account WHERE id = NEW.client_id::uuid) THEN
            RAISE unique_violation USING MESSAGE = 'a user has this client id';
          END IF;
        END IF;
        NEW.shares_id := false;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER refuse_taken_client_id BEFORE INSERT OR UPDATE OF client_id ON client
        FOR EACH ROW EXECUTE FUNCTION refuse_taken_client_id()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER refuse_taken_client_id ON client');
    await runner.query('DROP FUNCTION refuse_taken_client_id()');
    await runner.query('DROP INDEX client_folded_id');
    await runner.query('ALTER TABLE client DROP COLUMN shares_id');
  }
}
