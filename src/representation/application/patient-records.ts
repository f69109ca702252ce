import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { message } from '../../contract/messages/message.js';
import { FhirServerFailure, isJson } from '../../fhir-server/application/fhir-server.js';
import { FhirServers } from '../../fhir-server/application/fhir-servers.js';
import { namesOf, resourceAt } from '../../fhir-server/application/resource-at.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import {
  factsOf,
  freshMs,
  isFresh,
  KnownPatients,
  outageMs,
  type PatientFacts,
  type PatientKey,
} from '../domain/patient-facts.js';
import { isAbout } from '../domain/related-person.js';

/** While the server fails it is asked by one request in this time for each patient. */
const pauseMs = 10_000;
const readLimits = { maxBytes: 2 * 1024 * 1024, timeoutMs: 3_000 };

/** The facts of a patient's record that decide, or the reason why nothing can be decided. */
export type RecordAnswer =
  | { facts: PatientFacts; gone?: Gone }
  | { cause: 'record-unread' }
  | { cause: 'record-gone'; gone: Gone };

/** A record that the server does not have, or has as inactive: times of the first and the last such answer. */
export interface Gone {
  since: Date;
  readAt: Date;
}

interface Entry {
  answer: RecordAnswer;
  /** Time from which on the server is asked again. */
  until: number;
}

/** The deciding elements of patients' records: read again after five minutes, kept for 24 hours of an outage. */
@Injectable()
export class PatientRecords {
  private readonly entries = new LRUCache<string, Entry>({ maxSize: 50_000, sizeCalculation: () => 1 });
  private readonly running = new Map<string, Promise<Entry>>();

  constructor(
    private readonly servers: FhirServers,
    private readonly known: KnownPatients,
    private readonly database: Database,
  ) {}

  async forPatient({ tenant, patient }: PatientKey, at: Date): Promise<RecordAnswer> {
    const key = `${tenant ?? ''} ${patient}`;
    const entry = this.entries.get(key);
    if (entry && isFresh(entry.until, at) && isUsable(entry.answer, at)) return entry.answer;
    const running = this.running.get(key) ?? this.begin(key, { tenant, patient }, at);
    return (await running).answer;
  }

  /** The last reading, of any age: for display, not for decisions. Reads a record that is not known yet. */
  async lastKnown(patient: PatientKey, at: Date): Promise<PatientFacts | undefined> {
    const facts = (await this.known.find(patient))?.facts;
    if (facts) return facts;
    const answer = await this.forPatient(patient, at);
    return 'facts' in answer ? answer.facts : undefined;
  }

  /**
   * True if a representative's RelatedPerson names this patient (`patient` is 1..1, FHIR R4 §8.9), or if there is such
   * a Person, who may be related to several. Throws `unavailable`.
   */
  async hasRelated({ tenant, patient }: PatientKey, reference: string): Promise<boolean> {
    try {
      const { server } = this.servers.forTenant(tenant);
      return isAbout(await resourceAt(server, reference), patient, namesOf(server));
    } catch (cause) {
      if (!(cause instanceof FhirServerFailure)) throw cause;
      throw new Problem('unavailable', message('fhir-server-unavailable'), { cause });
    }
  }

  private begin(key: string, patient: PatientKey, at: Date): Promise<Entry> {
    const entry = this.database.outsideTransaction(() => this.load(patient, at));
    this.running.set(key, entry);
    return entry
      .then((loaded) => {
        this.entries.set(key, loaded);
        return loaded;
      })
      .finally(() => this.running.delete(key));
  }

  private async load(key: PatientKey, at: Date): Promise<Entry> {
    try {
      const facts = await this.read(key, at);
      if (facts === 'gone') {
        const since = await this.known.keepGone(key, at);
        return { answer: { cause: 'record-gone', gone: { since, readAt: at } }, until: at.getTime() + pauseMs };
      }
      const since = await this.known.keep(key, facts);
      const gone = since && { gone: { since, readAt: at } };
      return { answer: { facts, ...gone }, until: at.getTime() + freshMs };
    } catch (error) {
      if (!(error instanceof FhirServerFailure)) throw error;
      log.warn({ err: error, tenant: key.tenant }, 'the record of a represented patient could not be read');
      const last = (await this.known.find(key))?.facts;
      const answer: RecordAnswer = last && isUsable({ facts: last }, at) ? { facts: last } : { cause: 'record-unread' };
      return { answer, until: at.getTime() + pauseMs };
    }
  }

  private async read(key: PatientKey, at: Date): Promise<PatientFacts | 'gone'> {
    const { server } = this.servers.forTenant(key.tenant);
    const deadline = performance.now() + readLimits.timeoutMs;
    const answer = await server.askForJson(`/Patient/${encodeURIComponent(key.patient)}`, deadline);
    if (answer.status === 404 || answer.status === 410) {
      answer.discard();
      return 'gone';
    }
    if (answer.status !== 200 || !isJson(answer)) {
      answer.discard();
      throw new FhirServerFailure('garbage', new Error(`a read of Patient was answered ${answer.status}`));
    }
    const facts = factsOf(parsed(await answer.text(readLimits.maxBytes)), key, at);
    if (!facts) throw new FhirServerFailure('garbage', new Error('a read of Patient was answered with something else'));
    return facts;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FhirServerFailure('garbage', cause);
  }
}

function isUsable(answer: RecordAnswer, at: Date): boolean {
  return !('facts' in answer) || at.getTime() - answer.facts.readAt.getTime() < outageMs;
}
