import { writeSync } from 'node:fs';

/** Bytes of lines that wait for an output that cannot be written; further lines are lost. */
const mostWaiting = 256 * 1024;
const attemptEveryMs = 1_000;
/** A pipe that is full is read again soon: its reader has its own process. */
const pauseMs = 10;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Where the lines of the log go. A disk that is full, or was taken away, must not fail the requests that log something:
 * lines wait, and then are lost, until the output takes them again. The reason is told once on the other stream, and by
 * the readiness of the node.
 *
 * Synchronous, so that the last lines before a crash are not lost.
 */
export class LogOutput {
  private failure: string | undefined;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private lost = 0;
  private attempts: NodeJS.Timeout | undefined;
  /** The reader of a pipe has ended: no one reads further lines. */
  private isClosed = false;

  constructor(private readonly file: 1 | 2) {}

  /** The code of the error by which lines could not be written, such as `ENOSPC`; undefined while they are. */
  get obstacle(): string | undefined {
    return this.failure;
  }

  write(line: string): void {
    if (this.isClosed) return;
    const bytes = Buffer.from(line);
    if (this.failure === undefined) this.put(bytes);
    else this.keep(bytes);
  }

  /** Writes all of it, or keeps the rest. Returns false if some is left. */
  private put(bytes: Buffer): boolean {
    for (let done = 0; done < bytes.length; ) {
      try {
        done += writeSync(this.file, bytes, done);
      } catch (error) {
        const { code = 'EIO' } = error as NodeJS.ErrnoException;
        if (code === 'EAGAIN') {
          Atomics.wait(pause, 0, 0, pauseMs);
          continue;
        }
        this.isClosed = code === 'EPIPE';
        if (this.isClosed) return true;
        this.keep(bytes.subarray(done), true);
        this.noteFailure(code, (error as Error).message);
        return false;
      }
    }
    return true;
  }

  private keep(bytes: Buffer, isBegun = false): void {
    if (!isBegun && this.waitingBytes + bytes.length > mostWaiting) {
      this.lost += 1;
      return;
    }
    this.waitingBytes += bytes.length;
    if (isBegun) this.waiting.unshift(bytes);
    else this.waiting.push(bytes);
  }

  private noteFailure(code: string, reason: string): void {
    if (this.failure !== undefined) return;
    this.failure = code;
    this.attempts = setInterval(() => this.attempt(), attemptEveryMs).unref();
    try {
      writeSync(this.file === 1 ? 2 : 1, lineOf('error', `the log cannot be written: ${code}`, { reason }));
    } catch {
      // The other stream may be the same file.
    }
  }

  /** Writes what waits, in its order. */
  private attempt(): void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      this.waitingBytes -= next.length;
      if (!this.put(next)) return;
    }
    clearInterval(this.attempts);
    const { lost } = this;
    this.failure = undefined;
    this.lost = 0;
    this.write(lineOf('info', 'the log is written again', { lost }));
  }
}

const lineOf = (level: string, msg: string, members: object) =>
  `${JSON.stringify({ level, time: new Date().toISOString(), ...members, msg })}\n`;
