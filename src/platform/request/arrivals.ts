import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { log } from '../logging/log.js';

/** Pause between two looks at the clock. */
const lookEveryMs = 25;
/** A longer gap between two looks is a time in which nothing was read. */
const longestGapMs = 100;
/**
 * Turns of the event loop after such a gap until all that arrived in it has been read: it accepts one connection in a
 * turn, and reads from it in the next.
 */
const turnsUntilRead = 4;
/** A request is not taken for older than this. */
const longestWaitMs = 60_000;

/**
 * The time at which a request arrived, as far as a node can know it: a node that stood still (stopped, moved to another
 * machine, without CPU time) reads a request long after the kernel has received it. Times are those of
 * `performance.now()`, in milliseconds.
 */
@Injectable()
export class Arrivals implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = performance.now();
  /** The begin of the last gap, while what arrived in it is being read. */
  private stoodSince: number | undefined;
  private turnsLeft = 0;

  onModuleInit(): void {
    this.lookedAt = performance.now();
    this.timer = setInterval(() => this.look(), lookEveryMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Notes a new connection: others may wait behind it. */
  connected(): void {
    if (this.stoodSince !== undefined) this.turnsLeft = Math.max(this.turnsLeft, turnsUntilRead);
  }

  /** True while requests are read that may have waited. */
  get isCatchingUp(): boolean {
    return this.stoodSince !== undefined || performance.now() - this.lookedAt > longestGapMs;
  }

  /** The earliest time at which a request that was read in this turn can have arrived. */
  earliest(): number {
    const now = performance.now();
    const since = this.stoodSince ?? (now - this.lookedAt > longestGapMs ? this.lookedAt : now);
    return Math.max(since, now - longestWaitMs);
  }

  private look(): void {
    const now = performance.now();
    if (now - this.lookedAt > longestGapMs) {
      const isRunning = this.stoodSince !== undefined;
      this.stoodSince ??= this.lookedAt;
      this.turnsLeft = turnsUntilRead;
      if (!isRunning) void this.countTurns();
    }
    this.lookedAt = now;
  }

  private async countTurns(): Promise<void> {
    for (; this.turnsLeft > 0; this.turnsLeft -= 1) await turn();
    this.stoodSince = undefined;
  }
}

/** True if the sender has closed the connection, or its proxy has: there is no receiver of the answer. */
export function isGone({ socket }: IncomingMessage): boolean {
  return socket.destroyed || socket.readableEnded;
}

/** Drops a request that must not be executed, as its sender would not get the answer. */
export function abandon(response: ServerResponse): void {
  log.info('a request was not executed: its sender has closed the connection');
  response.destroy();
}

/**
 * Resolves when an end of the connection that arrived together with the request has been read: in the turn after that
 * of the request.
 */
export async function endIsRead(): Promise<void> {
  await turn();
  await turn();
}
