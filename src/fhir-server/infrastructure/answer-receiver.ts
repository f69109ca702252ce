import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import {
  type AnswerHeaders,
  type FhirServerAnswer,
  FhirServerFailure,
  type FhirServerRequest,
} from '../domain/connection.js';

/** Answers up to this size are held in memory and passed on in one piece. */
const longestSmall = 128 * 1024;
/** A small answer that takes longer is passed on while it arrives. */
const patienceMs = 1_000;
/** Bytes that are read from the server before the answer has a reader. */
const mostUnread = 64 * 1024;

interface WholeRead {
  maxBytes: number;
  resolve(bytes: Buffer): void;
  reject(failure: FhirServerFailure): void;
}

/**
 * Receives one answer. The handler of undici's `request` costs several times as much for a short answer: a stream with
 * its events, an asynchronous resource and an `AbortSignal`.
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
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly cancelled = () => this.fail(new FhirServerFailure('aborted'));

  constructor(private readonly request: Pick<FhirServerRequest, 'cancellation' | 'deadline'>) {
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
      this.timer = setTimeout(() => this.fail(new FhirServerFailure('timeout')), deadline - performance.now());
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.failure) controller.abort(this.failure);
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // Others announce an answer that is still to come.
    if (status < 200) return;
    this.status = status;
    this.headers = { get: (name) => headers[name]?.toString() };
    this.settle.resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.stream) {
      if (!this.stream.push(chunk)) controller.pause();
      return;
    }
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.gathering) this.assertLength(this.gathering.maxBytes);
    else if (this.size >= mostUnread) controller.pause();
  }

  onResponseEnd(): void {
    const gathering = this.end('ended');
    this.stream?.push(null);
    gathering?.resolve(this.bytes());
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(asFailure(error));
  }

  get body(): Readable {
    if (!this.stream) {
      this.stream = new Readable({
        read: () => this.controller?.resume(),
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
    if (this.state === 'ended') return this.bytes();
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

  discard(): void {
    if (this.state === 'open') this.fail(new FhirServerFailure('aborted'));
    this.chunks = [];
  }

  private readWhole(maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.gathering = { maxBytes, resolve, reject };
      if (!this.assertLength(maxBytes)) return;
      if (this.state === 'open') this.controller?.resume();
      else this.end('ended')?.resolve(this.bytes());
    });
  }

  private assertLength(maxBytes: number): boolean {
    if (this.size <= maxBytes) return true;
    this.fail(new FhirServerFailure('too-large', new Error(`The answer has over ${maxBytes} bytes`)));
    return false;
  }

  /** Hands the gathered bytes over. */
  private bytes(): Buffer {
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
    controller?.abort(failure);
  }

  /**
   * Returns who waits for the whole answer. Keeps neither that nor the controller, by which undici's objects of one request
   * refer to those of the next: such a chain of requests, with the bytes of all answers, would be freed only by a full garbage
   * collection.
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

function asFailure(error: unknown): FhirServerFailure {
  if (error instanceof FhirServerFailure) return error;
  const { code } = (error ?? {}) as { code?: string };
  const isLate = /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(code ?? '');
  return new FhirServerFailure(isLate ? 'timeout' : 'unreachable', error);
}
