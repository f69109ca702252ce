import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { SealState } from '../../contract/audit.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { log } from '../../platform/logging/log.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';
import { AuditSeals, type AuditVerdict, type UnsealedEvents } from '../domain/audit-seals.js';
import { ArchivedSeals, archivedMonths } from './archive/archived-months.js';
import { changedEvents, eventsLeft, strayEvents } from './audit-summary.js';
import { eventsOfSeal, type Seal, SealHash, sealColumns } from './sealed-events.js';

const everyMs = 60_000;
const batch = 2_000;
/** Unsealed events are counted up to this number: a table that has grown for days must not slow the metrics down. */
const mostCounted = 100_000;
/** The number is arbitrary, but every node must use the same one. */
const sealingLock = 4_712_052;

interface Backlog {
  unsealed: number;
  oldestSeconds: number;
  seals: number | null;
  lastSeconds: number | null;
}

/**
 * The next events to seal: of one month (UTC) only, so that a seal can be archived with its month. Nodes of the
 * previous version give no times; an id without an event, which only a change outside of the application leaves, is
 * sealed with the others.
 */
const takeBatch = `
  WITH waiting AS (
    SELECT event_id, coalesce(recorded_at, (SELECT recorded_at FROM audit_event WHERE id = event_id)) AS at
      FROM audit_unsealed ORDER BY event_id LIMIT $1
  ), month AS (
    SELECT date_trunc('month', min(at) AT TIME ZONE 'UTC') AS start FROM waiting
  ), taken AS (
    SELECT event_id, at FROM waiting, month
     WHERE at IS NULL OR start = date_trunc('month', at AT TIME ZONE 'UTC')
  ), removed AS (
    DELETE FROM audit_unsealed WHERE event_id IN (SELECT event_id FROM taken) RETURNING event_id
  )
  SELECT array_agg(event_id::text ORDER BY event_id) AS ids, min(at) AS "from", max(at) AS "to"
    FROM taken JOIN removed USING (event_id)`;

@Injectable()
export class PostgresAuditSeals extends AuditSeals implements OnModuleInit, OnModuleDestroy {
  private sealing: Repeated | undefined;

  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
  ) {
    super();
  }

  onModuleInit(): void {
    this.sealing = repeat(everyMs, 'sealing of the audit record failed; will retry', async () => {
      await this.seal();
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.sealing?.stop();
  }

  async seal(): Promise<number> {
    let sealed = 0;
    for (let count = -1; count !== 0; sealed += Math.max(count, 0)) count = await this.sealBatch();
    return sealed;
  }

  private sealBatch(): Promise<number> {
    return this.database.transaction(async () => {
      const { rows: locks } = await this.database.query<{ mine: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1) AS mine',
        [sealingLock],
      );
      if (!locks[0]?.mine) return 0;
      const { rows: taken } = await this.database.query<{ ids: string[] | null; from: Date; to: Date }>(takeBatch, [
        batch,
      ]);
      const [{ ids, from, to }] = taken as [(typeof taken)[0]];
      if (!ids) return 0;
      const { rows: last } = await this.database.query<Pick<Seal, 'number' | 'hash'>>(
        'SELECT number, hash FROM audit_seal ORDER BY number DESC LIMIT 1',
      );
      const number = BigInt(last[0]?.number ?? 0) + 1n;
      const hash = await this.hashOf({ number: String(number), ids, from, to }, last[0]?.hash ?? null);
      await this.database.query(
        'INSERT INTO audit_seal (number, event_ids, hash, from_at, to_at) VALUES ($1, $2, $3, $4, $5)',
        [number, ids, hash, from, to],
      );
      log.info({ seal: String(number), hash, events: ids.length }, 'audit record sealed');
      return ids.length;
    });
  }

  async backlog(): Promise<UnsealedEvents> {
    const { rows } = await this.database.queryOutsideTransaction<Backlog & { [column: string]: unknown }>(
      `SELECT count(*)::int AS unsealed,
              coalesce(extract(epoch FROM now() - min(recorded_at)), 0)::float8 AS "oldestSeconds",
              (SELECT number::float8 FROM audit_seal ORDER BY number DESC LIMIT 1) AS seals,
              (SELECT extract(epoch FROM now() - sealed_at)::float8 FROM audit_seal ORDER BY number DESC LIMIT 1)
                AS "lastSeconds"
         FROM (SELECT recorded_at FROM audit_unsealed ORDER BY event_id LIMIT ${mostCounted}) AS waiting`,
    );
    const [{ unsealed, oldestSeconds, seals, lastSeconds }] = rows as [(typeof rows)[0]];
    return { unsealed, oldestSeconds, seals: seals ?? 0, lastSeconds: lastSeconds ?? undefined };
  }

  async verify(onSeal: (number: string) => void = () => undefined): Promise<AuditVerdict> {
    const months = await archivedMonths(this.database, this.secrets);
    const problems = months.flatMap(problemsOfMonth);
    const archived = new ArchivedSeals(months.filter(({ isGenuine }) => isGenuine));
    const counted = await this.countEvents(months);
    let [seals, before]: [bigint, string | null] = [0n, null];
    for (;;) {
      const { rows } = await this.database.query<Seal & { [column: string]: unknown }>(
        `SELECT ${sealColumns} FROM audit_seal WHERE number > $1 ORDER BY number LIMIT 1`,
        [seals],
      );
      const [seal] = rows;
      if (!seal) break;
      if (BigInt(seal.number) !== seals + 1n) problems.push(`seal ${seals + 1n} is missing`);
      // A seal whose events are in an archive is verified with that.
      if (!archived.has(seal) && (await this.hashOf(seal, before)) !== seal.hash)
        problems.push(`seal ${seal.number} is broken: ${changed(seal.ids)}`);
      [seals, before] = [BigInt(seal.number), seal.hash];
      onSeal(seal.number);
    }
    if (counted.strays !== 0) problems.push(strayEvents(Math.abs(counted.strays)));
    return { events: counted.events, seals: Number(seals), problems };
  }

  async check({ id, at }: { id: string; at: Date }): Promise<SealState> {
    const { rows: unsealed } = await this.database.query('SELECT FROM audit_unsealed WHERE event_id = $1', [id]);
    if (unsealed.length > 0) return { state: 'waiting' };
    // An event is sealed after it is recorded; the clocks of nodes and database may differ.
    const { rows } = await this.database.query<Seal & { before: string | null; [column: string]: unknown }>(
      `SELECT ${sealColumns}, (SELECT hash FROM audit_seal WHERE number = seal.number - 1) AS before
         FROM audit_seal AS seal
        WHERE sealed_at >= $2::timestamptz - interval '1 hour' AND (from_at IS NULL OR $2 BETWEEN from_at AND to_at)
          AND event_ids @> ARRAY[$1::bigint] ORDER BY number LIMIT 1`,
      [id, at],
    );
    const [seal] = rows;
    if (!seal) return { state: 'missing' };
    const { number, hash, before, sealedAt } = seal;
    const state = (await this.hashOf(seal, before)) === hash ? 'sealed' : 'broken';
    return { state, number, hash, before, sealedAt };
  }

  async evidence(number: string): Promise<object> {
    const { rows } = await this.database.query<Seal & { before: string | null; [column: string]: unknown }>(
      `SELECT ${sealColumns}, (SELECT hash FROM audit_seal WHERE number = seal.number - 1) AS before
         FROM audit_seal AS seal WHERE number = $1`,
      [number],
    );
    const [seal] = rows;
    if (!seal) return { number, isMissing: true };
    const { ids, hash, before, sealedAt } = seal;
    const events = await eventsOfSeal(this.database, seal);
    return {
      ...{ number, sealedAt, before, hash, hashNow: await this.hashOf(seal, before) },
      sealedEntries: ids,
      entriesNow: events.map(({ text }) => JSON.parse(text)),
    };
  }

  /** One statement, so that an event recorded meanwhile counts on both sides or on neither. */
  private async countEvents(
    months: readonly { events: number; left: number }[],
  ): Promise<{ events: number; strays: number }> {
    const { rows } = await this.database.longQuery<{ events: number; known: number }>(
      `SELECT (SELECT count(*)::float8 FROM audit_event) AS events,
              (SELECT count(*)::float8 FROM audit_unsealed)
                + (SELECT coalesce(sum(cardinality(event_ids)), 0)::float8 FROM audit_seal) AS known`,
    );
    const { events = 0, known = 0 } = rows[0] ?? {};
    const archived = months.reduce((sum, month) => sum + month.events - month.left, 0);
    return { events, strays: events + archived - known };
  }

  private async hashOf(seal: Pick<Seal, 'number' | 'ids' | 'from' | 'to'>, before: string | null): Promise<string> {
    const hash = new SealHash(this.secrets, seal.number, before);
    for (const { text } of await eventsOfSeal(this.database, seal)) hash.add(text);
    return hash.digest();
  }
}

function problemsOfMonth({ month, isGenuine, left }: { month: string; isGenuine: boolean; left: number }): string[] {
  if (!isGenuine) return [`the entry of ${month} in audit_archive was changed`];
  if (left === 0) return [];
  return [eventsLeft(month, left)];
}

function changed(eventIds: string[]): string {
  const ids = eventIds.map(BigInt).sort((a, b) => (a < b ? -1 : 1));
  return changedEvents(ids[0], ids.at(-1));
}
