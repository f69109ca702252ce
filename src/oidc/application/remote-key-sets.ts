import { Injectable } from '@nestjs/common';
import { KeySets } from '../../clients/application/key-sets.js';
import type { PublicJwk } from '../../contract/rules/jwk.js';
import { log } from '../../platform/logging/log.js';

interface KeySet {
  keys: PublicJwk[];
  fetchedAt: number;
  freshUntil: number;
}

/** When the host does not say how long its keys are good. */
const defaultFreshMs = 5 * 60_000;
/** An unknown key id is a reason to look again, but not more often. */
const lookAgainMs = 60_000;
/** A host that is down is not asked by every request. */
const restMs = 5_000;

/**
 * The key sets that clients publish under a URL, kept no longer than their Cache-Control allows (SMART 2.2
 * client-confidential-asymmetric). One request at a time for each URL.
 */
@Injectable()
export class RemoteKeySets {
  private readonly sets = new Map<string, KeySet>();
  private readonly failures = new Map<string, number>();
  private readonly pending = new Map<string, Promise<PublicJwk[]>>();

  constructor(private readonly keySets: KeySets) {}

  /** What is known and still fresh. */
  fresh(url: string): PublicJwk[] | undefined {
    const set = this.sets.get(url);
    return set && set.freshUntil > Date.now() ? set.keys : undefined;
  }

  /** Whether a key that is not in a fresh set may have been added meanwhile. */
  mayLookAgain(url: string): boolean {
    return Date.now() - (this.sets.get(url)?.fetchedAt ?? 0) > lookAgainMs;
  }

  /** Asks the host; nothing when it does not answer with a usable key set. */
  async fetch(url: string): Promise<PublicJwk[]> {
    if (Date.now() - (this.failures.get(url) ?? 0) < restMs) return [];
    let pending = this.pending.get(url);
    if (!pending) {
      pending = this.load(url).finally(() => this.pending.delete(url));
      this.pending.set(url, pending);
    }
    return pending;
  }

  private async load(url: string): Promise<PublicJwk[]> {
    try {
      const { keys, cacheControl } = await this.keySets.read(url);
      const now = Date.now();
      this.sets.set(url, { keys, fetchedAt: now, freshUntil: now + freshMs(cacheControl) });
      this.failures.delete(url);
      return keys;
    } catch (error) {
      const { message, cause } = error as Error;
      log.warn(
        { host: new URL(url).host, reason: cause instanceof Error ? cause.message : message },
        'a key set could not be read',
      );
      this.failures.set(url, Date.now());
      return [];
    }
  }
}

function freshMs(header: string): number {
  const cacheControl = header.toLowerCase();
  if (/no-store|no-cache/.test(cacheControl)) return 0;
  const maxAge = /max-age=(\d+)/.exec(cacheControl)?.[1];
  return maxAge === undefined ? defaultFreshMs : Number(maxAge) * 1000;
}
