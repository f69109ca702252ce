import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Without statistics of its own PostgreSQL believes that each patient has one event in a hundred, and reads the index
 * of times of whole months next to that of patients. It takes no statistics from the partial index.
 */
export class AuditStatistics1763700000077 implements MigrationInterface {
  name = 'AuditStatistics1763700000077';

  async up(runner: QueryRunner): Promise<void> {
    // Later partitions are made like the table, with its statistics.
    await create(runner, 'audit_event');
    const partitions: { name: string }[] = await runner.query('SELECT name FROM audit_partition');
    for (const { name } of partitions) {
      await create(runner, name);
      // A month that is over is analyzed by itself never again. It reads a sample of 30,000 rows.
      await runner.query(`ANALYZE ${name}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const statistics: { name: string }[] = await runner.query(
      `SELECT stxname AS name FROM pg_statistic_ext
        WHERE stxrelid = 'audit_event'::regclass OR stxrelid IN (SELECT name::regclass FROM audit_partition)`,
    );
    for (const { name } of statistics) await runner.query(`DROP STATISTICS ${name}`);
  }
}

function create(runner: QueryRunner, table: string): Promise<unknown> {
  return runner.query(
    `CREATE STATISTICS ${table}_patients ON (coalesce(detail -> 'patients', detail -> 'patient')) FROM ${table}`,
  );
}
