import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Secrets and keys that were removed from a client, the newest 20 of each: the keyed hash of a secret, or the id of a
 * key. They open nothing; they tell a secret that was removed from one that never was. A trigger keeps them, so that
 * also a node of the release before does.
 */
export class RemovedCredentials1763700000110 implements MigrationInterface {
  name = 'RemovedCredentials1763700000110';
  /** A node of the release before does not read it. */
  readonly disposable = ['removed_credential'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE removed_credential (
        id uuid PRIMARY KEY,
        client uuid NOT NULL REFERENCES client ON DELETE CASCADE,
        secret_hash text,
        kid text,
        description text,
        removed_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX removed_credential_client ON removed_credential (client, removed_at)');
    // A client that is deleted takes its secrets with it.
    await runner.query(`
      CREATE FUNCTION keep_removed_credential() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO removed_credential (id, client, secret_hash, kid, description)
          SELECT OLD.id, client.id, OLD.secret_hash, OLD.jwk ->> 'kid', OLD.description FROM client
           WHERE client.id = OLD.client AND (OLD.secret_hash IS NOT NULL OR OLD.jwk ->> 'kid' IS NOT NULL)
          ON CONFLICT DO NOTHING;
        DELETE FROM removed_credential WHERE id IN (
          SELECT id FROM removed_credential WHERE client = OLD.client ORDER BY removed_at DESC, id OFFSET 20);
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER keep_removed_credential AFTER DELETE ON client_secret FOR EACH ROW
        EXECUTE FUNCTION keep_removed_credential()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER keep_removed_credential ON client_secret');
    await runner.query('DROP FUNCTION keep_removed_credential()');
    await runner.query('DROP TABLE removed_credential');
  }
}
