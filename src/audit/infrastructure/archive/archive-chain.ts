import { Injectable } from '@nestjs/common';
import { counted } from '../../../contract/messages/counted.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { Database } from '../../../platform/database/database.js';
import { type ArchivedEvent, ArchiveProblem } from '../../domain/archived-event.js';
import { AuditSeals, type AuditVerdict } from '../../domain/audit-seals.js';
import { archiveLines } from './archive-file.js';
import { parseLine, type SealLine } from './archive-lines.js';
import { acceptHeader, type ProvenArchive, proveArchive } from './archive-proof.js';
import { type ArchivedMonth, archivedMonths } from './archived-months.js';

/** Seals that are compared with the database together. */
const batch = 500;

/** Verifies archives, each by itself and all together with the record. */
@Injectable()
export class ArchiveChain {
  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
    private readonly seals: AuditSeals,
  ) {}

  /**
   * Verifies the record and the archives of all its months. `alone` verifies the named archives only, of which none may
   * be missing otherwise. The events of archives are counted with those of the record.
   */
  async verify(files: readonly string[], { alone }: { alone: boolean }): Promise<AuditVerdict> {
    const months = await archivedMonths(this.database, this.secrets);
    const verdict: AuditVerdict = alone ? { events: 0, seals: 0, problems: [] } : await this.seals.verify();
    const { problems } = verdict;
    const found = new Map<string, string>();
    for (const file of files) {
      const proof = await this.prove(file, problems);
      if (!proof) continue;
      const other = found.get(proof.month);
      if (other !== undefined) problems.push(`${file} and ${other} are both of ${proof.month}.`);
      found.set(proof.month, file);
      verdict.events += proof.events;
      // The count of the record includes the seals of archives.
      if (alone) verdict.seals += proof.seals;
      else
        problems.push(
          ...compare(
            file,
            proof,
            months.find(({ month }) => month === proof.month),
          ),
        );
    }
    if (!alone && files.length > 0) {
      for (const { month, archivedAt, events } of months) {
        if (found.has(month)) continue;
        problems.push(
          `The archive of ${month} is missing: it was written on ${archivedAt.toISOString().slice(0, 10)} with ${events} events.`,
        );
      }
    }
    return verdict;
  }

  /** The events of an archive that fit, as JSON texts, without a proof of them. */
  async *events(file: string, fits: (event: ArchivedEvent) => boolean): AsyncGenerator<string> {
    let isFirst = true;
    for await (const text of archiveLines(file)) {
      const line = parseLine(text);
      if (isFirst) acceptHeader(file, line, this.secrets);
      isFirst = false;
      if (line?.kind !== 'event') continue;
      const event = archivedEvent(line.text);
      if (fits(event)) yield JSON.stringify(event);
    }
  }

  private async prove(file: string, problems: string[]): Promise<ProvenArchive | undefined> {
    let waiting: SealLine[] = [];
    let foreign = 0;
    const compareWaiting = async () => {
      foreign += await this.foreignSeals(waiting);
      waiting = [];
    };
    try {
      const proof = await proveArchive(file, this.secrets, async (seal) => {
        waiting.push(seal);
        if (waiting.length === batch) await compareWaiting();
      });
      await compareWaiting();
      problems.push(...proof.problems);
      if (foreign > 0) {
        problems.push(
          proof.problems.length > 0
            ? `${file} has ${counted(foreign, 'seal')} that the database does not have.`
            : `${file} is of another installation or of a copy of this one: ${foreign} of ${counted(proof.seals, 'seal')} in it ${foreign === 1 ? 'is' : 'are'} not in the database.`,
        );
      }
      return proof;
    } catch (error) {
      if (!(error instanceof ArchiveProblem)) throw error;
      problems.push(error.message);
      return undefined;
    }
  }

  /** The number of seals that the database does not have, or has after another seal. */
  private async foreignSeals(seals: SealLine[]): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM jsonb_to_recordset($1::jsonb) AS archived (seal text, before text, hash text)
        WHERE NOT EXISTS (
          SELECT FROM audit_seal AS own LEFT JOIN audit_seal AS last ON last.number = own.number - 1
           WHERE own.number = CASE WHEN archived.seal ~ '^[0-9]{1,18}$' THEN archived.seal::bigint END AND own.hash = archived.hash
             AND last.hash IS NOT DISTINCT FROM archived.before)`,
      [JSON.stringify(seals)],
    );
    return rows[0]?.count ?? 0;
  }
}

function compare(file: string, { month, digest }: ProvenArchive, archived: ArchivedMonth | undefined): string[] {
  if (!archived)
    return [`${file} is of ${month}, which is in the database: the month was not removed after this file was written.`];
  return archived.digest === digest
    ? []
    : [`${file} is not the archive of ${month} that was verified before the month was removed.`];
}

/** Reads the form that a seal covers. */
function archivedEvent(text: string): ArchivedEvent {
  const [id, at, type, outcome, userId, clientId, subject, address, correlationId, detail] = JSON.parse(text);
  const recordedAt = `${at}Z`;
  return { id: String(id), recordedAt, type, outcome, userId, clientId, subject, address, correlationId, detail };
}
