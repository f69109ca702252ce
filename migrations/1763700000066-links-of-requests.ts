import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links by mail remember the app's request on whose way they were asked for. */
export class LinksOfRequests1763700000066 implements MigrationInterface {
  name = 'LinksOfRequests1763700000066';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_link ADD COLUMN client_id text, ADD COLUMN request_hash text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_link DROP COLUMN client_id, DROP COLUMN request_hash');
  }
}
