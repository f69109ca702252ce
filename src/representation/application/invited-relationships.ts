import { Injectable } from '@nestjs/common';
import type { AcceptInvitationRequest, InvitationBasis, InviteRequest } from '../../contract/invitations.js';
import { message } from '../../contract/messages/message.js';
import { partsOfLevel, withKinds } from '../../contract/rules/representation/level-text.js';
import { Audit } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { agesOn, dayIn, ends, notPossible, stepsOn } from '../domain/ages.js';
import type { LevelRule } from '../domain/level.js';
import { ownRecordsOf, type PatientFacts, type PatientKey } from '../domain/patient-facts.js';
import { fieldInvalid, pairTaken } from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';
import { PatientRecords } from './patient-records.js';
import { RepresentationRules } from './representation-rules.js';
import { Representatives } from './representatives.js';

/** The relationship that a patient offers to an invited user. */
export interface Offer extends PatientKey {
  basis: string;
  level: string;
  relation: string;
  end: string | null;
}

/** The account that accepts. */
export type Taker = Pick<UserFacts, 'id' | 'email' | 'fullName'>;

const adult = 18;

/** Relationships that a patient offers, and an invited user accepts. */
@Injectable()
export class InvitedRelationships {
  constructor(
    private readonly relationships: Relationships,
    private readonly people: Representatives,
    private readonly accounts: UserDirectory,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly audit: Audit,
  ) {}

  /** The bases that patients choose themselves, with their levels and kinds. */
  async choices(accountId: string): Promise<InvitationBasis[]> {
    const account = await this.accounts.findById(accountId);
    const [key] = account ? ownRecordsOf(account) : [];
    const answer = key && (await this.records.forPatient(key, new Date()));
    const birthDate = answer && 'facts' in answer ? answer.facts.birthDate : undefined;
    return this.offered().map(([id, { label, relations }]) => ({
      ...{ id, label },
      relations: relations.map((one) => ({ id: one.id, label: one.representative })),
      levels: this.rules.levelViews(id),
      single: this.rules.singleKinds(id, this.limitsOf(id, key?.tenant, birthDate)),
    }));
  }

  /** The words of what was offered; ids where the configuration has them no more. */
  labelsOf({ basis, level, relation }: Pick<Offer, 'basis' | 'level' | 'relation'>) {
    const word = this.rules.basis(basis)?.relations.find(({ id }) => id === relation)?.representative;
    return { relation: word ?? relation, level: this.rules.levelView(basis, level) };
  }

  /** Checks an offer. Throws `invalid` with the problem at its field, and `conflict` for a pair that has one. */
  async offerOf(account: UserFacts, asked: InviteRequest, email: string): Promise<Offer & { firstName: string }> {
    const key = ownRecordOf(account, asked.tenant);
    const known = this.offered().find(([id]) => asked.basis === undefined || id === asked.basis);
    if (!known) throw fieldInvalid('basis', 'representation-basis-unknown');
    const [basis, { relations }] = known;
    const relation = relations.find(({ id }) => id === (asked.relation ?? relations[0]?.id));
    if (!relation) throw fieldInvalid('relation', 'representation-relation-unknown');
    if (!this.rules.level(basis, asked.level) || partsOfLevel(asked.level).kinds) {
      throw fieldInvalid('level', 'representation-level-unknown');
    }
    const { end = null } = asked;
    const day = dayIn(new Date(), this.rules.timeZone(key.tenant));
    if (end !== null && end < day) throw fieldInvalid('end', 'representation-period-past');
    const { birthDate, firstName } = await this.factsOf(key);
    if (this.possibility({ ...key, basis }, birthDate, day) === 'none')
      throw fieldInvalid('basis', 'representation-not-possible');
    const level = this.levelOf(asked, basis, this.limitsOf(basis, key.tenant, birthDate));
    await this.assertNotActing(key, email);
    return { ...key, firstName, basis, level, relation: relation.id, end };
  }

  /** Whole, or with the chosen kinds. */
  private levelOf({ level, kinds }: InviteRequest, basis: string, limits: readonly LevelRule[]): string {
    if (kinds === undefined) return level;
    const problem = this.rules.kindsProblem(basis, { level, kinds, limits });
    if (problem) throw fieldInvalid('kinds', problem);
    return withKinds(level, kinds);
  }

  /** The levels that the age table leaves on this day. */
  private limitsOf(basis: string, tenant: string | undefined, birthDate: string | undefined): LevelRule[] {
    const day = dayIn(new Date(), this.rules.timeZone(tenant));
    const steps = stepsOn(birthDate, this.rules.ages(basis, tenant), day) ?? [];
    return steps.flatMap(({ level }) => (level === undefined ? [] : (this.rules.level(basis, level) ?? [])));
  }

  /** True once the last day is over on which the invited user could act. */
  isOver({ tenant, end }: Pick<Offer, 'tenant' | 'end'>): boolean {
    return end !== null && end < dayIn(new Date(), this.rules.timeZone(tenant));
  }

  /** Checks who accepts, before the code is looked at. Undefined for a user who gets a new account. */
  async takerFor(
    { tenant, inviterId, email }: PatientKey & { inviterId: string; email: string },
    {
      account: kind,
      isAdult,
      accountId,
    }: Pick<AcceptInvitationRequest, 'account' | 'isAdult'> & { accountId: string | undefined },
  ): Promise<Taker | undefined> {
    if (!isAdult) throw fieldInvalid('isAdult', 'invitation-adults-only');
    if (kind === 'new') {
      if ((await this.accounts.idOf(email)) !== undefined) {
        throw new Problem('conflict', message('invitation-account-exists'));
      }
      return undefined;
    }
    const account = accountId === undefined ? undefined : await this.accounts.findById(accountId);
    if (!account) throw new Problem('unauthenticated', message('sign-in-needed'));
    if (account.userType !== 'Patient' && account.userType !== 'RelatedPerson') {
      throw fieldInvalid('account', 'representation-second-account');
    }
    if (account.id === inviterId) throw fieldInvalid('account', 'representation-oneself');
    const tenants = account.claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
    const isTheirs = tenant === undefined ? tenants.length === 0 : tenants.includes(tenant);
    if (!isTheirs) throw fieldInvalid('account', 'representation-other-tenant');
    await this.assertAdult(account);
    return account;
  }

  /**
   * Stores the relationship, in the caller's transaction. A blocked pair waits like one whose age
   * administrators have to decide about. Throws `conflict` if the account acts for the patient already, or if the table
   * of ages no longer permits it.
   */
  async accept(invitation: Offer & { inviterId: string }, account: Taker): Promise<'active' | 'waiting'> {
    const { tenant, patient, basis, level, relation, end, inviterId } = invitation;
    const facts = await this.factsOf(invitation);
    if (await this.people.hasAddressOfPatient(invitation, account.email)) {
      throw new Problem('conflict', message('representation-address-of-patient'));
    }
    const possibility = this.possibility(invitation, facts.birthDate, dayIn(new Date(), this.rules.timeZone(tenant)));
    if (possibility === 'none') throw new Problem('conflict', message('representation-not-possible'));
    const waits =
      (await this.people.isBlocked(invitation, { accountId: account.id, email: account.email, relatedPerson: null })) ||
      possibility === 'unknown' ||
      !(await this.relationships.canBeDecided());
    const status = waits ? 'proposed' : 'active';
    const decided = waits
      ? { decidedBy: null, decidedAt: null }
      : { decidedBy: { kind: 'account', id: account.id } as const, decidedAt: new Date() };
    const relationship = await this.relationships.add({
      ...{ accountId: account.id, tenant, patient, basis, level, relation, start: null, end, note: null },
      ...{ status, reason: null, withoutBirthDate: false, aboveTable: null, agreedSteps: [] },
      ...{ firstDecider: null, proposedBy: { kind: 'account', id: inviterId }, ...decided },
      ...{ endedBy: null, endedAt: null, relatedPerson: null },
      ...{ representativeName: account.fullName, patientName: facts.name },
    });
    const detail = { account: account.id, tenant, patient, basis, level, status };
    const type = waits ? 'representation.proposed' : 'representation.decided';
    await this.audit.record({ type, outcome: 'success', userId: account.id, subject: relationship.id, detail });
    return waits ? 'waiting' : 'active';
  }

  /** The state of a relationship that an account has accepted from a patient; undefined if it has ended. */
  async stateFor(
    { tenant, patient, inviterId }: PatientKey & { inviterId: string },
    accountId: string,
  ): Promise<'active' | 'waiting' | undefined> {
    const own = (await this.relationships.ofAccount(accountId)).filter(
      (one) => one.tenant === tenant && one.patient === patient && one.proposedBy.id === inviterId,
    );
    if (own.some(({ status }) => status === 'active')) return 'active';
    return own.some(({ status }) => status === 'proposed') ? 'waiting' : undefined;
  }

  /** The entry of the age table for a basis on this day; unknown without a birth date. */
  private possibility(
    { basis, tenant }: Pick<Offer, 'basis' | 'tenant'>,
    birthDate: string | undefined,
    day: string,
  ): 'some' | 'none' | 'unknown' {
    const ages = this.rules.ages(basis, tenant);
    const steps = ages.length === 0 ? [] : stepsOn(birthDate, ages, day);
    if (!steps) return 'unknown';
    return steps.some(({ level }) => level === ends || level === notPossible) ? 'none' : 'some';
  }

  private offered() {
    return this.rules.bases.filter(([, { askedBy }]) => askedBy.includes('invitation'));
  }

  /** For a user of this address whom the patient sees on a card already. */
  private async assertNotActing(key: PatientKey, email: string): Promise<void> {
    const id = await this.accounts.idOf(email);
    const acting = id === undefined ? [] : await this.relationships.ofPatient(key);
    if (acting.some(({ accountId, status }) => accountId === id && (status === 'active' || status === 'suspended'))) {
      throw pairTaken();
    }
  }

  /** An adult helps an adult's or a child's record; a birth date that says otherwise refuses. */
  private async assertAdult(account: UserFacts): Promise<void> {
    for (const key of ownRecordsOf(account)) {
      const answer = await this.records.forPatient(key, new Date());
      if (!('facts' in answer)) continue;
      const ages = agesOn(answer.facts.birthDate, dayIn(new Date(), this.rules.timeZone(key.tenant)));
      if (ages && ages.most < adult) throw fieldInvalid('isAdult', 'invitation-adults-only');
    }
  }

  private async factsOf(key: PatientKey): Promise<PatientFacts> {
    const answer = await this.records.forPatient(key, new Date());
    if ('facts' in answer) return answer.facts;
    throw new Problem('unavailable', message('fhir-server-unavailable'));
  }
}

/** The patient's record at the asked tenant, or the only one. */
function ownRecordOf(account: UserFacts, tenant: string | undefined): PatientKey {
  const own = ownRecordsOf(account);
  const key = tenant === undefined && own.length === 1 ? own[0] : own.find((one) => one.tenant === tenant);
  if (!key) throw fieldInvalid('tenant', 'representation-tenant-unknown');
  return key;
}
