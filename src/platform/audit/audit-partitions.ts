import { type Database, sqlState } from '../database/database.js';

/** Also without any node that runs, events can be recorded so long. */
const monthsAhead = 3;

/**
 * Makes the partitions of the current month and the next ones, as far as they are missing. Nodes may do so at the same
 * time.
 */
export async function makeAuditPartitions(database: Database): Promise<void> {
  await database.query(
    'SELECT make_audit_partition(now() + make_interval(months => ahead)) FROM generate_series(0, $1::int) AS ahead',
    [monthsAhead],
  );
}

/** True if an event could not be recorded because the partition of its month is missing. */
export function isMissingPartition(error: unknown): boolean {
  // PostgreSQL's `check_violation`, of no constraint by name.
  const { table, constraint } = (error ?? {}) as { table?: unknown; constraint?: unknown };
  return sqlState(error) === '23514' && table === 'audit_event' && constraint === undefined;
}
