import type { Cancellation } from '../../../fhir-server/application/fhir-server.js';
import type { HeldLimits } from '../../domain/answers/held-bytes.js';
import { Refusal } from '../../domain/refusal.js';

/** In bytes. */
export interface MemoryLimits {
  /** Of a resource, or an answer that is checked as a whole. */
  answer: number;
  /** Of the body of a request. */
  body: number;
  /** Of all that the node holds at the same time, for all requests. */
  held: number;
}

/** Text that is read and checked is several times in memory: as bytes, as text and parsed. */
export const copies = 4;
/** Bytes of each request that are not counted: most requests hold no more. */
const uncounted = 256 * 1024;
const step = 1024 * 1024;

interface Waiting {
  memory: RequestMemory;
  bytes: number;
  settle(isTaken: boolean): void;
}

/**
 * The memory in which a node holds what it must see whole before it passes it on, for all requests together. A request
 * that needs more than is free waits; the one that has held memory for the longest time never does, so that some
 * request always comes to its end.
 */
export class HeldMemory {
  private held = 0;
  /** The requests that hold memory, the oldest first. */
  private readonly holders = new Set<RequestMemory>();
  private readonly requests = new WeakMap<Cancellation, RequestMemory>();
  private waiting: Waiting[] = [];

  constructor(
    readonly limits: MemoryLimits,
    /** Longest wait for memory. */
    private readonly patienceMs: number,
  ) {}

  /**
   * The memory of the request that is cancelled by this, until its answer has left. All that a request holds counts as
   * one.
   */
  forRequest(cancellation: Cancellation): RequestMemory {
    const known = this.requests.get(cancellation);
    if (known) return known;
    const memory = new RequestMemory(this);
    this.requests.set(cancellation, memory);
    cancellation.onEnd(() => memory.end());
    return memory;
  }

  /**
   * Takes bytes for a request; a promise if it has to wait, which fails with a {@link Refusal} when that takes too
   * long.
   */
  take(memory: RequestMemory, bytes: number): void | Promise<void> {
    this.holders.add(memory);
    if (this.canTake(memory, bytes)) {
      this.held += bytes;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const settle = (isTaken: boolean) => {
        clearTimeout(timer);
        this.waiting = this.waiting.filter((one) => one !== waiting);
        if (isTaken) resolve();
        else reject(tooMany());
      };
      const timer = setTimeout(() => settle(false), this.patienceMs);
      const waiting: Waiting = { memory, bytes, settle };
      this.waiting.push(waiting);
    });
  }

  give(bytes: number): void {
    this.held -= bytes;
    this.serve();
  }

  /** A request that has ended. */
  end(memory: RequestMemory, bytes: number): void {
    this.holders.delete(memory);
    for (const one of this.waiting.filter((waiting) => waiting.memory === memory)) one.settle(false);
    this.held -= bytes;
    this.serve();
  }

  private canTake(memory: RequestMemory, bytes: number): boolean {
    const [oldest] = this.holders;
    return memory === oldest || this.held + bytes <= this.limits.held;
  }

  private serve(): void {
    for (const one of [...this.waiting]) {
      if (!this.canTake(one.memory, one.bytes)) continue;
      this.held += one.bytes;
      one.settle(true);
    }
  }
}

/** Less is not always possible: one resource may be too large by itself. */
export function tooLarge(bytes?: number): Refusal {
  const limit = bytes === undefined ? '' : `: over ${Math.round(bytes / 1024 / 1024)} MB`;
  const text = `The answer is too large${limit}. A search may be asked for less, with _count or without _include; a resource of that size is not passed on.`;
  return new Refusal(502, 'too-long', text);
}

function tooMany(): Refusal {
  const text = 'Too many large answers are under way. Please try again later.';
  return new Refusal(503, 'transient', text, { 'Retry-After': '5' });
}

/** The memory that one request holds. */
export class RequestMemory {
  private used = 0;
  private taken = 0;
  private hasEnded = false;

  constructor(private readonly node: HeldMemory) {}

  /** Counts the bytes of one resource or answer, each so many times. */
  counted(times = 1): { add(bytes: number): void | Promise<void> } {
    const { answer } = this.node.limits;
    let size = 0;
    return {
      add: (bytes) => {
        size += bytes;
        if (size > answer) throw tooLarge(answer);
        return this.take(bytes * times);
      },
    };
  }

  /** For one resource of an answer at a time. */
  get limits(): HeldLimits {
    return {
      longest: this.node.limits.answer,
      take: (bytes) => this.take(bytes),
      give: (bytes) => this.give(bytes),
    };
  }

  /** Counts bytes that are held; a promise if the request has to wait for them. */
  take(bytes: number): void | Promise<void> {
    this.used += bytes;
    const more = this.used - uncounted - this.taken;
    if (more <= 0 || this.hasEnded) return undefined;
    const whole = Math.max(more, step);
    const pending = this.node.take(this, whole);
    if (!pending) this.taken += whole;
    return pending?.then(() => {
      this.taken += whole;
    });
  }

  /** Counts bytes that are held no more. */
  give(bytes: number): void {
    this.used -= bytes;
    const spare = this.taken - Math.max(0, this.used - uncounted);
    if (spare < 2 * step) return;
    this.taken -= spare;
    this.node.give(spare);
  }

  /** Gives back all that is held. */
  end(): void {
    this.hasEnded = true;
    this.node.end(this, this.taken);
    this.taken = 0;
  }
}
