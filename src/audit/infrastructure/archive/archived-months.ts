import type { Secrets } from '../../../platform/crypto/secrets.js';
import type { Database } from '../../../platform/database/database.js';
import { eventStart } from './archive-lines.js';

/** A row of `audit_archive`: a month whose events are in a verified file. */
export interface ArchivedMonth {
  /** `YYYY-MM`. */
  month: string;
  events: number;
  /** Numbers of the seals that the file contains, as a multirange. */
  seals: string;
  /** Events of the month that a seal of an earlier version covers together with events of another month. */
  neighbours: string[];
  /** The digest of the file. */
  digest: string;
}

/** The seals all of whose events are in archives. */
export class ArchivedSeals {
  private readonly ranges: { from: bigint; to: bigint }[];
  private readonly shared: Set<string>;

  constructor(months: readonly ArchivedMonth[]) {
    this.ranges = months.flatMap(({ seals }) =>
      [...seals.matchAll(/\[(\d+),(\d+)\)/g)].map(([, from = '0', to = '0']) => ({
        from: BigInt(from),
        to: BigInt(to),
      })),
    );
    this.shared = new Set(months.flatMap(({ neighbours }) => neighbours.map((text) => eventStart(text).id)));
  }

  /** False for a seal of events of several months, which the table of archives has as far as they are archived. */
  has({ number, ids }: { number: string; ids: readonly string[] }): boolean {
    const asked = BigInt(number);
    return this.ranges.some(({ from, to }) => from <= asked && asked < to) && !ids.some((id) => this.shared.has(id));
  }
}

/** Start and end of a month (UTC), as PostgreSQL reads them. */
export function boundsOf(month: string): { start: string; end: string } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return { start: `${month}-01T00:00:00Z`, end: new Date(Date.UTC(year, number, 1)).toISOString() };
}

export async function archivedMonths(
  database: Database,
  secrets: Secrets,
): Promise<(ArchivedMonth & { archivedAt: Date; isGenuine: boolean; left: number })[]> {
  const { rows } = await database.query<ArchivedMonth & { archivedAt: Date; hash: string; [column: string]: unknown }>(
    `SELECT to_char(month, 'YYYY-MM') AS month, archived_at AS "archivedAt", events::float8 AS events, seals::text AS seals,
            neighbours, digest, hash
       FROM audit_archive ORDER BY audit_archive.month`,
  );
  const months = [];
  for (const { hash, ...row } of rows) {
    const isGenuine = hash === hashOfMonth(secrets, row);
    months.push({ ...row, isGenuine, left: await eventsIn(database, row.month) });
  }
  return months;
}

export async function addArchivedMonth(database: Database, secrets: Secrets, month: ArchivedMonth): Promise<void> {
  await database.query(
    `INSERT INTO audit_archive (month, events, seals, neighbours, digest, hash)
     VALUES (to_date($1, 'YYYY-MM'), $2, $3::int8multirange, $4, $5, $6)`,
    [month.month, month.events, month.seals, month.neighbours, month.digest, hashOfMonth(secrets, month)],
  );
}

/** The number of events of a month that are in the table. */
export async function eventsIn(database: Database, month: string): Promise<number> {
  const { start, end } = boundsOf(month);
  const { rows } = await database.longQuery<{ count: number }>(
    'SELECT count(*)::float8 AS count FROM audit_event WHERE recorded_at >= $1 AND recorded_at < $2',
    [start, end],
  );
  return rows[0]?.count ?? 0;
}

/** A row that was added or changed outside of the application would hide the events of its month. */
function hashOfMonth(secrets: Secrets, { month, events, seals, neighbours, digest }: ArchivedMonth): string {
  return secrets.hmac('audit-archive', `month ${JSON.stringify([month, events, seals, neighbours, digest])}`);
}
