import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { FhirServerFailure } from '../../../fhir-server/application/fhir-server.js';
import { FhirServers } from '../../../fhir-server/application/fhir-servers.js';
import { namesOf, resourceAt } from '../../../fhir-server/application/resource-at.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Config } from '../../../platform/config/config.js';
import { timeZoneOf } from '../../../platform/config/time-zone.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { log } from '../../../platform/logging/log.js';
import { UserDirectory, type UserFacts } from '../../../users/application/user-directory.js';
import { dayIn } from '../../domain/ages.js';
import { factsOf, freshMs, isFresh, ownRecordsOf } from '../../domain/patient-facts.js';
import { countingOn, relatedPersonsOf, relationshipIn, type ServerRelationship } from '../../domain/related-person.js';
import { liveStatuses, openStatuses, type Relationship } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { RelationshipEnds } from '../relationship-ends.js';
import { Representatives } from '../representatives.js';

/** While the server fails it is asked by one request in this time for each account. */
const pauseMs = 10_000;
const readAtOnce = 8;
const none: ReadonlySet<string> = new Set();
const server = { kind: 'server', id: null } as const;

interface Known {
  /** Ids of the patients of whom the server says that the account acts for them; undefined if it was never read. */
  patients: ReadonlySet<string> | undefined;
  /** Time from which on the server is asked again. */
  until: number;
}

/**
 * Relationships that the FHIR server has (`representation.source: server`): RelatedPerson resources that belong to an
 * account. The server can make a relationship of a pair that has none, and end those that it made. An own relationship
 * of the pair wins, and what was ended or blocked here stays so.
 */
@Injectable()
export class ServerRelationships {
  private readonly known = new LRUCache<string, Known>({ max: 20_000 });
  private readonly running = new Map<string, Promise<Known>>();

  constructor(
    private readonly relationships: Relationships,
    private readonly people: Representatives,
    private readonly accounts: UserDirectory,
    private readonly ends: RelationshipEnds,
    private readonly servers: FhirServers,
    private readonly config: Config,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * The patients for whom the account acts by the FHIR server, which is asked again after five minutes. What it says is
   * stored before this resolves. None where the FHIR server makes no relationships (any more); undefined if it was not
   * readable since the start.
   */
  async patientsOf(account: string, tenant: string | undefined, at: Date): Promise<ReadonlySet<string> | undefined> {
    if (this.config.representation?.source !== 'server') return none;
    const key = `${account} ${tenant ?? ''}`;
    const known = this.known.get(key);
    if (known && isFresh(known.until, at)) return known.patients;
    const running = this.running.get(key) ?? this.begin(key, { account, tenant, at });
    return (await running).patients;
  }

  private begin(key: string, request: { account: string; tenant: string | undefined; at: Date }): Promise<Known> {
    const loaded = this.database
      .outsideTransaction(() => this.load(request, this.known.get(key)))
      .then((known) => {
        this.known.set(key, known);
        return known;
      })
      .finally(() => this.running.delete(key));
    this.running.set(key, loaded);
    return loaded;
  }

  private async load(
    { account: id, tenant, at }: { account: string; tenant: string | undefined; at: Date },
    before: Known | undefined,
  ): Promise<Known> {
    const [account, references] = await Promise.all([this.accounts.findById(id), this.relationships.referencesOf(id)]);
    if (!account) return { patients: new Set(), until: at.getTime() + freshMs };
    try {
      const found = countingOn(
        dayIn(at, timeZoneOf(this.config, tenant)),
        await this.read(
          references.filter((one) => one.tenant === tenant).map(({ reference }) => reference),
          tenant,
        ),
      );
      const own = ownRecordsOf(account).find((one) => one.tenant === tenant)?.patient;
      const others = found.filter(({ patient }) => patient !== own);
      await this.store(account, tenant, others);
      return { patients: new Set(others.map(({ patient }) => patient)), until: at.getTime() + freshMs };
    } catch (error) {
      if (!(error instanceof FhirServerFailure)) throw error;
      log.warn({ err: error, account: id }, 'the relationships of an account could not be read from the FHIR server');
      return { patients: before?.patients, until: at.getTime() + pauseMs };
    }
  }

  private async read(references: readonly string[], tenant: string | undefined): Promise<ServerRelationship[]> {
    const codes = this.config.representation?.relationshipCodes ?? [];
    const { server: from } = this.servers.forTenant(tenant);
    const named = references.filter((one) => one.startsWith('RelatedPerson/'));
    const persons = await someAtATime(
      references.filter((one) => one.startsWith('Person/')),
      (one) => resourceAt(from, one),
    );
    const all = [...new Set([...named, ...persons.flatMap((person) => relatedPersonsOf(person, namesOf(from)))])];
    const read = async (one: string) => relationshipIn(await resourceAt(from, one), codes, namesOf(from)) ?? [];
    return (await someAtATime(all, read)).flat();
  }

  private async store(account: UserFacts, tenant: string | undefined, found: ServerRelationship[]): Promise<void> {
    const stored = (await this.relationships.ofAccount(account.id)).filter((one) => one.tenant === tenant);
    for (const one of stored) {
      const isLeft = isLive(one) && isOfServer(one) && !found.some(({ patient }) => patient === one.patient);
      if (isLeft) await quietly(() => this.ends.end(one.id, { reason: 'server', by: server }));
    }
    for (const one of found) {
      const ofPair = stored.filter(({ patient }) => patient === one.patient);
      const present = ofPair.find((other) => isLive(other) || openStatuses.includes(other.status));
      if (present) await this.update(present, one);
      else if (ofPair.every(isEndedByServer)) await this.add(account, tenant, one);
    }
  }

  private async update(present: Relationship, { relatedPerson, basis, level, start, end }: ServerRelationship) {
    if (!isOfServer(present) || !isLive(present)) return;
    const change = { basis, level, start, end, relatedPerson };
    const isSame = Object.entries(change).every(([member, value]) => present[member as keyof typeof change] === value);
    if (isSame) return;
    await this.database.transaction(async () => {
      if (!(await this.relationships.change(present.id, liveStatuses, change))) return;
      const detail = { by: 'server', basis, level };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: present.id, detail });
    });
  }

  private async add(account: UserFacts, tenant: string | undefined, one: ServerRelationship): Promise<void> {
    const { patient, basis, level, relatedPerson, start, end } = one;
    const known = this.config.representation?.bases[basis];
    const relation = one.relation ?? known?.relations[0]?.id;
    if (!known || relation === undefined || !(await this.relationships.canBeDecided())) return;
    if (await this.people.hasAddressOfPatient({ tenant, patient }, account.email)) return;
    const record = await resourceAt(this.servers.forTenant(tenant).server, `Patient/${patient}`);
    const facts = factsOf(record, { tenant, patient }, new Date());
    if (!facts) return;
    await quietly(() =>
      this.database.transaction(async () => {
        if (await this.people.isBlocked({ tenant, patient }, { accountId: account.id, relatedPerson })) return;
        const { id } = await this.relationships.add({
          ...{ accountId: account.id, tenant, patient, basis, level, relation, start, end, note: null },
          ...{ status: 'active', reason: null, withoutBirthDate: false, aboveTable: null, agreedSteps: [] },
          ...{ firstDecider: null, proposedBy: server, decidedBy: server, decidedAt: new Date() },
          ...{ endedBy: null, endedAt: null, relatedPerson },
          ...{ representativeName: account.fullName, patientName: facts.name },
        });
        const detail = { by: 'server', account: account.id, tenant, patient, basis, level };
        await this.audit.record({ type: 'representation.decided', outcome: 'success', subject: id, detail });
      }),
    );
  }
}

/** True for a relationship that the FHIR server made. */
export const isOfServer = ({ proposedBy }: Pick<Relationship, 'proposedBy'>) => proposedBy.kind === 'server';
const isLive = ({ status }: Relationship) => liveStatuses.includes(status);
/** The last day of a relationship that the server made is the server's, too. */
const isEndedByServer = (one: Relationship) =>
  one.status === 'ended' && (one.reason === 'server' || (one.reason === 'period' && isOfServer(one)));

/** A Person may be linked with thousands: the FHIR server is asked for some of them at a time. */
async function someAtATime<Result>(
  references: readonly string[],
  read: (reference: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < references.length; from += readAtOnce) {
    results.push(...(await Promise.all(references.slice(from, from + readAtOnce).map(read))));
  }
  return results;
}

/** Another request has done the same meanwhile. */
async function quietly(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}
