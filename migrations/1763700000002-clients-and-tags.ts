import type { MigrationInterface, QueryRunner } from 'typeorm';

/** OAuth clients with their secrets, and the tags administrators sort them by. */
export class ClientsAndTags1763700000002 implements MigrationInterface {
  name = 'ClientsAndTags1763700000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE client (
        id uuid PRIMARY KEY,
        client_id text NOT NULL,
        client_name text NOT NULL,
        client_type text NOT NULL CHECK (client_type IN ('StandaloneApp', 'BackendService', 'ManagementApi', 'Invalid')),
        enabled boolean NOT NULL,
        version integer NOT NULL,
        settings jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        search_text text NOT NULL GENERATED ALWAYS AS (lower(client_id || E'\\n' || client_name)) STORED
      )`);
    await runner.query('CREATE UNIQUE INDEX client_client_id ON client (client_id)');
    // The list sorts without regard to case, with the id as tie-breaker.
    await runner.query('CREATE INDEX client_sorted_by_client_id ON client (lower(client_id), id)');
    await runner.query('CREATE INDEX client_sorted_by_client_name ON client (lower(client_name), id)');
    await runner.query("CREATE INDEX client_grant_types ON client USING gin ((settings -> 'allowedGrantTypes'))");
    await runner.query(`
      CREATE TABLE client_secret (
        id uuid PRIMARY KEY,
        client uuid NOT NULL REFERENCES client ON DELETE CASCADE,
        position integer NOT NULL,
        secret_type text NOT NULL CHECK (secret_type IN ('SharedSecret', 'JWK')),
        secret_hash text,
        jwk jsonb,
        url text,
        description text,
        expires_at timestamptz,
        last_used_at timestamptz,
        CHECK (num_nonnulls(secret_hash, jwk, url) = 1),
        CHECK ((secret_type = 'SharedSecret') = (secret_hash IS NOT NULL))
      )`);
    await runner.query('CREATE INDEX client_secret_client ON client_secret (client)');
    await runner.query(`
      CREATE TABLE tag (
        id uuid PRIMARY KEY,
        value text NOT NULL,
        color text NOT NULL
      )`);
    await runner.query('CREATE UNIQUE INDEX tag_value ON tag (lower(value))');
    await runner.query(`
      CREATE TABLE client_tag_link (
        client uuid NOT NULL REFERENCES client ON DELETE CASCADE,
        tag uuid NOT NULL REFERENCES tag ON DELETE CASCADE,
        PRIMARY KEY (client, tag)
      )`);
    await runner.query('CREATE INDEX client_tag_link_tag ON client_tag_link (tag)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE client_tag_link');
    await runner.query('DROP TABLE tag');
    await runner.query('DROP TABLE client_secret');
    await runner.query('DROP TABLE client');
  }
}
