import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { SealState } from '../../contract/audit.js';
import { Secrets } from '../crypto/secrets.js';
import { Database } from '../database/database.js';
import { log } from '../logging/log.js';
import { type Repeated, repeat } from '../repeat.js';

const everyMs = 60_000;
const batch = 2_000;
/** The number is arbitrary, but every node must use the same one. */
const sealingLock = 4_712_052;

/** Result of {@link AuditSeals.verify}. */
export interface AuditVerdict {
  events: number;
  seals: number;
  /** One line per problem; empty if all events are as recorded. */
  problems: string[];
}

interface SealRow {
  number: string;
  event_ids: string[];
  hash: string;
}

/** Columns are named one by one: a column of a later version must not change the sealed content. */
const canonicalEvent = `jsonb_build_array(id, to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), type,
  outcome, user_id, client_id, subject, address, correlation_id, detail)::text`;

/**
 * Seals the audit record (security N-05). Once a minute one node seals the events recorded since the last seal: a hash
 * of these events and of the previous seal, keyed by the master key. A change of the tables outside of the application,
 * without that key, breaks a seal. Each new seal is also written to the log, so that truncation of the chain shows
 * there. Events younger than a minute are not sealed yet.
 */
@Injectable()
export class AuditSeals implements OnModuleInit, OnModuleDestroy {
  private sealing: Repeated | undefined;

  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
  ) {}

  onModuleInit(): void {
    this.sealing = repeat(everyMs, 'sealing of the audit record failed; will retry', async () => {
      await this.seal();
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.sealing?.stop();
  }

  /** Seals the events recorded since the last seal, unless another node is sealing. Returns the number of events. */
  async seal(): Promise<number> {
    let sealed = 0;
    for (let count = batch; count === batch; sealed += count) count = await this.sealBatch();
    return sealed;
  }

  private sealBatch(): Promise<number> {
    return this.database.transaction(async () => {
      const { rows: locks } = await this.database.query<{ mine: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1) AS mine',
        [sealingLock],
      );
      if (!locks[0]?.mine) return 0;
      const { rows: taken } = await this.database.query<{ event_id: string }>(
        `DELETE FROM audit_unsealed WHERE event_id IN (SELECT event_id FROM audit_unsealed ORDER BY event_id LIMIT $1)
         RETURNING event_id`,
        [batch],
      );
      if (taken.length === 0) return 0;
      const ids = taken.map(({ event_id }) => event_id);
      const { rows: last } = await this.database.query<Pick<SealRow, 'number' | 'hash'>>(
        'SELECT number, hash FROM audit_seal ORDER BY number DESC LIMIT 1',
      );
      const number = BigInt(last[0]?.number ?? 0) + 1n;
      const hash = await this.hashOf(number, last[0]?.hash, ids);
      await this.database.query('INSERT INTO audit_seal (number, event_ids, hash) VALUES ($1, $2, $3)', [
        number,
        ids,
        hash,
      ]);
      log.info({ seal: String(number), hash, events: ids.length }, 'the audit record was sealed');
      return ids.length;
    });
  }

  /** Finds events that were changed, removed or inserted outside of the application. */
  async verify(): Promise<AuditVerdict> {
    const problems: string[] = [];
    const counted = await this.countEvents();
    let [seals, before]: [bigint, string | undefined] = [0n, undefined];
    for (;;) {
      const { rows } = await this.database.query<SealRow>(
        'SELECT number, event_ids, hash FROM audit_seal WHERE number > $1 ORDER BY number LIMIT 1',
        [seals],
      );
      const [seal] = rows;
      if (!seal) break;
      if (BigInt(seal.number) !== seals + 1n) problems.push(`seal ${seals + 1n} is missing`);
      const hash = await this.hashOf(BigInt(seal.number), before, seal.event_ids);
      if (hash !== seal.hash) problems.push(`seal ${seal.number} is broken: ${span(seal.event_ids)} were changed`);
      [seals, before] = [BigInt(seal.number), seal.hash];
    }
    if (counted.strays !== 0) problems.push(`${Math.abs(counted.strays)} events were inserted or removed`);
    return { events: counted.events, seals: Number(seals), problems };
  }

  /** Finds the seal of one event, and checks that it fits the events that it covers. */
  async check({ id, at }: { id: string; at: Date }): Promise<SealState> {
    const { rows: unsealed } = await this.database.query('SELECT FROM audit_unsealed WHERE event_id = $1', [id]);
    if (unsealed.length > 0) return { state: 'waiting' };
    // An event is sealed after it is recorded; the clocks of nodes and database may differ.
    const { rows } = await this.database.query<SealRow & { before: string | null; sealed_at: Date }>(
      `SELECT number, event_ids, hash, sealed_at, (SELECT hash FROM audit_seal WHERE number = seal.number - 1) AS before
         FROM audit_seal AS seal
        WHERE sealed_at >= $2::timestamptz - interval '1 hour' AND event_ids @> ARRAY[$1::bigint] ORDER BY number LIMIT 1`,
      [id, at],
    );
    const [seal] = rows;
    if (!seal) return { state: 'missing' };
    const { number, hash, before } = seal;
    const expected = await this.hashOf(BigInt(number), before ?? undefined, seal.event_ids);
    const state = expected === hash ? 'sealed' : 'broken';
    return { state, number, hash, before, sealedAt: seal.sealed_at.toISOString() };
  }

  /** One statement, so that an event recorded meanwhile counts on both sides or on neither. */
  private async countEvents(): Promise<{ events: number; strays: number }> {
    const { rows } = await this.database.query<{ events: number; known: number }>(
      `SELECT (SELECT count(*)::float8 FROM audit_event) AS events,
              (SELECT count(*)::float8 FROM audit_unsealed)
                + (SELECT coalesce(sum(cardinality(event_ids)), 0)::float8 FROM audit_seal) AS known`,
    );
    const { events = 0, known = 0 } = rows[0] ?? {};
    return { events, strays: events - known };
  }

  private async hashOf(number: bigint, before: string | undefined, eventIds: string[]): Promise<string> {
    const { rows } = await this.database.query<{ event: string }>(
      `SELECT ${canonicalEvent} AS event FROM audit_event WHERE id = ANY ($1) ORDER BY id`,
      [eventIds],
    );
    return this.secrets.hmac('audit', JSON.stringify([String(number), before ?? null, rows.map(({ event }) => event)]));
  }
}

function span(eventIds: string[]): string {
  const ids = eventIds.map(BigInt).sort((a, b) => (a < b ? -1 : 1));
  return `events ${ids[0]} to ${ids.at(-1)}`;
}
