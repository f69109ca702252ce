import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Secrets } from '../crypto/secrets.js';
import { callerKey } from '../request/caller-key.js';
import { launchIdOfDay, shareRecord } from './launch-notes.js';

/** Requests that belong to no launch: of a known client, whose developer looks for a mistake, and all others. */
const mostOfAddress = { 'known-client': 200, request: 40, token: 40, endpoint: 40, gateway: 40, start: 40 };
const mostInAll = 2_000;
/** Look-ups of what a refused request sent, which cost queries. */
const mostLookUps = { ofAddress: 200, inAll: 20_000 };
const mostAddresses = 10_000;

type Kind = keyof typeof mostOfAddress;

/**
 * The records of requests that belong to no launch. Anyone can send them, so they must not fill the table: each address
 * has some of its own a day, and one for all further ones, and there is a last one for all addresses. Counted by each
 * node.
 */
@Injectable()
export class StrayRecords {
  private day = '';
  /** Ids in use today, by kind. */
  private known = new Map<Kind, Set<string>>();
  private readonly ofAddress = new LRUCache<string, number>({ max: mostAddresses });
  private lookUps = 0;

  constructor(private readonly secrets: Secrets) {}

  /**
   * The id of the record for a request of the current caller, which has this one if there is still room for it. Called
   * last: a record that others share has no client.
   */
  idFor(kind: Kind, own: string): string {
    this.beginDay();
    const known = this.known.get(kind) ?? new Set();
    this.known.set(kind, known);
    if (known.has(own)) return own;
    const address = `${kind} ${callerKey()}`;
    const used = this.ofAddress.get(address) ?? 0;
    if (used < mostOfAddress[kind] && known.size < mostInAll) {
      known.add(own);
      this.ofAddress.set(address, used + 1);
      return own;
    }
    shareRecord();
    const ofAddress = launchIdOfDay(this.secrets, 'many', address);
    if (known.has(ofAddress)) return ofAddress;
    if (known.size >= mostInAll) return launchIdOfDay(this.secrets, 'many', kind);
    known.add(ofAddress);
    return ofAddress;
  }

  /** True if what the current caller sent may be looked up once more today. Each call counts. */
  mayLookUp(): boolean {
    this.beginDay();
    const address = `look-up ${callerKey()}`;
    const used = this.ofAddress.get(address) ?? 0;
    if (used >= mostLookUps.ofAddress || this.lookUps >= mostLookUps.inAll) return false;
    this.ofAddress.set(address, used + 1);
    this.lookUps += 1;
    return true;
  }

  private beginDay(): void {
    const today = new Date().toISOString().slice(0, 10);
    if (today === this.day) return;
    this.day = today;
    this.known = new Map();
    this.ofAddress.clear();
    this.lookUps = 0;
  }
}
