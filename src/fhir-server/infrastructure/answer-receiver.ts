import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import {
  type AnswerHeaders,
  type FhirServerAnswer,
  FhirServerFailure,
  type FhirServerRequest,
  isJson,
} from '../domain/connection.js';
import { ContentDecoder, codingsIn, Expansion } from './content-decoder.js';

/** Answers up to this size are held in memory and passed on in one piece. */
const longestSmall = 128 * 1024;
/** A small answer that takes longer is passed on while it arrives. */
const patienceMs = 1_000;
/** Bytes that are read from the server before the answer has a reader. */
const mostUnread = 64 * 1024;

/** In UTF-8. */
const byteOrderMark = Buffer.from('\uFEFF');

interface WholeRead {
  maxBytes: number;
  resolve(bytes: Buffer): void;
  reject(failure: FhirServerFailure): void;
}

/**
 * Receives one answer. The handler of undici's `request` costs several times as much for a short answer: a stream with
 * its events, an asynchronous resource and an `AbortSignal`.
 *
 * Content codings are undone, although none is asked for: what was carried out would else be told as failed.
 */
export class AnswerReceiver implements Dispatcher.DispatchHandler, FhirServerAnswer {
  /** Resolves with this answer when its head has arrived; rejects with a {@link FhirServerFailure}. */
  readonly begun: Promise<FhirServerAnswer>;
  status = 0;
  headers: AnswerHeaders = new Map();
  private settle: { resolve(answer: FhirServerAnswer): void; reject(failure: FhirServerFailure): void };
  private controller: Dispatcher.DispatchController | undefined;
  private chunks: Buffer[] = [];
  private size = 0;
  private state: 'open' | 'ended' | 'failed' = 'open';
  private failure: FhirServerFailure | undefined;
  private gathering: WholeRead | undefined;
  private stream: Readable | undefined;
  private decoder: ContentDecoder | undefined;
  /** Bytes of a byte order mark so far; undefined when the body cannot begin with one any more. */
  private markBytes: number | undefined = 0;
  private wasSent = false;
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly cancelled = () => this.fail(new FhirServerFailure('aborted'));

  constructor(private readonly request: Pick<FhirServerRequest, 'cancellation' | 'deadline' | 'unpacks'>) {
    this.begun = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    const { cancellation, deadline } = request;
    if (cancellation?.isCancelled) {
      this.cancelled();
      return;
    }
    cancellation?.add(this.cancelled);
    if (deadline !== undefined) {
      this.timer = setTimeout(
        () => this.fail(new FhirServerFailure('timeout', undefined, this.wasSent)),
        deadline - performance.now(),
      );
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.wasSent = true;
    if (this.failure) controller.abort(this.failure);
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // Others announce an answer that is still to come.
    if (status < 200) return;
    this.status = status;
    this.headers = { get: (name) => headers[name]?.toString() };
    const coding = headers['content-encoding'];
    const packed = this.request.unpacks && gzip.test(headers['content-type']?.toString() ?? '') ? ['gzip'] : [];
    if (coding !== undefined || packed.length > 0) this.decode([...packed, ...codingsIn(coding?.toString())]);
    this.settle.resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.decoder) {
      this.receive(chunk);
      return;
    }
    if (this.decoder.write(chunk)) return;
    controller.pause();
    this.decoder.onDrain(() => controller.resume());
  }

  onResponseEnd(): void {
    if (this.decoder) this.decoder.end();
    else this.receiveEnd();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(asFailure(error, this.wasSent));
  }

  get body(): Readable {
    if (!this.stream) {
      this.stream = new Readable({
        read: () => this.goOn(),
        destroy: (error, done) => {
          this.discard();
          done(error);
        },
      });
      // A body without a reader may still fail; an unhandled error would end the process.
      this.stream.on('error', () => undefined);
      for (const chunk of this.chunks.splice(0)) this.stream.push(chunk);
      if (this.state === 'ended') this.stream.push(null);
      if (this.failure) this.stream.destroy(this.failure);
    }
    return this.stream;
  }

  smallBody(): Buffer | undefined | Promise<Buffer | undefined> {
    if (this.failure) throw this.failure;
    if (this.state === 'ended') return this.gathered();
    const length = this.headers.get('content-length');
    if (length === undefined || Number(length) > longestSmall) return undefined;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.gathering = undefined;
        resolve(undefined);
      }, patienceMs);
      this.readWhole(longestSmall)
        .finally(() => clearTimeout(timer))
        .then(resolve, reject);
    });
  }

  async text(maxBytes: number): Promise<string> {
    return (await this.readWhole(maxBytes)).toString('utf8');
  }

  bytes(maxBytes: number): Promise<Buffer> {
    return this.readWhole(maxBytes);
  }

  discard(): void {
    if (this.state === 'open') this.fail(new FhirServerFailure('aborted'));
    this.chunks = [];
  }

  private decode(codings: readonly string[]): void {
    if (codings.length === 0) return;
    const { headers } = this;
    // They are about the body as it was sent.
    this.headers = { get: (name) => (ofSentForm.has(name) ? undefined : headers.get(name)) };
    this.decoder = new ContentDecoder(codings, {
      receive: (chunk) => this.receive(chunk),
      end: () => this.receiveEnd(),
      fail: (error) =>
        this.fail(new FhirServerFailure(error instanceof Expansion ? 'too-large' : 'garbage', error, true)),
    });
  }

  private receive(sent: Buffer): void {
    const chunk = this.markBytes === undefined ? sent : this.withoutMark(sent);
    if (chunk.length === 0) return;
    if (this.stream) {
      if (!this.stream.push(chunk)) this.pause();
      return;
    }
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.gathering) this.assertLength(this.gathering.maxBytes);
    else if (this.size >= mostUnread) this.pause();
  }

  private receiveEnd(): void {
    const gathering = this.end('ended');
    this.stream?.push(null);
    gathering?.resolve(this.gathered());
  }

  /** A byte order mark may stand before JSON, and a reader may ignore it (RFC 8259 §8.1). */
  private withoutMark(chunk: Buffer): Buffer {
    const before = this.markBytes ?? 0;
    const rest = byteOrderMark.subarray(before);
    const length = Math.min(rest.length, chunk.length);
    const isMark = chunk[0] === rest[0] && chunk.subarray(0, length).equals(rest.subarray(0, length)) && isJson(this);
    if (isMark) {
      this.markBytes = length === rest.length ? undefined : before + length;
      return chunk.subarray(length);
    }
    this.markBytes = undefined;
    return before === 0 ? chunk : Buffer.concat([byteOrderMark.subarray(0, before), chunk]);
  }

  private pause(): void {
    if (this.decoder) this.decoder.pause();
    else this.controller?.pause();
  }

  private goOn(): void {
    if (this.decoder) this.decoder.resume();
    else this.controller?.resume();
  }

  private readWhole(maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.gathering = { maxBytes, resolve, reject };
      if (!this.assertLength(maxBytes)) return;
      if (this.state === 'open') this.goOn();
      else this.end('ended')?.resolve(this.gathered());
    });
  }

  private assertLength(maxBytes: number): boolean {
    if (this.size <= maxBytes) return true;
    this.fail(new FhirServerFailure('too-large', new Error(`The answer has over ${maxBytes} bytes`)));
    return false;
  }

  /** Hands the gathered bytes over. */
  private gathered(): Buffer {
    const chunks = this.chunks.splice(0);
    const [first, ...others] = chunks;
    return first && others.length === 0 ? first : Buffer.concat(chunks);
  }

  private fail(failure: FhirServerFailure): void {
    if (this.state === 'failed') return;
    const { controller } = this;
    const gathering = this.end('failed');
    this.failure = failure;
    this.chunks = [];
    this.settle.reject(failure);
    gathering?.reject(failure);
    this.stream?.destroy(failure);
    this.decoder?.destroy();
    controller?.abort(failure);
  }

  /**
   * Returns who waits for the whole answer. Keeps neither that nor the controller, by which undici's objects of one
   * request refer to those of the next: such a chain of requests, with the bytes of all answers, would be freed only by
   * a full garbage collection.
   */
  private end(state: 'ended' | 'failed'): WholeRead | undefined {
    const { gathering } = this;
    this.state = state;
    this.controller = undefined;
    this.gathering = undefined;
    clearTimeout(this.timer);
    this.request.cancellation?.remove(this.cancelled);
    return gathering;
  }
}

const gzip = /^\s*application\/(?:x-)?gzip\s*(?:;|$)/i;
const ofSentForm = new Set(['content-encoding', 'content-length']);

function asFailure(error: unknown, wasSent: boolean): FhirServerFailure {
  if (error instanceof FhirServerFailure) return error;
  const { code } = (error ?? {}) as { code?: string };
  const isLate = /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(code ?? '');
  return new FhirServerFailure(isLate ? 'timeout' : 'unreachable', error, wasSent);
}
