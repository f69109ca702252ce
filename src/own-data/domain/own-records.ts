import type { OwnSentRequest } from '../../contract/own-record/own-data.js';
import type { Receipt } from '../../contract/own-record/receipts.js';
import type { RecordedEvent } from './own-event.js';

/** A launch as it is stored, with its entries by key. */
export interface RecordedLaunch {
  id: string;
  clientId: string | null;
  startedAt: Date;
  lastAt: Date;
  outcome: string;
  entries: Record<string, { at: number; count: number }>;
}

/** Records of one user that may be many: they are read in parts, of which one is in memory. */
export abstract class OwnRecords {
  /** The receipts of access that was taken back. */
  abstract receipts(accountId: string): AsyncIterable<Receipt[]>;
  /** Requests to the hospital; those that were approved are relationships. */
  abstract requests(accountId: string): AsyncIterable<OwnSentRequest[]>;
  abstract launches(accountId: string): AsyncIterable<RecordedLaunch[]>;
  /** Events until this time, the oldest first, without those of these relationships. */
  abstract events(accountId: string, until: Date, hidden: readonly string[]): AsyncIterable<RecordedEvent[]>;
}
