import { createHash } from 'node:crypto';
import { counted } from '../../../contract/messages/counted.js';
import type { Secrets } from '../../../platform/crypto/secrets.js';
import { ArchiveProblem } from '../../domain/archived-event.js';
import { changedEvents } from '../audit-summary.js';
import { SealHash } from '../sealed-events.js';
import { archiveLines } from './archive-file.js';
import {
  type ArchiveHeader,
  type ArchiveLine,
  archiveVersion,
  type EndLine,
  eventStart,
  parseLine,
  type SealLine,
} from './archive-lines.js';

/** The facts that an archive proves by itself. */
export interface ProvenArchive {
  month: string;
  events: number;
  seals: number;
  digest: string;
  /** One line per problem. */
  problems: string[];
}

/** The hash at the end, of a digest of all lines before; the key makes it a proof. */
export function endHash(secrets: Secrets, digest: string): string {
  return secrets.hmac('audit-archive', `file ${digest}`);
}

/**
 * Recomputes all seals of an archive from its events, and compares the end of the file. Memory is constant: an event is
 * forgotten when its seal has it. `onSeal` gets each seal for comparison with the database.
 */
export async function proveArchive(
  file: string,
  secrets: Secrets,
  onSeal: (seal: SealLine) => Promise<void> = async () => undefined,
): Promise<ProvenArchive> {
  const proof = new Proof(file, secrets);
  for await (const line of archiveLines(file)) {
    const ended = proof.add(line);
    if (ended) await onSeal(ended);
  }
  return proof.result();
}

/** The month that an archive is of; throws for a file that this installation and version cannot read. */
export function acceptHeader(file: string, line: ArchiveLine | undefined, secrets: Secrets): ArchiveHeader {
  if (line?.kind !== 'header') throw new ArchiveProblem(`${file} is not an archive of the audit record.`);
  const { header } = line;
  if (header.version !== archiveVersion) {
    throw new ArchiveProblem(
      `${file} has version ${header.version} of the format, and this version of Gatehouse knows version ${archiveVersion} only.`,
    );
  }
  if (header.key !== secrets.keyId) {
    throw new ArchiveProblem(
      `${file} was written by another installation (${header.issuer}) or under another master key, and cannot be verified here.`,
    );
  }
  return header;
}

class Proof {
  private readonly problems: string[] = [];
  private readonly digest = createHash('sha256');
  private readonly found = { events: 0, neighbours: 0, seals: 0 };
  private readonly otherMonths = new Set<string>();
  private header: ArchiveHeader | undefined;
  private current: { seal: SealLine; hash: SealHash; events: number; first?: string; last?: string } | undefined;
  private end: EndLine | undefined;

  constructor(
    private readonly file: string,
    private readonly secrets: Secrets,
  ) {}

  /** Returns the seal that begins with this line. */
  add(text: string): SealLine | undefined {
    const line = parseLine(text);
    if (!this.header) {
      this.header = acceptHeader(this.file, line, this.secrets);
    } else if (this.end || !line || line.kind === 'header') {
      this.problems.push(`${this.file} was changed: it has a line that no archive has.`);
    } else if (line.kind === 'seal') {
      this.closeSeal();
      const { seal } = line;
      this.current = { seal, hash: new SealHash(this.secrets, seal.seal, seal.before), events: 0 };
      this.found.seals += 1;
    } else if (line.kind === 'end') {
      this.closeSeal();
      this.end = line.end;
      return undefined;
    } else {
      this.addEvent(line.kind, line.text);
    }
    this.digest.update(`${text}\n`);
    return line?.kind === 'seal' ? line.seal : undefined;
  }

  result(): ProvenArchive {
    const { file, header, end, found, problems, otherMonths } = this;
    if (!header) throw new ArchiveProblem(`${file} was cut off.`);
    if (!end) throw new ArchiveProblem(`${file} was cut off: it has no end line.`);
    const digest = this.digest.digest('hex');
    if (otherMonths.size > 0) {
      problems.push(
        `${file} names the month ${header.month}, and has events of ${[...otherMonths].sort().join(', ')}.`,
      );
    }
    for (const [what, noun, plural] of [
      ['seals', 'seal', 'seals'],
      ['events', 'event', 'events'],
      ['neighbours', 'event of another month', 'events of other months'],
    ] as const) {
      const recorded = end.end[what];
      if (recorded !== found[what])
        problems.push(`${file} has ${counted(found[what], noun, plural)}, and had ${recorded} when it was written.`);
    }
    if (problems.length === 0 && (digest !== end.digest || endHash(this.secrets, digest) !== end.hash))
      problems.push(`${file} was changed: its content does not fit its end line.`);
    return { month: header.month, events: found.events, seals: found.seals, digest, problems };
  }

  private addEvent(kind: 'event' | 'neighbour', text: string): void {
    const { id, month } = eventStart(text);
    if (kind === 'neighbour') this.found.neighbours += 1;
    else this.found.events += 1;
    if (kind === 'event' && month !== this.header?.month) this.otherMonths.add(month);
    const { current } = this;
    if (!current) return;
    current.hash.add(text);
    current.events += 1;
    current.first ??= id;
    current.last = id;
  }

  private closeSeal(): void {
    const { current, file } = this;
    this.current = undefined;
    if (!current) return;
    const { seal, hash, events, first, last } = current;
    const name = `${file}: seal ${seal.seal}`;
    if (events !== seal.events)
      this.problems.push(`${name} covers ${counted(seal.events, 'event')}, of which the file has ${events}.`);
    else if (hash.digest() !== seal.hash) this.problems.push(`${name} is broken: ${changedEvents(first, last)}.`);
  }
}
