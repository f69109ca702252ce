import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { log } from '../../../platform/logging/log.js';
import { UserDirectory } from '../../../users/application/user-directory.js';
import { freshMs, isFresh, outageMs } from '../../domain/patient-facts.js';
import { type ServerReading, ServerReadings } from '../../domain/related-person.js';
import type { Relationship } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { RelatedPersons } from './related-persons.js';
import { ServerChanges } from './server-changes.js';

/** While the server fails, or lacks something, it is asked by one request in this time for each account. */
const pauseMs = 10_000;
/** Time of a read for which requests wait; a read of very many continues meanwhile, up to the other one. */
const waitMs = 4_000;
const readMs = 60_000;
/** The part of it in which resources are read; the other one is for what is stored of them. */
const readPart = 0.5;

interface Known {
  /** Of the relationships that the server made for the account, as they were stored after the read. */
  readings: ReadonlyMap<string, ServerReading>;
  /** False if there may be more, which could not be read. */
  isComplete: boolean;
  /** Time from which on the server is asked again. */
  until: number;
  /** Number of the RelatedPerson with which the next read begins. */
  next: number;
}

interface Asked {
  account: string;
  tenant: string | undefined;
  at: Date;
}

/**
 * Relationships that the FHIR server has (`representation.source: server`): RelatedPerson resources that belong to an
 * account. The server can make a relationship of a pair that has none, and end those that it made. An own relationship
 * of the pair wins, and what was ended or blocked here stays so.
 */
@Injectable()
export class ServerRelationships {
  private readonly known = new LRUCache<string, Known>({
    maxSize: 200_000,
    sizeCalculation: ({ readings }) => readings.size + 1,
  });
  private readonly running = new Map<string, { loaded: Promise<Known>; began: number }>();

  constructor(
    private readonly relationships: Relationships,
    private readonly readings: ServerReadings,
    private readonly accounts: UserDirectory,
    private readonly resources: RelatedPersons,
    private readonly changes: ServerChanges,
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  /**
   * Asks the FHIR server for whom the account acts, again after five minutes. What it says is stored before this
   * resolves; false if there may be more, because it did not say it all in time.
   */
  async update(asked: Asked): Promise<boolean> {
    if (!this.isOn) return true;
    return (await this.knownOf(asked))?.isComplete ?? false;
  }

  /** Why a relationship that the server made does not count now; undefined if it does. */
  async refusalOf({ id, accountId, tenant }: Relationship, at: Date) {
    if (!this.isOn || accountId === null) return 'ended';
    const asked = { account: accountId, tenant, at };
    // One that another node has stored since is not in what this one has read. Of thousands each is read by itself.
    const reading = (await this.knownOf(asked))?.readings.get(id) ?? (await this.readings.ofRelationship(id));
    if (!reading) return 'ended';
    if (reading.missingSince !== undefined) return 'server-missing';
    return at.getTime() - reading.hadAt.getTime() < outageMs ? undefined : 'server-unread';
  }

  private get isOn(): boolean {
    return this.config.representation?.source === 'server';
  }

  /** Undefined if the server says too slowly what it has: then what is stored counts. */
  private async knownOf(asked: Asked): Promise<Known | undefined> {
    const key = `${asked.account} ${asked.tenant ?? ''}`;
    const known = this.known.get(key);
    if (known && isFresh(known.until, asked.at)) return known;
    const { loaded, began } = this.running.get(key) ?? this.begin(key, asked);
    const leftMs = began + waitMs - performance.now();
    if (leftMs <= 0) return undefined;
    const waiting = new AbortController();
    try {
      return await Promise.race([loaded, wait(leftMs, undefined, { signal: waiting.signal, ref: false })]);
    } finally {
      waiting.abort();
    }
  }

  private begin(key: string, asked: Asked) {
    const began = performance.now();
    const loaded = this.database
      .outsideTransaction(() => this.load(asked, this.known.get(key)?.next ?? 0))
      .then((known) => {
        this.known.set(key, known);
        return known;
      })
      .finally(() => this.running.delete(key));
    const running = { loaded, began };
    this.running.set(key, running);
    loaded.catch((err: unknown) => log.warn({ err, account: asked.account }, 'relationships could not be updated'));
    return running;
  }

  private async load({ account: id, tenant, at }: Asked, from: number): Promise<Known> {
    const began = performance.now();
    const [account, references] = await Promise.all([this.accounts.findById(id), this.relationships.referencesOf(id)]);
    if (!account) return { readings: new Map(), isComplete: true, until: at.getTime() + freshMs, next: 0 };
    const named = references.filter((one) => one.tenant === tenant).map(({ reference }) => reference);
    const deadline = began + readMs;
    const said = await this.resources.read(named, { tenant, at, from, deadline: began + readPart * readMs });
    const isStored = await this.changes.store({ account, tenant, at, deadline }, said);
    const readings = await this.readings.ofAccount(id, tenant);
    const isComplete = said.isComplete && isStored;
    const isMissing = [...readings.values()].some(({ missingSince }) => missingSince !== undefined);
    // A server that takes long for it is not asked all the time.
    const pause = Math.min(freshMs, Math.max(pauseMs, 10 * (performance.now() - began)));
    const until = at.getTime() + (isComplete && !isMissing ? freshMs : pause);
    return { readings, isComplete, until, next: said.next };
  }
}
