import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../platform/database/database.js';
import { sqlState } from '../../../platform/database/database.js';
import { ArchiveProblem } from '../../domain/archived-event.js';
import { boundsOf } from './archived-months.js';

/** Deleted together: while they are, events of the partition wait to be recorded. */
const batch = 5_000;
const attempts = 120;

/** The partition that has a month, and perhaps others. */
export interface Partition {
  name: string;
  hasOneMonth: boolean;
}

export async function partitionOf(database: Database, month: string): Promise<Partition | undefined> {
  const { start, end } = boundsOf(month);
  const { rows } = await database.query<{ name: string; hasOneMonth: boolean }>(
    `SELECT quote_ident(name) AS name, from_at = $1 AND to_at = $2 AS "hasOneMonth" FROM audit_partition
      WHERE from_at <= $1 AND $2 <= to_at`,
    [start, end],
  );
  return rows[0];
}

/** Drops the partition in one transaction with `record`, which says that its month is archived. */
export async function dropMonth(database: Database, partition: string, record: () => Promise<void>): Promise<void> {
  await whenUnused(database, async () => {
    await database.query('LOCK TABLE ONLY audit_event IN ACCESS EXCLUSIVE MODE');
    await record();
    await database.query(`DROP TABLE ${partition}`);
  });
}

/**
 * Removes an archived month from a partition that has others, which is that of the events from before the partitions;
 * with the last month it is dropped. The trigger of the partition is off within each transaction only, which excludes
 * other writers.
 */
export async function deleteMonth(database: Database, partition: string, month: string): Promise<void> {
  const { start, end } = boundsOf(month);
  const trigger = `TRIGGER audit_event_append_only`;
  let left = true;
  while (left) {
    await whenUnused(database, async () => {
      await database.query(`ALTER TABLE ${partition} DISABLE ${trigger}`);
      const { rowCount } = await database.query(
        `DELETE FROM ${partition} WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM ${partition} WHERE recorded_at >= $1 AND recorded_at < $2 LIMIT ${batch}))`,
        [start, end],
      );
      await database.query(`ALTER TABLE ${partition} ENABLE ${trigger}`);
      left = rowCount === batch;
    });
  }
  await whenUnused(database, async () => {
    const { rows } = await database.query<{ isDone: boolean }>(
      `SELECT to_at < now() - interval '2 days' AND NOT EXISTS (SELECT FROM ${partition}) AS "isDone"
         FROM audit_partition WHERE quote_ident(name) = $1`,
      [partition],
    );
    if (!rows[0]?.isDone) return;
    await database.query('LOCK TABLE ONLY audit_event IN ACCESS EXCLUSIVE MODE');
    await database.query(`DROP TABLE ${partition}`);
  });
}

/** Gives way to sessions that use the record for long: while one waits for a lock, all others wait behind it. */
async function whenUnused(database: Database, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.transaction(async () => {
        await database.query("SELECT set_config('lock_timeout', '1000', true)");
        await work();
      });
      return;
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      if (attempt === attempts) {
        throw new ArchiveProblem(
          'Another session, such as a backup, has used the audit record for minutes. Repeat the command after it.',
        );
      }
      await sleep(1_000);
    }
  }
}
