import { Injectable } from '@nestjs/common';
import { FhirServerFailure } from '../../../fhir-server/application/fhir-server.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { log } from '../../../platform/logging/log.js';
import type { UserFacts } from '../../../users/application/user-directory.js';
import { goneMs, isFaultOfServer, ownRecordsOf } from '../../domain/patient-facts.js';
import { ServerReadings, type ServerRelationship } from '../../domain/related-person.js';
import { isOfServer, liveStatuses, openStatuses, type Relationship } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { RelationshipEnds } from '../relationship-ends.js';
import { Representatives } from '../representatives.js';
import { RelatedPersons, type SaidByServer } from './related-persons.js';

/** Some connections to the database are left for requests. */
const addedAtOnce = 4;
const server = { kind: 'server', id: null } as const;

/** The account, tenant and time of a read; what is left at the deadline, of `performance.now()`, is left out. */
export interface ServerRead {
  account: UserFacts;
  tenant: string | undefined;
  at: Date;
  deadline: number;
}

/** Stores what the FHIR server says of the relationships of an account. */
@Injectable()
export class ServerChanges {
  constructor(
    private readonly relationships: Relationships,
    private readonly readings: ServerReadings,
    private readonly people: Representatives,
    private readonly ends: RelationshipEnds,
    private readonly resources: RelatedPersons,
    private readonly config: Config,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** False if something could not be stored, or not in time. */
  async store(read: ServerRead, said: SaidByServer): Promise<boolean> {
    const { account, tenant } = read;
    const own = ownRecordsOf(account).find((one) => one.tenant === tenant)?.patient;
    const found = said.found.filter(({ patient }) => patient !== own);
    const stored = (await this.relationships.ofAccount(account.id)).filter((one) => one.tenant === tenant);
    await this.storeWords(read, said, { stored, found });
    const ofPatients = new Map<string, Relationship[]>();
    for (const one of stored) ofPatients.set(one.patient, [...(ofPatients.get(one.patient) ?? []), one]);
    const added: ServerRelationship[] = [];
    for (const one of found) {
      const ofPair = ofPatients.get(one.patient) ?? [];
      const present = ofPair.find((other) => isLive(other) || openStatuses.includes(other.status));
      if (present) {
        // A relationship is not exchanged for another one while its own RelatedPerson could not be read.
        if (said.wordAbout(present.relatedPerson) !== 'unread') await this.update(present, one);
      } else if (ofPair.every(isEndedByServer)) added.push(one);
    }
    return this.addAll(read, added);
  }

  /** The relationships that the server had, and those that it does not have: these end. */
  private async storeWords(
    { tenant, at }: ServerRead,
    said: SaidByServer,
    { stored, found }: { stored: Relationship[]; found: ServerRelationship[] },
  ): Promise<void> {
    const patients = new Set(found.map(({ patient }) => patient));
    const words = stored
      .filter((one) => isLive(one) && isOfServer(one))
      .map(({ id, patient, relatedPerson }) => {
        const word = said.wordAbout(relatedPerson);
        return { id, word: word !== 'unread' && patients.has(patient) ? 'had' : word };
      });
    const idsOf = (...of: string[]) => words.filter(({ word }) => of.includes(word)).map(({ id }) => id);
    // Kept before they end: an end that fails is refused all the same.
    const since = await this.readings.keep(at, { had: idsOf('had'), missing: idsOf('missing', 'none') });
    const end = (id: string) => quietly(() => this.ends.end(id, { reason: 'server', by: server }));
    for (const id of idsOf('none')) await end(id);
    const due = idsOf('missing').filter((id) => at.getTime() - (since.get(id) ?? at).getTime() >= goneMs);
    if (due.length === 0) return;
    const gone = await this.readings.missingBefore(at, tenant);
    if (!isFaultOfServer(gone)) for (const id of due) await end(id);
    else log.error({ ...gone, tenant }, 'the FHIR server lacks so many relationships that none ends for it');
  }

  private async update(present: Relationship, said: ServerRelationship) {
    if (!isOfServer(present) || !isLive(present) || !this.changeOf(present, said)) return;
    await this.database.transaction(async () => {
      // Patient or administrators may have given another level since it was read.
      const current = await this.relationships.findForChange(present.id);
      const change = current && this.changeOf(current, said);
      if (!change || !(await this.relationships.change(present.id, liveStatuses, change))) return;
      const { basis, level } = change;
      const detail = { by: 'server', basis, level };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: present.id, detail });
    });
  }

  /** What the server says otherwise; undefined for nothing. */
  private changeOf(present: Relationship, said: ServerRelationship) {
    const { relatedPerson, basis, start, end } = said;
    const level = this.resources.levelOf(present, said);
    const serverLevel = present.decidedBy?.kind === 'server' ? null : said.level;
    const change = { basis, level, serverLevel, start, end, relatedPerson };
    const isSame = Object.entries(change).every(([member, value]) => present[member as keyof typeof change] === value);
    return isSame ? undefined : change;
  }

  /** False if one of them could not be added, or not in time. */
  private async addAll(read: ServerRead, all: readonly ServerRelationship[]): Promise<boolean> {
    let isComplete = true;
    for (let from = 0; from < all.length; from += addedAtOnce) {
      const areAdded = await Promise.all(all.slice(from, from + addedAtOnce).map((one) => this.addInTime(read, one)));
      if (!areAdded.every(Boolean)) isComplete = false;
    }
    return isComplete;
  }

  private async addInTime(read: ServerRead, one: ServerRelationship): Promise<boolean> {
    if (performance.now() > read.deadline) return false;
    try {
      await this.add(read, one);
      return true;
    } catch (err) {
      if (!(err instanceof FhirServerFailure)) throw err;
      log.warn({ err, tenant: read.tenant }, 'the patient of a RelatedPerson could not be read from the FHIR server');
      return false;
    }
  }

  private async add({ account, tenant, at }: ServerRead, one: ServerRelationship): Promise<void> {
    const { patient, basis, level, relatedPerson, start, end } = one;
    const known = this.config.representation?.bases[basis];
    const relation = one.relation ?? known?.relations[0]?.id;
    if (!known || relation === undefined || !(await this.relationships.canBeDecided())) return;
    if (await this.people.hasAddressOfPatient({ tenant, patient }, account.email)) return;
    const facts = await this.resources.factsOf({ tenant, patient });
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
        await this.readings.keep(at, { had: [id], missing: [] });
        const detail = { by: 'server', account: account.id, tenant, patient, basis, level };
        await this.audit.record({ type: 'representation.decided', outcome: 'success', subject: id, detail });
      }),
    );
  }
}

const isLive = ({ status }: Relationship) => liveStatuses.includes(status);
/** The last day of a relationship that the server made is the server's, too. */
const isEndedByServer = (one: Relationship) =>
  one.status === 'ended' && (one.reason === 'server' || (one.reason === 'period' && isOfServer(one)));

/** Another request has done the same meanwhile. */
async function quietly(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}
