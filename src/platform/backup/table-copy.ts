import type { Duplex } from 'node:stream';
import type { Client, Submittable } from 'pg';

const pieceBytes = 65_536;
/** So much waits for a slow reader; then the server is not read from until it has caught up. */
const mostWaiting = 8;

/** The part of node-postgres for COPY that its types leave out. */
interface CopyConnection {
  stream: Duplex;
  query(sql: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** A statement in progress, as the connection reports it: rows out of the database or into it. */
class Copying {
  readonly waiting: Buffer[] = [];
  rows = 0;
  isDone = false;
  takesRows = false;
  error: Error | undefined;
  connection: CopyConnection | undefined;
  private piece = Buffer.allocUnsafe(pieceBytes);
  private length = 0;
  private notify = () => {};

  constructor(private readonly sql: string) {}

  submit(connection: unknown): void {
    this.connection = connection as CopyConnection;
    this.connection.query(this.sql);
  }

  /** One message for each row. Copied at once: the parser uses its buffer again. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(this.piece, this.length, at);
      this.length += copied;
      at += copied;
      if (this.length === pieceBytes) this.flush();
    }
    if (this.waiting.length >= mostWaiting) this.connection?.stream.pause();
  }

  handleCopyInResponse(): void {
    this.takesRows = true;
    this.notify();
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.rows = Number(/^COPY (\d+)/.exec(text)?.[1]);
    this.flush();
  }

  handleReadyForQuery(): void {
    this.end();
  }

  /** The last thing that node-postgres reports of a statement, also when the connection is lost. */
  handleError(error: Error): void {
    this.error ??= error;
    this.end();
  }

  /** Resolves at the next change of the state. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.notify = resolve;
    });
  }

  /** The next statement needs its answer, also if the last rows came with this end and wait. */
  private end(): void {
    this.isDone = true;
    this.connection?.stream.resume();
    this.notify();
  }

  private flush(): void {
    if (this.length > 0) this.waiting.push(this.piece.subarray(0, this.length));
    this.piece = Buffer.allocUnsafe(pieceBytes);
    this.length = 0;
    this.notify();
  }
}

/**
 * Rows by `COPY … TO STDOUT`, with constant memory; returns their number. A reader that stops early ends the
 * connection.
 */
export async function* copyOut(client: Client, sql: string): AsyncGenerator<Buffer, number> {
  const copying = client.query(new Copying(sql) as Copying & Submittable);
  try {
    for (;;) {
      const piece = copying.waiting.shift();
      if (piece) {
        yield piece;
        continue;
      }
      if (copying.error) throw copying.error;
      if (copying.isDone) return copying.rows;
      const changed = copying.nextChange();
      copying.connection?.stream.resume();
      await changed;
    }
  } finally {
    if (!copying.isDone) copying.connection?.stream.destroy();
  }
}

/** Adds rows by `COPY … FROM STDIN`, with constant memory; returns their number. */
export async function copyIn(client: Client, sql: string, rows: AsyncIterable<Buffer>): Promise<number> {
  const copying = client.query(new Copying(sql) as Copying & Submittable);
  while (!copying.takesRows && !copying.isDone) await copying.nextChange();
  const { connection } = copying;
  try {
    for await (const piece of rows) {
      // A lost connection takes all rows without a wait, so that rows which are all there would hold back the news of
      // its end.
      if (copying.isDone || !connection?.stream.writable) break;
      connection.sendCopyFromChunk(piece);
      if (connection.stream.writableNeedDrain) await drained(connection.stream, copying);
    }
    if (!copying.isDone) connection?.endCopyFrom();
  } catch (error) {
    // The server waits for rows until it is told that there are none.
    copying.error ??= error as Error;
    if (!copying.isDone) connection?.sendCopyFail('the rows cannot be read');
  }
  while (!copying.isDone) await copying.nextChange();
  if (copying.error) throw copying.error;
  return copying.rows;
}

async function drained(stream: Duplex, copying: Copying): Promise<void> {
  while (stream.writableNeedDrain && !copying.isDone) {
    const drain = new Promise((resolve) => stream.once('drain', resolve));
    await Promise.race([drain, copying.nextChange()]);
  }
}
