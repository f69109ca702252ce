import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Cached } from '../../platform/database/cached.js';
import { Notifications } from '../../platform/database/notifications.js';
import { dayIn } from '../domain/ages.js';
import { addDays } from '../domain/coming-steps.js';
import { decide, type RefusalCause, refusalOf } from '../domain/decision.js';
import type { LevelRule } from '../domain/level.js';
import type { PatientKey } from '../domain/patient-facts.js';
import { reachedAge } from '../domain/patient-news.js';
import type { Relationship } from '../domain/relationship.js';
import { pairKey, Relationships, relationshipsChanged } from '../domain/relationships.js';
import { PatientRecords } from './patient-records.js';
import { RepresentationRules } from './representation-rules.js';
import { RelationshipUpkeep } from './upkeep/relationship-upkeep.js';

/** An account that wants to act for a patient. */
export interface ActingRequest extends PatientKey {
  account: string;
  at: Date;
}

export type RepresentedDecision =
  | { permitted: false; cause: RefusalCause }
  | {
      permitted: true;
      /** All of them must permit what is read or changed. */
      levels: LevelRule[];
      /** Id of the basis. */
      basis: string;
      /** Id of the relationship. */
      relationship: string;
    };

/** Why an account may not act for a patient now, in a clause for administrators. */
export const refusalClauses: Readonly<Record<RefusalCause, string>> = {
  off: 'acting for others is off',
  none: 'no relationship of the two is recorded',
  'not-active': 'the relationship is not active yet',
  suspended: 'the relationship is suspended',
  ended: 'the relationship has ended',
  'not-begun': 'the period of the relationship has not begun',
  over: 'the period of the relationship is over',
  'not-configured': 'its basis or level is not in the configuration',
  'server-missing': 'the FHIR server does not have the RelatedPerson that makes the relationship',
  'server-unread': 'the RelatedPerson that makes the relationship could not be read for a day',
  'record-unread': 'the record of the patient could not be read',
  'record-gone': 'the FHIR server does not have the record of the patient',
  'record-inactive': 'the record of the patient is inactive',
  'record-replaced': 'the record of the patient was replaced by another one',
  deceased: 'the record says that the patient has died',
  'birth-date-missing': 'the record of the patient has no birth date by which the table of ages could decide',
  'too-young': 'the patient is younger than the table of ages begins',
  age: 'the table of ages permits none at the age of the patient',
  agreement: 'the table of ages asks for the agreement of the patient, which is not there',
};

const unreadCauses: ReadonlySet<RefusalCause> = new Set(['record-unread', 'server-unread']);
/** Decisions about all patients of an account: some at a time, none after this time. */
const decidedAtOnce = 16;
const decidedMs = 6_000;

/** A patient for whom an account may act now. */
export interface Represented {
  relationship: Relationship;
  levels: LevelRule[];
}

/** Decides at each request whether an account may act for a patient at this time, and how far. */
@Injectable()
export class RepresentedAccess {
  private readonly pairs: Cached<{ relationship: Relationship | undefined }>;

  constructor(
    private readonly relationships: Relationships,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly upkeep: RelationshipUpkeep,
    notifications: Notifications,
  ) {
    this.pairs = new Cached(notifications, {
      channel: relationshipsChanged,
      load: async (key) => ({ relationship: await this.relationships.findCurrent(key) }),
    });
  }

  /**
   * Knows a change of the relationship at once on this node and within two seconds on the others. What decides of the
   * patient's record is read again after five minutes; while it cannot be read, what was read last counts for 24 hours.
   */
  async forRequest({ account, tenant, patient, at }: ActingRequest): Promise<RepresentedDecision> {
    if (!this.rules.isOn) return { permitted: false, cause: 'off' };
    const key = pairKey(account, { tenant, patient });
    const { relationship } = this.pairs.atHand(key) ?? (await this.pairs.get(key)) ?? {};
    return relationship ? this.decide(relationship, at) : { permitted: false, cause: 'none' };
  }

  /** As in {@link RepresentationRules.protection}. */
  get protection(): RepresentationRules['protection'] {
    return this.rules.protection;
  }

  /**
   * Whom the account may act for at this time, at the FHIR base of a tenant; by name. `isUnread`: there may be more,
   * whose records cannot be read now.
   */
  async allOf(
    account: string,
    tenant: string | undefined,
    at: Date,
  ): Promise<{ patients: Represented[]; isUnread: boolean }> {
    if (!this.rules.isOn) return { patients: [], isUnread: false };
    const isWhole = await this.upkeep.updateByServer(account, tenant, at);
    const all = (await this.relationships.ofAccount(account)).filter((one) => one.tenant === tenant);
    const { decided, isAll } = await this.decideInTime(all, at);
    const patients = decided.flatMap(({ relationship, decision }) =>
      decision.permitted ? [{ relationship, levels: decision.levels }] : [],
    );
    const isUnread = decided.some(({ decision }) => !decision.permitted && unreadCauses.has(decision.cause));
    return { patients, isUnread: isUnread || !isWhole || !isAll };
  }

  /** A user may act for thousands, and their FHIR server may be slow. */
  private async decideInTime(all: readonly Relationship[], at: Date) {
    const decided: { relationship: Relationship; decision: RepresentedDecision }[] = [];
    const end = performance.now() + decidedMs;
    for (let from = 0; from < all.length && performance.now() < end; from += decidedAtOnce) {
      if (from > 0) await nextTurn();
      const some = all.slice(from, from + decidedAtOnce).map(async (relationship) => ({
        relationship,
        decision: await this.decide(relationship, at),
      }));
      decided.push(...(await Promise.all(some)));
    }
    return { decided, isAll: decided.length === all.length };
  }

  /**
   * True if the relationship is active; it stays so until the transaction ends: a grant that the transaction stores is
   * found by an end that comes after it.
   */
  lockActive(id: string): Promise<boolean> {
    return this.relationships.lockActive(id);
  }

  /** As {@link forRequest}, for the id of a relationship that a token or a grant names. */
  async forToken(relationship: string, at: Date): Promise<RepresentedDecision> {
    const found = this.rules.isOn ? await this.relationships.findById(relationship) : undefined;
    return found ? this.decide(found, at) : { permitted: false, cause: 'none' };
  }

  /** As {@link forRequest}, for a relationship that the caller has read. */
  async decide(relationship: Relationship, at: Date): Promise<RepresentedDecision> {
    const { tenant, basis, id } = relationship;
    const timeZone = this.rules.timeZone(tenant);
    const day = dayIn(at, timeZone);
    const early = refusalOf(relationship, day);
    if (early === 'over')
      this.upkeep.noteOver(relationship, at, { day: addDays(relationship.end ?? day, 1), timeZone });
    if (early) return { permitted: false, cause: early };
    const byServer = await this.upkeep.refusalByServer(relationship, at);
    if (byServer) return { permitted: false, cause: byServer };
    const known = this.rules.basis(basis);
    if (!known) return { permitted: false, cause: 'not-configured' };
    const record = await this.records.forPatient(relationship, at);
    if ('cause' in record) {
      if (record.cause === 'record-gone') this.upkeep.noteGone(relationship, record.gone);
      return { permitted: false, cause: record.cause };
    }
    const ages = this.rules.ages(basis, tenant);
    const survivesDeath = known.afterDeath === 'continues';
    const decision = decide(relationship, { day, ages, facts: record.facts, survivesDeath });
    if (record.gone) this.upkeep.noteGone(relationship, record.gone);
    else {
      const reached = decision.permitted ? undefined : reachedAge(ages, record.facts.birthDate, day);
      this.upkeep.note(relationship, decision, record.facts, reached && { day: reached.on, timeZone });
    }
    if (!decision.permitted) return decision;
    const levels = decision.levels.map((level) => this.rules.level(basis, level));
    if (!levels.every((level) => level !== undefined)) return { permitted: false, cause: 'not-configured' };
    return { permitted: true, levels, basis, relationship: id };
  }

  /** As {@link decide}, but resolves when what follows from it is stored; undefined if it could not be stored. */
  async decideAndStore(relationship: Relationship, at: Date): Promise<RepresentedDecision | undefined> {
    const decision = await this.decide(relationship, at);
    return (await this.upkeep.isStored(relationship)) ? decision : undefined;
  }
}
