import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Grants and tokens that have ended, by hash: what ended them, and the launch that they came from. */
export class EndedAccess1763700000101 implements MigrationInterface {
  name = 'EndedAccess1763700000101';
  /** A node of the release before tells less about a refusal. */
  readonly disposable = ['ended_access'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ended_access (
        model text NOT NULL,
        id_hash text NOT NULL,
        grant_id text,
        client_id text,
        launch_id text,
        audience text,
        cause text NOT NULL,
        ended_at timestamptz NOT NULL,
        token_expires_at timestamptz,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (model, id_hash)
      )`);
    await runner.query("CREATE INDEX ended_access_grant ON ended_access (grant_id) WHERE model = 'Grant'");
    await runner.query(
      "CREATE INDEX ended_access_launch ON ended_access (launch_id) WHERE model = 'Grant' AND launch_id IS NOT NULL",
    );
    await runner.query('CREATE INDEX ended_access_end ON ended_access (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ended_access');
  }
}
