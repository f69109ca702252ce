import { Injectable } from '@nestjs/common';
import { FhirServerFailure } from '../../../fhir-server/application/fhir-server.js';
import { FhirServers } from '../../../fhir-server/application/fhir-servers.js';
import { namesOf, resourceAt } from '../../../fhir-server/application/resource-at.js';
import { Config } from '../../../platform/config/config.js';
import { timeZoneOf } from '../../../platform/config/time-zone.js';
import { log } from '../../../platform/logging/log.js';
import { dayIn } from '../../domain/ages.js';
import { isAbove } from '../../domain/level-order.js';
import { factsOf, type PatientFacts, type PatientKey } from '../../domain/patient-facts.js';
import {
  countingOn,
  isWithoutKnownCode,
  relatedPersonsOf,
  relationshipIn,
  type ServerRelationship,
} from '../../domain/related-person.js';
import type { Relationship } from '../../domain/relationship.js';
import { RepresentationRules } from '../representation-rules.js';

const readAtOnce = 8;

/**
 * The result of a read of a resource. `missing`: the server does not have it. `unread`: it does not tell, and `silent`:
 * it did not answer at all.
 */
type Reading = { resource: unknown } | 'missing' | 'unread' | 'silent';

/** The server's statements about the relationships of an account. */
export interface SaidByServer {
  /** Those that count on the day of the read. */
  found: ServerRelationship[];
  /**
   * Of a relationship that is not found, by its RelatedPerson. `none`: there is none any more. `missing`: a fault of
   * the server or of the configuration would look the same. `unread`: nothing was said.
   */
  wordAbout(relatedPerson: string | null): 'none' | 'missing' | 'unread';
  /** False if some of them could not be read. */
  isComplete: boolean;
  /** Number of the RelatedPerson with which the next read begins, because there was no time for it. */
  next: number;
}

/** The time of a read; the RelatedPerson with which it begins; when it ends, a time of `performance.now()`. */
interface ReadTerms {
  tenant: string | undefined;
  at: Date;
  from: number;
  deadline: number;
}

/** Reads RelatedPerson and Person resources, and the records of their patients. */
@Injectable()
export class RelatedPersons {
  constructor(
    private readonly servers: FhirServers,
    private readonly rules: RepresentationRules,
    private readonly config: Config,
  ) {}

  /**
   * The level that a relationship of the server has: the server's own, or what was given here in its place, as long as
   * that is not above it.
   */
  levelOf({ basis, level: present, decidedBy }: Relationship, said: ServerRelationship): string {
    if (decidedBy?.kind === 'server' || basis !== said.basis) return said.level;
    const [given, own] = [present, said.level].map((level) => this.rules.level(basis, level));
    return given && own && !isAbove(given, own) ? present : said.level;
  }

  /** Reads what these references lead to: each by itself, and none after the deadline. */
  async read(references: readonly string[], { tenant, at, from, deadline }: ReadTerms): Promise<SaidByServer> {
    const codes = this.config.representation?.relationshipCodes ?? [];
    const { server } = this.servers.forTenant(tenant);
    const names = namesOf(server);
    const readAll = (all: readonly string[]) => eachWithin(all, (one) => this.readOne(one, tenant), deadline);
    const { readings: persons } = await readAll(references.filter((one) => one.startsWith('Person/')));
    const linked = [...persons.values()].flatMap((one) => relatedPersonsOf(resourceOf(one), names));
    const named = references.filter((one) => one.startsWith('RelatedPerson/'));
    const all = [...new Set([...named, ...linked])];
    const first = from < all.length ? from : 0;
    const { readings: relatedPersons, count } = await readAll([...all.slice(first), ...all.slice(0, first)]);
    const wordOf = (reading: Reading) => {
      if (reading === 'missing') return 'missing';
      if (typeof reading === 'string') return 'unread';
      return isWithoutKnownCode(reading.resource, codes) ? 'missing' : 'none';
    };
    // One that no Person is linked with any more may be linked with one that was not read.
    const others = new Set([...persons.values()].map(wordOfPerson));
    const ofOthers = others.has('unread') ? 'unread' : others.has('missing') ? 'missing' : 'none';
    const isRead = (reading: Reading) => reading === 'missing' || typeof reading !== 'string';
    return {
      found: countingOn(
        dayIn(at, timeZoneOf(this.config, tenant)),
        all.flatMap((one) => relationshipIn(resourceOf(relatedPersons.get(one) ?? 'unread'), codes, names) ?? []),
      ),
      wordAbout: (relatedPerson) => {
        const own = relatedPerson === null ? undefined : relatedPersons.get(relatedPerson);
        return own === undefined ? ofOthers : wordOf(own);
      },
      isComplete: [...persons.values(), ...relatedPersons.values()].every(isRead),
      next: count < all.length ? (first + count) % all.length : 0,
    };
  }

  /** The facts of a patient's record that decide; undefined if the server does not have it. Throws `unavailable`. */
  async factsOf(key: PatientKey): Promise<PatientFacts | undefined> {
    const { server } = this.servers.forTenant(key.tenant);
    return factsOf(await resourceAt(server, `Patient/${key.patient}`), key, new Date());
  }

  private async readOne(reference: string, tenant: string | undefined): Promise<Reading> {
    try {
      const resource = await resourceAt(this.servers.forTenant(tenant).server, reference);
      return resource === undefined ? 'missing' : { resource };
    } catch (err) {
      if (!(err instanceof FhirServerFailure)) throw err;
      log.warn({ err, tenant }, 'a RelatedPerson or Person of an account could not be read from the FHIR server');
      return err.reason === 'garbage' || err.reason === 'too-large' ? 'unread' : 'silent';
    }
  }
}

const resourceOf = (reading: Reading) => (typeof reading === 'string' ? undefined : reading.resource);
const wordOfPerson = (reading: Reading) =>
  reading === 'missing' ? 'missing' : typeof reading === 'string' ? 'unread' : 'none';

/**
 * A Person may be linked with thousands: the FHIR server is asked for some of them at a time, and for no more once it
 * answers none of these.
 */
async function eachWithin(
  references: readonly string[],
  read: (reference: string) => Promise<Reading>,
  deadline: number,
): Promise<{ readings: Map<string, Reading>; count: number }> {
  const readings = new Map<string, Reading>(references.map((one) => [one, 'unread']));
  let count = 0;
  while (count < references.length && performance.now() < deadline) {
    const some = references.slice(count, count + readAtOnce);
    count += some.length;
    const given = await Promise.all(some.map(read));
    for (const [index, one] of some.entries()) readings.set(one, given[index] ?? 'unread');
    if (given.every((one) => one === 'silent')) break;
  }
  return { readings, count };
}
