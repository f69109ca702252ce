import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { OwnRelationship, OwnRelationships } from '../../contract/representation.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { agesOn, dayIn } from '../domain/ages.js';
import { agreeableSteps, isRenewable, yearlyQuestion } from '../domain/coming-steps.js';
import { ownRecordsOf, type PatientFacts } from '../domain/patient-facts.js';
import {
  isHidden,
  liveStatuses,
  openStatuses,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';
import { PatientRecords } from './patient-records.js';
import { RelationshipEnds } from './relationship-ends.js';
import { RepresentationRules } from './representation-rules.js';

type Side = 'representative' | 'patient';
/** The time of the look, and what is known of the patient then. */
interface Known {
  now: Date;
  facts: PatientFacts | undefined;
}
type Choices = Pick<
  OwnRelationship,
  'agreement' | 'canRenew' | 'isAsked' | 'levels' | 'atMost' | 'single' | 'aboveRule' | 'birthDate'
> & {
  level: string;
  /** Ids of the levels that the age table leaves. */
  limits: string[];
};
const keptMs = 365 * 24 * 3_600_000;
/** Of thousands of patients the records are read some at a time, and none after this time. */
const readAtOnce = 16;
const readMs = 6_000;

/** The relationships of a signed-in user, as representative and as patient. */
@Injectable()
export class OwnRelationshipList {
  constructor(
    private readonly relationships: Relationships,
    private readonly accounts: UserDirectory,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly relationshipEnds: RelationshipEnds,
  ) {}

  /**
   * Ended ones are listed for a year; its representative never sees one that ended for safeguarding or was an error.
   */
  async list(accountId: string): Promise<OwnRelationships> {
    const account = await this.accounts.findById(accountId);
    if (!account) return { lookedAfter: [], helpers: [] };
    const keys = ownRecordsOf(account);
    const [lookedAfter, helpers] = await Promise.all([
      this.relationships.ofAccount(accountId),
      Promise.all(keys.map((key) => this.relationships.ofPatient(key))),
    ]);
    const references = (await this.relationships.referencesOf(accountId)).map(({ reference }) => reference);
    const now = new Date();
    const isListed = ({ endedAt }: Relationship) => endedAt === null || now.getTime() - endedAt.getTime() < keptMs;
    const readUntil = performance.now() + readMs;
    const shown = async (all: Relationship[], side: Side) => {
      const listed = all.filter(isListed);
      const cards: OwnRelationship[] = [];
      for (let from = 0; from < listed.length; from += readAtOnce) {
        // Else the cards of what is known already would be made in one turn.
        if (from > 0) await nextTurn();
        const some = listed.slice(from, from + readAtOnce);
        cards.push(...(await Promise.all(some.map((one) => this.card(one, side, { now, readUntil })))));
      }
      return cards;
    };
    return {
      lookedAfter: await shown(
        lookedAfter.filter((one) => !isHidden(one)),
        'representative',
      ),
      helpers: await shown(
        helpers.flat().filter((one) => !openStatuses.includes(one.status) && one.reason !== 'in-error'),
        'patient',
      ),
      ...(references.length > 0 && { references }),
    };
  }

  /**
   * The user ends a relationship of one side; the patient's end of a power of attorney or court order suspends it until
   * administrators decide. Throws `not-found` for one of other users, `forbidden` where the basis leaves it to others.
   */
  async end(accountId: string, id: string): Promise<void> {
    const { relationship, side } = await this.ofUser(accountId, id);
    if (!liveStatuses.includes(relationship.status)) throw relationshipChanged();
    const now = new Date();
    const may = this.mayEnd(relationship, side, { now, facts: await this.factsOf(relationship, now) });
    if (!may) throw new Problem('forbidden', message('representation-end-by-others'));
    const by = { kind: 'account', id: accountId } as const;
    if (may === 'ends') {
      await this.relationshipEnds.end(id, { reason: side, by });
      return;
    }
    await this.relationshipEnds.suspend(id);
  }

  /** The patients for whom the account acts or acted and may know of it, by the id of the relationship. */
  async patientsOf(accountId: string): Promise<Map<string, { patient: string; tenant: string | null; name: string }>> {
    const all = await this.relationships.ofAccount(accountId);
    return new Map(
      all
        .filter((one) => !isHidden(one))
        .map(({ id, patient, tenant = null, patientName }) => [id, { patient, tenant, name: patientName }]),
    );
  }

  /** Those patients, and the relationships that their representative may not know of any more. */
  async actingFor(accountId: string) {
    const all = await this.relationships.ofAccount(accountId);
    return { patients: await this.patientsOf(accountId), hidden: all.filter(isHidden).map(({ id }) => id) };
  }

  /** The user's own records, one for each tenant of the account; none for a user who only acts for others. */
  async ownRecords(accountId: string): Promise<{ tenant: string | undefined; patient: string }[]> {
    const account = await this.accounts.findById(accountId);
    return account ? ownRecordsOf(account) : [];
  }

  /** The representatives of the account's own record now; empty for a patient who is too young to be told. */
  async representativesOf(accountId: string): Promise<{ relationship: string; personId: string; fullName: string }[]> {
    const account = await this.accounts.findById(accountId);
    const keys = account ? ownRecordsOf(account) : [];
    const all = (await Promise.all(keys.map((key) => this.relationships.ofPatient(key)))).flat();
    const found = all.filter(({ status }) => liveStatuses.includes(status));
    const now = new Date();
    const isTold = await Promise.all(
      found.map(async (one) => this.isOldEnough(one, { now, facts: await this.factsOf(one, now) })),
    );
    return found.flatMap(({ id, accountId: personId, representativeName: fullName }, index) =>
      personId !== null && isTold[index] ? [{ relationship: id, personId, fullName }] : [],
    );
  }

  private async ofUser(accountId: string, id: string): Promise<{ relationship: Relationship; side: Side }> {
    const [relationship, account] = await Promise.all([
      this.relationships.findById(id),
      this.accounts.findById(accountId),
    ]);
    if (!relationship || !account) throw relationshipGone();
    if (relationship.accountId === accountId && !isHidden(relationship))
      return { relationship, side: 'representative' };
    const { tenant, patient } = relationship;
    const isPatient = ownRecordsOf(account).some((own) => own.tenant === tenant && own.patient === patient);
    if (!isPatient || openStatuses.includes(relationship.status)) throw relationshipGone();
    return { relationship, side: 'patient' };
  }

  private mayEnd(relationship: Relationship, side: Side, known: Known): 'ends' | 'suspends' | undefined {
    const { endedBy = [] } = this.rules.basis(relationship.basis) ?? {};
    if (side === 'representative') return endedBy.includes('representative') ? 'ends' : undefined;
    if (!this.isOldEnough(relationship, known)) return undefined;
    if (endedBy.includes('patient')) return 'ends';
    return endedBy.includes('patient-suspends') ? 'suspends' : undefined;
  }

  /** A patient without a birth date is not taken for a child. */
  private isOldEnough(relationship: Relationship, { now, facts }: Known): boolean {
    const day = dayIn(now, this.rules.timeZone(relationship.tenant));
    const ages = agesOn(facts?.birthDate, day);
    return ages === undefined || ages.least >= this.rules.ownAccountFrom(relationship.tenant);
  }

  private async factsOf(relationship: Relationship, now: Date): Promise<PatientFacts | undefined> {
    const answer = await this.records.forPatient(relationship, now);
    return 'facts' in answer ? answer.facts : undefined;
  }

  private async card(
    relationship: Relationship,
    side: Side,
    { now, readUntil }: { now: Date; readUntil: number },
  ): Promise<OwnRelationship> {
    const { id, tenant, patient, basis, start, decidedAt, end, status, reason, endedAt } = relationship;
    const isLive = liveStatuses.includes(status);
    const known = this.rules.basis(basis);
    const words = this.rules.relationWords(relationship);
    const own = side === 'representative' ? relationship.patientName : relationship.representativeName;
    const isEnded = status === 'ended';
    const isRead = isLive && performance.now() < readUntil;
    const seen = { now, facts: isRead ? await this.factsOf(relationship, now) : undefined };
    const { level, limits, ...choices } = this.choicesOf(relationship, side, seen);
    return {
      id,
      name: isEnded ? (own.split(' ')[0] ?? own) : own,
      tenant: tenant ?? null,
      patient: side === 'representative' && !isEnded ? patient : null,
      relation: side === 'representative' ? words.patient : words.representative,
      basis: { id: basis, label: known?.label ?? basis },
      level: this.rules.levelView(basis, level, limits),
      since: start ?? (decidedAt && dayIn(decidedAt, this.rules.timeZone(tenant))),
      ...{ end, status },
      reason: isHidden(relationship) ? 'administrator' : reason,
      ...this.comingOf(relationship, side, seen),
      ...choices,
      canEnd: isLive && this.mayEnd(relationship, side, seen) !== undefined,
      endedAt: endedAt?.toISOString() ?? null,
      // It would tell the representative of acts that leave no trace.
      changedAt: side === 'patient' ? relationship.changedAt : null,
    };
  }

  /** The content that may be seen now, the questions to the patient, and the patient's choices. */
  private choicesOf(relationship: Relationship, side: Side, { now, facts }: Known): Choices {
    const nothing = {
      ...{ agreement: null, canRenew: false, isAsked: false },
      ...{
        levels: [],
        atMost: null,
        single: null,
        level: relationship.level,
        limits: [],
        aboveRule: null,
        birthDate: null,
      },
    };
    if (!liveStatuses.includes(relationship.status)) return nothing;
    const today = this.rules.onDay(relationship, facts?.birthDate, now);
    const { present: level, isAboveTable, limits, choices, aboveServer } = this.rules.levelChoices(relationship, today);
    const mayChange = side === 'patient' && relationship.status === 'active' && facts !== undefined;
    const isTold = side === 'representative' || this.isOldEnough(relationship, { now, facts });
    const levels = mayChange && isTold ? choices : [];
    const isShown = side === 'representative' && relationship.status === 'active';
    const given = {
      ...{ level, limits },
      atMost: levels.length > 0 && aboveServer.length > 0 ? (this.rules.mostOf(relationship)?.label ?? null) : null,
      single: levels.length > 0 ? this.rules.singleChoices(relationship, today) : null,
      birthDate: isShown ? (facts?.birthDate ?? null) : null,
      aboveRule: isAboveTable && isTold ? { until: relationship.aboveTable?.until ?? null } : null,
      levels: levels.map(({ level: id, isMore }) => ({ ...this.rules.levelView(relationship.basis, id), isMore })),
    };
    // The latest one: until then the earlier ones have been answered.
    const step = agreeableSteps(today.ages, today.birthDate, today.day).at(-1);
    const agreement = step ? { ...step, isAgreed: relationship.agreedSteps.includes(step.step) } : null;
    const isChosen = side === 'patient' && this.rules.isChosenByPatient(relationship.basis);
    if (!isChosen || relationship.status !== 'active') return { ...nothing, ...given, agreement };
    const question = yearlyQuestion(relationship, today);
    return {
      ...given,
      agreement,
      canRenew: isRenewable(relationship, today.day),
      isAsked: question !== undefined && question <= today.day,
    };
  }

  private comingOf(
    relationship: Relationship,
    side: Side,
    { now, facts }: Known,
  ): Pick<OwnRelationship, 'next' | 'changesOn'> {
    if (!liveStatuses.includes(relationship.status)) return { next: null, changesOn: null };
    const next = this.rules.nextLoss(relationship, facts?.birthDate, now);
    const isTold = side === 'representative' && relationship.status === 'active';
    return {
      next: next ? { ...next, level: next.level?.label ?? null, ...(next.level?.chosen && { isChosen: true }) } : null,
      changesOn: isTold ? this.rules.soonChange(relationship, facts?.birthDate, now) : null,
    };
  }
}
