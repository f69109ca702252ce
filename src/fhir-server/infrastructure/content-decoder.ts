import { Transform, type TransformCallback } from 'node:stream';
import * as zlib from 'node:zlib';

/** Several are undone after each other; no server needs more, and each is another place for a bomb. */
const mostCodings = 3;
/**
 * Bytes that any answer may have, and how many times as long as it was sent one with more may be: text of FHIR shrinks
 * to a tenth or less.
 */
const unboundedBytes = 16 * 1024 * 1024;
const mostExpansion = 200;

/** The answer expands to more than text does (a decompression bomb). */
export class Expansion extends Error {}

const decoders: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: () => new AnyInflate(),
  br: zlib.createBrotliDecompress,
  // Not in every version of Node.
  zstd: (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress,
};
/**
 * Names that stand for no coding; the last one is a mistake of servers, which take the header for one about characters.
 */
const plain = new Set(['', 'identity', 'none', 'utf-8', 'utf8']);

/** The content codings in a `Content-Encoding` header, in the order of its list (RFC 9110 §8.4). */
export function codingsIn(header: string | undefined): string[] {
  if (header === undefined) return [];
  const codings = header.split(',').map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => !plain.has(coding));
}

/** Takes the decoded bytes of a body. */
export interface DecodedBody {
  receive(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** Undoes the content codings of a body while it arrives, in constant memory. */
export class ContentDecoder {
  private stages: readonly Transform[] = [];
  private encodedBytes = 0;
  private decodedBytes = 0;

  constructor(
    private readonly codings: readonly string[],
    private readonly body: DecodedBody,
  ) {}

  /** Returns false when the sender has to wait for {@link onDrain}. */
  write(chunk: Buffer): boolean {
    if (this.encodedBytes === 0) this.begin();
    this.encodedBytes += chunk.length;
    return this.input?.write(chunk) ?? true;
  }

  onDrain(goOn: () => void): void {
    this.input?.once('drain', goOn);
  }

  /** The whole encoded body has been written. */
  end(): void {
    if (this.encodedBytes === 0) this.body.end();
    else this.input?.end();
  }

  pause(): void {
    this.output?.pause();
  }

  resume(): void {
    this.output?.resume();
  }

  destroy(): void {
    for (const stage of this.stages) stage.destroy();
  }

  private get input(): Transform | undefined {
    return this.stages[0];
  }

  private get output(): Transform | undefined {
    return this.stages.at(-1);
  }

  /** A body without content has no coding, whatever its header says. */
  private begin(): void {
    try {
      if (this.codings.length > mostCodings) throw new Error(`more than ${mostCodings} content codings`);
      // The last one in the list was applied last.
      this.stages = this.codings.toReversed().map(decoderFor);
    } catch (error) {
      this.body.fail(error as Error);
      return;
    }
    for (const [index, stage] of this.stages.entries()) {
      // `pipeline` misses the error of a last stage whose input has ended.
      stage.on('error', (error) => this.body.fail(error));
      const next = this.stages[index + 1];
      if (next) stage.pipe(next);
    }
    this.output?.on('data', (chunk: Buffer) => this.receive(chunk)).on('end', () => this.body.end());
  }

  private receive(chunk: Buffer): void {
    this.decodedBytes += chunk.length;
    if (this.decodedBytes > unboundedBytes && this.decodedBytes > mostExpansion * this.encodedBytes) {
      this.body.fail(new Expansion(`the answer expands to more than ${mostExpansion} times its length`));
    } else this.body.receive(chunk);
  }
}

function decoderFor(coding: string): Transform {
  const create = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
  if (!create) throw new Error(`the content coding '${coding.slice(0, 20)}' is not known`);
  return create();
}

/** `deflate` is the zlib format (RFC 9110 §8.4.1.2), but some servers send the bare data of it. */
class AnyInflate extends Transform {
  private inflate: Transform | undefined;

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.inflate ??= this.begin(chunk);
    this.inflate.write(chunk, done);
  }

  override _flush(done: TransformCallback): void {
    this.inflate?.once('end', done).end();
    if (!this.inflate) done();
  }

  override _read(size: number): void {
    this.inflate?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.inflate?.destroy();
    done(error);
  }

  /**
   * The zlib format begins with a byte whose low half is 8 (RFC 1950 §2.2); no block of bare data that a server sends
   * does.
   */
  private begin([first = 0]: Buffer): Transform {
    const inflate = (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
    inflate.on('data', (decoded: Buffer) => {
      if (!this.push(decoded)) inflate.pause();
    });
    inflate.on('error', (error) => this.destroy(error));
    return inflate;
  }
}
