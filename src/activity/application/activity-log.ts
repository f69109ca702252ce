import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { log } from '../../platform/logging/log.js';
import { Figures } from '../../platform/metrics/figures.js';
import type { LaunchNotes, NotedEntry } from '../../platform/request/scope.js';
import { Launches, type NotedLaunch } from '../domain/launch.js';
import { addEntry, joined } from '../domain/noted-launch.js';

/** Long enough for an app to exchange its code, so that both become one write. */
const everyMs = 1_000;
const retryMs = 2_000;
const mostInOneStatement = 500;
/** Launches that wait to be written: more than a node begins in a minute. */
const mostWaiting = 10_000;

/**
 * Writes the entries of launches in batches, outside of the transactions that they describe: it never delays or fails a
 * request. While the database is down they wait; when too many wait, those of the oldest launch are dropped and
 * counted.
 */
@Injectable()
export class ActivityLog implements OnModuleDestroy {
  /** By launch id; the oldest first. */
  private waiting = new Map<string, NotedLaunch>();
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Launches whose entries were dropped since the process began. */
  dropped = 0;

  constructor(
    private readonly launches: Launches,
    private readonly config: Config,
    figures: Figures,
  ) {
    const name = 'gatehouse_launches_dropped_total';
    const help = 'Launches whose entries this process dropped because they could not be recorded';
    figures.add([{ name, help, type: 'counter' }], () => ({ [name]: this.dropped }));
  }

  /** Adds what a request noted, and empties its notes; notes without a launch are nothing to keep. */
  add(notes: LaunchNotes): void {
    const { id, entries } = notes;
    if (id === undefined || entries.length === 0 || this.config.activity.keepDays === 0) return;
    notes.entries = [];
    const launch = this.waiting.get(id) ?? begin(notes, entries);
    this.waiting.set(id, launch);
    launch.clientId = notes.clientId ?? launch.clientId;
    launch.accountId = notes.accountId ?? launch.accountId;
    launch.codeHash = notes.codeHash ?? launch.codeHash;
    for (const entry of entries) addEntry(launch, entry);
    this.dropOldest();
    this.timer ??= setTimeout(() => void this.flush(), everyMs).unref();
  }

  /** Resolves when everything added before has been written, or could not be. */
  async flush(): Promise<void> {
    await this.running;
    this.running = this.write().finally(() => {
      this.running = undefined;
    });
    await this.running;
  }

  async onModuleDestroy(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.waiting.size > 0) {
      const batch = [...this.waiting].slice(0, mostInOneStatement);
      for (const [id] of batch) this.waiting.delete(id);
      try {
        await this.store(batch);
      } catch (err) {
        log.warn({ err, launches: batch.length }, 'recording of launches failed; will retry');
        this.putBack(batch);
        this.timer ??= setTimeout(() => void this.flush(), retryMs).unref();
        return;
      }
    }
  }

  /** A launch that the database cannot store is dropped: it must not hold up the others. */
  private async store(batch: [string, NotedLaunch][]): Promise<void> {
    const err = await this.launches.store(batch.map(([id, launch]) => ({ id, ...launch })));
    if (!err) return;
    if (batch.length === 1) {
      this.dropped += 1;
      log.warn({ err, launch: batch[0]?.[0] }, 'launch record dropped: it cannot be stored');
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await this.store(batch.slice(0, half));
    await this.store(batch.slice(half));
  }

  /** Entries that were added meanwhile come after these. */
  private putBack(batch: [string, NotedLaunch][]): void {
    const later = this.waiting;
    this.waiting = new Map(batch);
    for (const [id, launch] of later) {
      const earlier = this.waiting.get(id);
      this.waiting.set(id, earlier ? joined(earlier, launch) : launch);
    }
    this.dropOldest();
  }

  private dropOldest(): void {
    for (const id of this.waiting.keys()) {
      if (this.waiting.size <= mostWaiting) return;
      this.waiting.delete(id);
      this.dropped += 1;
    }
  }
}

function begin({ kind = 'launch', clientId, accountId }: LaunchNotes, [first]: NotedEntry[]): NotedLaunch {
  const at = first?.at ?? Date.now();
  return { kind, clientId, accountId, startedAt: at, lastAt: at, outcome: 'open', entries: {} };
}
