import { Injectable } from '@nestjs/common';
import { KeySets, keySetFailure, type PassedOverKey } from '../../../clients/application/key-sets.js';
import type { PublicJwk } from '../../../contract/rules/clients/jwk.js';
import { log } from '../../../platform/logging/log.js';

interface KeySet {
  keys: PublicJwk[];
  passedOver: PassedOverKey[];
  /** Milliseconds since 1970. */
  readAt: number;
  freshUntil: number;
}

/** Freshness for a host that sends none. */
const defaultFreshMs = 5 * 60_000;
/** Maximum freshness, whatever the host sends: a removed key, as after a theft, must be dropped in time. */
const longestFreshMs = 15 * 60_000;
/** An unknown key id causes another fetch at once, but not more often than this (security C-09). */
const lookAgainMs = 60_000;
/** Pause after a failure: a host that is down is not requested again by every request. */
const restMs = 5_000;

/**
 * The key sets that clients publish under a URL, cached no longer than their Cache-Control allows (SMART 2.2
 * client-confidential-asymmetric), and never longer than 15 minutes. One request at a time per URL.
 */
@Injectable()
export class RemoteKeySets {
  private readonly sets = new Map<string, KeySet>();
  private readonly lookedAgain = new Map<string, number>();
  private readonly failures = new Map<string, { at: number; reason: string }>();
  private readonly pending = new Map<string, Promise<PublicJwk[]>>();

  constructor(private readonly keySets: KeySets) {}

  /** The cached key set, if it is still fresh. */
  freshKeys(url: string): PublicJwk[] | undefined {
    const set = this.sets.get(url);
    return set && set.freshUntil > Date.now() ? set.keys : undefined;
  }

  /** The copy of the key set that was read last, also when it is not fresh any more. */
  lastRead(url: string): Readonly<KeySet> | undefined {
    return this.sets.get(url);
  }

  /** True if a key missing in a fresh set may have been added meanwhile. */
  mayLookAgain(url: string): boolean {
    return this.pending.has(url) || Date.now() - (this.lookedAgain.get(url) ?? 0) > lookAgainMs;
  }

  /** The reason why the key set could not be read the last time; undefined if it could. */
  failureOf(url: string): string | undefined {
    return this.failures.get(url)?.reason;
  }

  /** Fetches the key set; empty when the host does not respond with a usable one. */
  async fetch(url: string): Promise<PublicJwk[]> {
    if (Date.now() - (this.failures.get(url)?.at ?? 0) < restMs) return [];
    let pending = this.pending.get(url);
    if (!pending) {
      if (this.freshKeys(url)) this.lookedAgain.set(url, Date.now());
      pending = this.load(url).finally(() => this.pending.delete(url));
      this.pending.set(url, pending);
    }
    return pending;
  }

  private async load(url: string): Promise<PublicJwk[]> {
    try {
      const { keys, passedOver, cacheControl } = await this.keySets.read(url);
      const readAt = Date.now();
      this.sets.set(url, { keys, passedOver, readAt, freshUntil: readAt + freshMs(cacheControl) });
      this.failures.delete(url);
      return keys;
    } catch (error) {
      const { message, cause } = error as Error;
      log.warn(
        { host: new URL(url).host, reason: cause instanceof Error ? cause.message : message },
        'fetch of a key set failed',
      );
      this.failures.set(url, { at: Date.now(), reason: keySetFailure(error) });
      return [];
    }
  }
}

function freshMs(header: string): number {
  const cacheControl = header.toLowerCase();
  if (/no-store|no-cache/.test(cacheControl)) return 0;
  const maxAge = /max-age=(\d+)/.exec(cacheControl)?.[1];
  return maxAge === undefined ? defaultFreshMs : Math.min(longestFreshMs, Number(maxAge) * 1000);
}
