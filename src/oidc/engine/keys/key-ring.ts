import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { JWK } from 'jose';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Notifications } from '../../../platform/database/notifications.js';
import { type Repeated, repeat } from '../../../platform/process/repeat.js';
import { keysChanged, SigningKeys } from './signing-keys.js';

const longestPollMs = 60_000;
const longestCacheSeconds = 600;
/** Minimum pause: a token with an invented key id must not cost a statement each. */
const restMs = 5_000;

/**
 * The keys of this node, reloaded when another node reports a change, when the next change is due, and periodically in
 * case a notification was lost. A new key waits for `keys.announceSeconds`; the published set may be cached for half of
 * that time and a node may be late by a quarter, so that each verifier has a key before it signs.
 */
@Injectable()
export class KeyRing implements OnModuleDestroy {
  private readonly pollMs: number;
  private useKeys: (keys: JWK[]) => void = () => undefined;
  private inUse = '';
  private reading: Promise<void> = Promise.resolve();
  private lookedAt = 0;
  private nextReadMs: number;
  private reloading: Repeated | undefined;
  private closed = false;

  constructor(
    private readonly signingKeys: SigningKeys,
    private readonly notifications: Notifications,
    private readonly database: Database,
    { keys }: Config,
  ) {
    this.pollMs = Math.min(longestPollMs, (keys.announceSeconds * 1000) / 4);
    this.nextReadMs = this.pollMs;
  }

  /** Calls `use` with the keys now and after each change; of each algorithm the signing key comes first. */
  async open(use: (keys: JWK[]) => void): Promise<void> {
    this.useKeys = use;
    this.notifications.on(keysChanged, () => this.reloading?.runNow());
    this.notifications.onReconnect(() => this.reloading?.runNow());
    await this.read();
    this.reloading = repeat(
      () => this.nextReadMs,
      'reloading of the signing keys failed',
      () => this.read(),
    );
  }

  /** Reloads the keys for a token that another node signed with a key unknown here (security Q-02). */
  async reload(): Promise<void> {
    if (Date.now() - this.lookedAt < restMs) return this.reading;
    this.lookedAt = Date.now();
    return this.database.outsideTransaction(() => this.read());
  }

  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    await this.reloading?.stop();
    await this.reading.catch(() => undefined);
  }

  /** One read at a time: the last one to begin must be the last whose keys are used. */
  private read(): Promise<void> {
    this.reading = this.reading.catch(() => undefined).then(() => this.readNow());
    return this.reading;
  }

  private async readNow(): Promise<void> {
    if (this.closed) return;
    this.nextReadMs = this.pollMs;
    const { keys, changesInMs } = await this.signingKeys.load();
    this.nextReadMs = Math.min(this.pollMs, changesInMs + 1);
    const ids = keys.map(({ kid }) => kid).join(' ');
    if (ids === this.inUse) return;
    this.useKeys(keys);
    this.inUse = ids;
  }
}

/**
 * Cache lifetime of the published set (`Cache-Control: max-age`) in seconds: never so long that a verifier misses a key
 * that already signs.
 */
export function publishedKeysSeconds({ keys }: Config): number {
  return Math.min(longestCacheSeconds, Math.floor(keys.announceSeconds / 2));
}
