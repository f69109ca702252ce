import { LRUCache } from 'lru-cache';
import type { Notifications } from './notifications.js';

interface Options<T> {
  /**
   * Notification channel. A use case that changes cached data sends the key on it in the same transaction, or an empty
   * payload for "all keys".
   */
  channel: string;
  load: (key: string) => Promise<T | undefined>;
  /** Maximum age, in case a notification was lost although the connection was up. */
  maxAgeMs?: number;
  maxEntries?: number;
}

/**
 * A per-node cache of database values; a notification of any node invalidates an entry. While notifications cannot be
 * received the cache is bypassed and every value is loaded. Missing values are not cached.
 *
 * A value is loaded outside of the transaction at hand until that one has begun. From then on it is loaded inside, and
 * cached when the transaction commits: before, no other transaction may see it (decision 0047).
 */
export class Cached<T extends object> {
  private readonly entries: LRUCache<string, T>;
  private generation = 0;
  private readonly load: Options<T>['load'];

  constructor(
    private readonly notifications: Notifications,
    { channel, load, maxAgeMs = 30_000, maxEntries = 10_000 }: Options<T>,
  ) {
    this.load = load;
    // By size: with a number of entries the library allocates its arrays in full length, for caches that most nodes
    // never fill.
    this.entries = new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1, ttl: maxAgeMs });
    notifications.onOrEarlier(channel, (key) => this.drop(key));
    notifications.onReconnect(() => this.drop(''));
  }

  /** The cached value, synchronously; undefined when it must be loaded. */
  atHand(key: string): T | undefined {
    return this.notifications.isListening ? this.entries.get(key) : undefined;
  }

  async get(key: string): Promise<T | undefined> {
    const known = this.atHand(key);
    if (known !== undefined) return known;
    const { database, isListening } = this.notifications;
    const { generation } = this;
    const value = await database.outsideUntilBegun(() => this.load(key));
    if (value === undefined || !isListening) return value;
    database.afterCommit(() => {
      // A change during the read: the loaded value may be the old one.
      if (generation === this.generation) this.entries.set(key, value);
    });
    return value;
  }

  private drop(key: string): void {
    this.generation += 1;
    if (key === '') this.entries.clear();
    else this.entries.delete(key);
  }
}
