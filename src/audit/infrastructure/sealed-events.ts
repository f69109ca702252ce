import type { Secrets } from '../../platform/crypto/secrets.js';
import type { Database } from '../../platform/database/database.js';

/** Columns are named one by one: a column of a later version must not change the sealed content. */
const canonicalEvent = `jsonb_build_array(id, to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), type,
  outcome, user_id, client_id, subject, address, correlation_id, detail)::text`;

/** A row of `audit_seal`. */
export interface Seal {
  number: string;
  ids: string[];
  hash: string;
  sealedAt: string;
  /** Times of the first and the last event; null in seals of earlier versions. */
  from: Date | null;
  to: Date | null;
}

export const sealColumns = `number, event_ids AS ids, hash, from_at AS "from", to_at AS "to",
  to_char(sealed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "sealedAt"`;

/** Events of one seal, by id, in the form that the seal covers. */
export interface SealedEvent {
  id: string;
  text: string;
}

/** The hash of a seal, keyed by the master key: of its number, the hash of the seal before, and its events by id. */
export class SealHash {
  private readonly hmac;
  private separator = '';

  constructor(secrets: Secrets, number: string, before: string | null) {
    this.hmac = secrets.createHmac('audit').update(`[${JSON.stringify(number)},${JSON.stringify(before)},[`);
  }

  add(text: string): void {
    this.hmac.update(this.separator + JSON.stringify(text));
    this.separator = ',';
  }

  digest(): string {
    return this.hmac.update(']]').digest('base64url');
  }
}

/**
 * The events of a seal, by id, that are in the table, or in the table of archives because an event of another month
 * needs them.
 */
export async function eventsOfSeal(
  database: Database,
  seal: Pick<Seal, 'ids' | 'from' | 'to'>,
): Promise<SealedEvent[]> {
  const events = await inTable(database, seal);
  // A seal with times covers one month only.
  if (seal.from || events.length === seal.ids.length) return events;
  const { rows: archived } = await database.query<Row>(
    `SELECT (text::jsonb ->> 0)::bigint AS id, text FROM audit_archive CROSS JOIN unnest(neighbours) AS text
      WHERE (text::jsonb ->> 0)::bigint = ANY ($1)`,
    [seal.ids],
  );
  // While an archived month is removed from the table, an event can be in both.
  const found = new Map([...archived, ...events].map((event) => [event.id, event]));
  return [...found.values()].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
}

type Row = SealedEvent & { [column: string]: unknown };

async function inTable(
  database: Database,
  { ids, from, to }: Pick<Seal, 'ids' | 'from' | 'to'>,
): Promise<SealedEvent[]> {
  const select = `SELECT id, ${canonicalEvent} AS text FROM audit_event WHERE id = ANY ($1)`;
  const within = async (since: Date, until: Date) => {
    const { rows } = await database.query<Row>(`${select} AND recorded_at BETWEEN $2 AND $3 ORDER BY id`, [
      ids,
      since,
      until,
    ]);
    return rows;
  };
  if (from && to) return within(from, to);
  // Without times: those around the first and the last event, so that few partitions are read.
  const { rows: ends } = await database.query<{ from: Date | null; to: Date | null }>(
    `SELECT min(recorded_at) - interval '1 day' AS "from", max(recorded_at) + interval '1 day' AS "to"
       FROM audit_event WHERE id IN (SELECT unnest(ARRAY[min(id), max(id)]) FROM unnest($1::bigint[]) AS id)`,
    [ids],
  );
  const [around] = ends;
  const near = around?.from && around.to ? await within(around.from, around.to) : [];
  if (near.length === ids.length) return near;
  return (await database.query<Row>(`${select} ORDER BY id`, [ids])).rows;
}
