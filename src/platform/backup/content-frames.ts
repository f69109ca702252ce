import { z } from 'zod';
import { BackupProblem } from './backup-problem.js';

const facts = 1;
const data = 2;
const headBytes = 5;
/** Rows come in pieces of some kilobytes; the list of tables is longer than that, and shorter than this. */
const longestFrame = 16 * 1024 * 1024;

/** A table, by the columns of which its rows consist. Generated columns are computed again. */
const tableSchema = z.object({ name: z.string(), columns: z.array(z.string()).min(1) });
const contentsSchema = z.object({
  /** Names of the migrations that the schema has, in the order in which they were run. */
  migrations: z.array(z.string()).min(1),
  tables: z.array(tableSchema),
  /** Sequences that have been used, with the last number that each has given. */
  sequences: z.array(z.object({ name: z.string(), value: z.string().regex(/^-?\d+$/) })),
  /** Partitions of the audit record; times as PostgreSQL writes them. */
  partitions: z.array(z.object({ name: z.string(), from: z.string(), to: z.string() })),
  /** base64url; null if the configuration names the key. */
  masterKey: z.string().nullable(),
});
const factsSchema = z.union([
  z.object({ contents: contentsSchema }),
  z.object({ table: z.string() }),
  z.object({ rows: z.number() }),
  z.object({ end: z.object({ tables: z.number(), rows: z.number() }) }),
]);

export type BackedUpTable = z.infer<typeof tableSchema>;
export type BackupContents = z.infer<typeof contentsSchema>;

/**
 * The content of a backup, in this order: `contents`; for each table `table`, any number of `data` (rows in the text
 * format of COPY, cut anywhere) and the number of `rows`; `end`.
 */
export type Frame = z.infer<typeof factsSchema> | { data: Buffer };

/** Each frame: its kind, its length in four bytes, its payload. */
export async function* encodeFrames(frames: AsyncIterable<Frame>): AsyncGenerator<Buffer> {
  for await (const frame of frames) {
    const isData = 'data' in frame;
    const payload = isData ? frame.data : Buffer.from(JSON.stringify(frame));
    const head = Buffer.alloc(headBytes);
    head[0] = isData ? data : facts;
    head.writeUInt32BE(payload.length, 1);
    yield Buffer.concat([head, payload]);
  }
}

/** Reverses {@link encodeFrames}, and refuses what does not have their order; `file` is for the message. */
export async function* decodeFrames(bytes: AsyncIterable<Buffer>, file: string): AsyncGenerator<Frame> {
  const order = new FrameOrder();
  let held: Buffer = Buffer.alloc(0);
  for await (const part of bytes) {
    held = held.length === 0 ? part : Buffer.concat([held, part]);
    while (held.length >= headBytes) {
      const length = held.readUInt32BE(1);
      if (length > longestFrame) throw unreadable(file);
      if (held.length < headBytes + length) break;
      const frame = decoded(held[0], held.subarray(headBytes, headBytes + length));
      if (!frame || !order.accepts(frame)) throw unreadable(file);
      yield frame;
      held = held.subarray(headBytes + length);
    }
  }
  if (held.length > 0 || !order.isAtEnd) throw unreadable(file);
}

/** Only a fault of the release that wrote it: the file is authentic. */
function unreadable(file: string): BackupProblem {
  return new BackupProblem(
    `${file} was not written as this release reads it; restore it with the release that took it.`,
  );
}

function decoded(kind: number | undefined, payload: Buffer): Frame | undefined {
  if (kind === data) return { data: payload };
  if (kind !== facts) return undefined;
  try {
    return factsSchema.parse(JSON.parse(payload.toString('utf8')));
  } catch {
    return undefined;
  }
}

/** Follows the frames: each table of the contents once, in the order of the contents, and the sums at the end. */
class FrameOrder {
  private state: 'begin' | 'between' | 'table' | 'end' = 'begin';
  private waiting: string[] = [];
  private readonly sum = { tables: 0, rows: 0 };

  get isAtEnd(): boolean {
    return this.state === 'end';
  }

  accepts(frame: Frame): boolean {
    if ('data' in frame) return this.state === 'table';
    if ('contents' in frame) {
      this.waiting = frame.contents.tables.map(({ name }) => name);
      return this.transition('begin', 'between');
    }
    if ('table' in frame) return this.waiting.shift() === frame.table && this.transition('between', 'table');
    if ('rows' in frame) {
      this.sum.tables += 1;
      this.sum.rows += frame.rows;
      return this.transition('table', 'between');
    }
    const { tables, rows } = frame.end;
    const isWhole = this.waiting.length === 0 && this.sum.tables === tables && this.sum.rows === rows;
    return isWhole && this.transition('between', 'end');
  }

  private transition(from: FrameOrder['state'], to: FrameOrder['state']): boolean {
    if (this.state !== from) return false;
    this.state = to;
    return true;
  }
}
