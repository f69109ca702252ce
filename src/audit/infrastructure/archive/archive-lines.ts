/** Version of the format that this version of Gatehouse writes and reads. */
export const archiveVersion = 1;
const format = 'gatehouse-audit-archive';

/** First line of an archive. */
export interface ArchiveHeader {
  format: typeof format;
  version: number;
  /** Identifies the master key of the installation. */
  key: string;
  issuer: string;
  /** `YYYY-MM`. */
  month: string;
}

/** Precedes the events of a seal. */
export interface SealLine {
  seal: string;
  /** Hash of the seal before. */
  before: string | null;
  hash: string;
  sealedAt: string;
  events: number;
}

/** Last line of an archive. */
export interface EndLine {
  end: { events: number; neighbours: number; seals: number };
  /** SHA-256 of all lines before. */
  digest: string;
  /** Keyed by the master key, of the digest. */
  hash: string;
}

/**
 * A line of an archive. An event is the text that its seal covers; a neighbour is the same of an event of another
 * month, which a seal of an earlier version covers together with events of this month.
 */
export type ArchiveLine =
  | { kind: 'header'; header: ArchiveHeader }
  | { kind: 'seal'; seal: SealLine }
  | { kind: 'event' | 'neighbour'; text: string }
  | { kind: 'end'; end: EndLine };

const neighbourStart = '{"neighbour":';

export function headerLine(header: Omit<ArchiveHeader, 'format' | 'version'>): string {
  return JSON.stringify({ format, version: archiveVersion, ...header });
}

export function neighbourLine(text: string): string {
  return `${neighbourStart}${text}}`;
}

/** Undefined for a line that no version of Gatehouse writes. */
export function parseLine(line: string): ArchiveLine | undefined {
  if (line.startsWith('[')) return { kind: 'event', text: line };
  if (line.startsWith(neighbourStart) && line.endsWith('}'))
    return { kind: 'neighbour', text: line.slice(neighbourStart.length, -1) };
  const parsed = membersOf(line);
  if (parsed.format === format) return { kind: 'header', header: parsed as unknown as ArchiveHeader };
  if (typeof parsed.seal === 'string') return { kind: 'seal', seal: parsed as unknown as SealLine };
  if (typeof parsed.end === 'object' && parsed.end !== null) return { kind: 'end', end: parsed as unknown as EndLine };
  return undefined;
}

function membersOf(line: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The id and the month of an event in the form that a seal covers. */
export function eventStart(text: string): { id: string; month: string } {
  const [, id = '?', month = '?'] = /^\[(\d+), "(\d{4}-\d{2})/.exec(text) ?? [];
  return { id, month };
}
