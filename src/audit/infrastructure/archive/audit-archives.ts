import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { counted } from '../../../contract/messages/counted.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Config } from '../../../platform/config/config.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { Database } from '../../../platform/database/database.js';
import { ArchiveProblem } from '../../domain/archived-event.js';
import { eventsOfSeal, type Seal, SealHash, sealColumns } from '../sealed-events.js';
import { writeArchive } from './archive-file.js';
import { type EndLine, eventStart, headerLine, neighbourLine, type SealLine } from './archive-lines.js';
import { endHash, proveArchive } from './archive-proof.js';
import { type ArchivedMonth, addArchivedMonth, archivedMonths, boundsOf, eventsIn } from './archived-months.js';
import { deleteMonth, dropMonth, partitionOf } from './month-removal.js';

const graceDays = 2;

type SealToWrite = Seal & { before: string | null; [column: string]: unknown };

/** Moves months of the audit record into files that can be proven, alone and together with the record. */
@Injectable()
export class AuditArchives {
  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
    private readonly config: Config,
  ) {}

  /**
   * Writes a month to the file, verifies the file, and only then removes the month from the table. A run that was
   * killed leaves the month in the table, or a verified file; repeated with that file it removes the rest.
   */
  async archive(month: string, file: string): Promise<{ events: number; seals: number }> {
    const known = (await archivedMonths(this.database, this.secrets)).find((archived) => archived.month === month);
    if (known) return this.continueRemoval(known, file);
    await this.assertDue(month);
    const partition = await partitionOf(this.database, month);
    const events = partition ? await eventsIn(this.database, month) : 0;
    if (!partition || events === 0) throw new ArchiveProblem(`The audit record has no events of ${month}.`);
    await assertMissing(file);
    const written = new Written(month);
    let seals = 0;
    await writeArchive(file, this.lines(month, events, written), async (partial) => {
      const proof = await proveArchive(partial, this.secrets);
      const isSame = proof.events === events && proof.digest === written.digest && proof.month === month;
      if (proof.problems.length > 0 || !isSame) {
        throw new ArchiveProblem(
          ['The written file is damaged, and nothing was removed.', ...proof.problems].join('\n'),
        );
      }
      seals = proof.seals;
    });
    const record = async () => {
      await this.assertUnchanged(month, written.lastId);
      await addArchivedMonth(this.database, this.secrets, written.result(events));
      await this.audit.record({
        type: 'audit.archived',
        outcome: 'success',
        subject: month,
        detail: { events, seals, digest: written.digest },
      });
    };
    if (partition.hasOneMonth) {
      await dropMonth(this.database, partition.name, record);
    } else {
      await this.database.transaction(record);
      await deleteMonth(this.database, partition.name, month);
    }
    return { events, seals };
  }

  private async continueRemoval(known: ArchivedMonth & { left: number }, file: string) {
    const { month, left, digest } = known;
    if (left === 0) throw new ArchiveProblem(`${month} was archived before, with ${known.events} events.`);
    const proof = await proveArchive(file, this.secrets);
    if (proof.problems.length > 0) throw new ArchiveProblem(proof.problems.join('\n'));
    if (proof.digest !== digest) throw new ArchiveProblem(`${file} is not the archive of ${month} that was verified.`);
    const partition = await partitionOf(this.database, month);
    if (partition) await deleteMonth(this.database, partition.name, month);
    return { events: proof.events, seals: proof.seals };
  }

  private async assertDue(month: string): Promise<void> {
    if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
      throw new ArchiveProblem(`${month} is not a month: write it as 2026-03.`);
    const { start, end } = boundsOf(month);
    const { rows } = await this.database.query<{
      isOver: boolean;
      from: string;
      isKept: boolean;
      unsealed: number;
      posts: number;
    }>(
      `SELECT now() >= $2::timestamptz + interval '${graceDays} days' AS "isOver",
              to_char($2::timestamptz AT TIME ZONE 'UTC' + interval '${graceDays} days', 'YYYY-MM-DD') AS from,
              coalesce(now() < $2::timestamptz + make_interval(months => $3), false) AS "isKept",
              (SELECT count(*)::int FROM audit_unsealed
                WHERE coalesce(recorded_at, (SELECT recorded_at FROM audit_event WHERE id = event_id)) >= $1
                  AND coalesce(recorded_at, (SELECT recorded_at FROM audit_event WHERE id = event_id)) < $2) AS unsealed,
              (SELECT count(*)::int FROM job WHERE kind ~ '^audit-event(/|$)' AND created_at < $2) AS posts`,
      [start, end, this.config.audit.keepMonths ?? null],
    );
    const [found] = rows;
    if (!found?.isOver) {
      throw new ArchiveProblem(
        `${month} is not over: its events can be archived from ${found?.from} (UTC), two days after its end.`,
      );
    }
    if (found.isKept) {
      throw new ArchiveProblem(
        `${month} stays in the database: audit.keepMonths keeps ${counted(this.config.audit.keepMonths ?? 0, 'month')} there.`,
      );
    }
    if (found.unsealed > 0) {
      throw new ArchiveProblem(
        `${month} has ${counted(found.unsealed, 'event')} without a seal: a running portal seals all within a minute.`,
      );
    }
    if (found.posts > 0) {
      throw new ArchiveProblem(
        `The FHIR server does not have ${counted(found.posts, 'access', 'accesses')} of ${month} or before yet, which are posted to it as AuditEvents.`,
      );
    }
  }

  private async assertUnchanged(month: string, lastId: string): Promise<void> {
    const { start, end } = boundsOf(month);
    const { rows } = await this.database.query(
      'SELECT FROM audit_event WHERE recorded_at >= $1 AND recorded_at < $2 AND id > $3 LIMIT 1',
      [start, end, lastId],
    );
    if (rows.length > 0) throw new ArchiveProblem(`Events of ${month} were added meanwhile, and nothing was removed.`);
  }

  /** The lines of the file; throws unless each of the events is under a seal that is intact. */
  private async *lines(month: string, events: number, written: Written): AsyncGenerator<string> {
    yield written.add(headerLine({ key: this.secrets.keyId, issuer: this.config.server.issuer, month }));
    let number = '0';
    while (written.found.events < events) {
      const seal = await this.nextSeal(month, number);
      if (!seal)
        throw new ArchiveProblem(`${month} has ${counted(events - written.found.events, 'event')} without a seal.`);
      number = seal.number;
      const covered = await eventsOfSeal(this.database, seal);
      const own = covered.filter(({ text }) => eventStart(text).month === month);
      if (own.length === 0) continue;
      const hash = new SealHash(this.secrets, number, seal.before);
      for (const { text } of covered) hash.add(text);
      if (hash.digest() !== seal.hash) {
        throw new ArchiveProblem(
          `Seal ${number} is broken, so ${month} is not archived: run \`npx gatehouse audit verify\`.`,
        );
      }
      const { before, sealedAt } = seal;
      const line: SealLine = { seal: number, before, hash: seal.hash, sealedAt, events: covered.length };
      yield written.addSeal(line, own.length < covered.length ? own.map(({ text }) => text) : []);
      for (const { id, text } of covered) yield written.addEvent(id, text);
    }
    yield written.end(this.secrets);
  }

  private async nextSeal(month: string, after: string): Promise<SealToWrite | undefined> {
    const { start, end } = boundsOf(month);
    const { rows } = await this.database.query<SealToWrite>(
      `SELECT ${sealColumns}, (SELECT hash FROM audit_seal AS last WHERE last.number = seal.number - 1) AS before
         FROM audit_seal AS seal
        WHERE number > $1 AND sealed_at >= $2::timestamptz - interval '1 day'
          AND (from_at IS NULL OR (from_at >= $2 AND from_at < $3)) ORDER BY number LIMIT 1`,
      [after, start, end],
    );
    return rows[0];
  }
}

async function assertMissing(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new ArchiveProblem(`${file} exists already, and is not replaced.`);
}

/** The part of a file that is written so far. */
class Written {
  readonly found = { events: 0, neighbours: 0, seals: 0 };
  digest = '';
  lastId = '0';
  private readonly hash = createHash('sha256');
  private readonly neighbours: string[] = [];
  private readonly ranges: { from: bigint; to: bigint }[] = [];

  constructor(private readonly month: string) {}

  add(line: string): string {
    this.hash.update(`${line}\n`);
    return line;
  }

  addSeal(line: SealLine, shared: string[]): string {
    this.found.seals += 1;
    this.neighbours.push(...shared);
    const number = BigInt(line.seal);
    const last = this.ranges.at(-1);
    if (last?.to === number) last.to += 1n;
    else this.ranges.push({ from: number, to: number + 1n });
    return this.add(JSON.stringify(line));
  }

  addEvent(id: string, text: string): string {
    const isOwn = eventStart(text).month === this.month;
    if (isOwn && BigInt(id) > BigInt(this.lastId)) this.lastId = id;
    this.found[isOwn ? 'events' : 'neighbours'] += 1;
    return this.add(isOwn ? text : neighbourLine(text));
  }

  end(secrets: Secrets): string {
    this.digest = this.hash.digest('hex');
    const line: EndLine = { end: this.found, digest: this.digest, hash: endHash(secrets, this.digest) };
    return JSON.stringify(line);
  }

  result(events: number): ArchivedMonth {
    const { month, neighbours, digest } = this;
    return {
      month,
      events,
      neighbours,
      digest,
      seals: `{${this.ranges.map(({ from, to }) => `[${from},${to})`).join(',')}}`,
    };
  }
}
