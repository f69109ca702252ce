import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { ProposeRelationshipRequest } from '../../contract/representation.js';
import { fieldRequired } from '../../contract/rules/text.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { UserInvitations } from '../../users/application/user-invitations.js';
import { dayIn } from '../domain/ages.js';
import type { PatientKey } from '../domain/patient-facts.js';
import { fieldInvalid, liveStatuses, pairTaken, type Relationship } from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';
import { actorOf, type Decider } from './deciders.js';
import { PatientRecords } from './patient-records.js';
import { RepresentationRules } from './representation-rules.js';

/** Administrators propose who acts for a patient. */
@Injectable()
export class RelationshipProposals {
  constructor(
    private readonly relationships: Relationships,
    private readonly accounts: UserDirectory,
    private readonly invitations: UserInvitations,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly config: Config,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** Stores a proposal. Throws `invalid` with each problem at its field, and `conflict` for a pair that has one. */
  async propose(asked: ProposeRelationshipRequest, by: Decider): Promise<Relationship> {
    const { tenant, patient, basis, level, start = null, end = null, note = null } = asked;
    const { account, relation, patientName } = await this.check(asked);
    if (account && (await this.isActing(account.id, { tenant, patient }))) throw pairTaken();
    return this.database.transaction(async () => {
      const { id: accountId, fullName } = account ?? (await this.newAccount(asked));
      await this.nameReference(accountId, asked);
      const relationship = await this.relationships.add({
        ...{ accountId, tenant, patient, basis, level, relation, start, end, note },
        ...{ status: 'proposed', reason: null, withoutBirthDate: false, aboveTable: null, agreedSteps: [] },
        ...{ firstDecider: null, proposedBy: actorOf(by), decidedBy: null, decidedAt: null },
        ...{ endedBy: null, endedAt: null, relatedPerson: asked.relatedPerson ?? null },
        ...{ representativeName: fullName, patientName },
      });
      const detail = { account: accountId, tenant, patient, basis, level };
      await this.audit.record({
        type: 'representation.proposed',
        outcome: 'success',
        subject: relationship.id,
        detail,
      });
      return relationship;
    });
  }

  /** Checks a proposal as {@link propose} does, and changes nothing. An address without an account has none. */
  async check(asked: ProposeRelationshipRequest) {
    const { tenant, patient, basis, level } = asked;
    const account = await this.accountOf(asked);
    if (!account && asked.fullName === undefined) throw fieldInvalid('fullName', 'representation-account-unknown');
    const known = this.rules.basis(basis);
    const relation = known?.relations.find(({ id }) => id === (asked.relation ?? known.relations[0]?.id));
    this.assertPeriod(asked);
    if (tenant !== undefined && !this.config.fhir.tenants.some(({ id }) => id === tenant)) {
      throw fieldInvalid('tenant', 'representation-tenant-unknown');
    }
    if (!known) throw fieldInvalid('basis', 'representation-basis-unknown');
    if (!relation) throw fieldInvalid('relation', 'representation-relation-unknown');
    this.rules.givenLevel(basis, level);
    if (account?.fhirUser === `Patient/${patient}`) throw fieldInvalid('patient', 'representation-oneself');
    const record = await this.records.forPatient({ tenant, patient }, new Date());
    if (!('facts' in record)) {
      if (record.cause === 'record-gone') throw fieldInvalid('patient', 'representation-patient-unknown');
      throw new Problem('unavailable', message('fhir-server-unavailable'));
    }
    await this.assertRelated(asked);
    return { account, relation: relation.id, patientName: record.facts.name };
  }

  /** An administrator is told at once: the approval of a second one would be refused. */
  private async isActing(accountId: string, { tenant, patient }: PatientKey): Promise<boolean> {
    const own = await this.relationships.ofAccount(accountId);
    return own.some((one) => one.tenant === tenant && one.patient === patient && liveStatuses.includes(one.status));
  }

  /** The resource by which apps know the representative must not be that of another patient's. */
  private async assertRelated({ tenant, patient, relatedPerson }: ProposeRelationshipRequest): Promise<void> {
    if (relatedPerson === undefined) return;
    if (!(await this.records.hasRelated({ tenant, patient }, relatedPerson)))
      throw fieldInvalid('relatedPerson', 'representation-reference-other');
  }

  /** Undefined for an address without an account. Throws `not-found` for an id without one. */
  private async accountOf(asked: ProposeRelationshipRequest): Promise<UserFacts | undefined> {
    const { email, tenant } = asked;
    if (asked.account === undefined && email === undefined) {
      throw Problem.invalid([{ field: 'email', messages: [fieldRequired] }]);
    }
    const id = asked.account ?? (await this.accounts.idOf(email ?? ''));
    const account = id === undefined ? undefined : await this.accounts.findById(id);
    if (!account) {
      if (asked.account !== undefined) throw new Problem('not-found', message('user-gone'));
      return undefined;
    }
    if (account.userType !== 'Patient' && account.userType !== 'RelatedPerson') {
      throw fieldInvalid('email', 'representation-second-account');
    }
    const tenants = account.claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
    const isTheirs = tenant === undefined ? tenants.length === 0 : tenants.includes(tenant);
    if (!isTheirs) throw fieldInvalid('tenant', 'representation-other-tenant');
    return account;
  }

  /** The RelatedPerson or Person of a proposal belongs to its account from then on. */
  private async nameReference(accountId: string, asked: ProposeRelationshipRequest): Promise<void> {
    const references = asked.relatedPerson === undefined ? [] : [asked.relatedPerson];
    if (references.length === 0) return;
    const taken = await this.relationships.nameReferences(accountId, asked.tenant, { references, isWhole: false });
    if (taken !== undefined) throw fieldInvalid('relatedPerson', 'representation-reference-taken');
  }

  private newAccount({ email = '', fullName = '', tenant }: ProposeRelationshipRequest) {
    return this.invitations.inviteRepresentative({ email, fullName, tenant });
  }

  private assertPeriod({ tenant, start, end }: ProposeRelationshipRequest): void {
    const today = dayIn(new Date(), this.rules.timeZone(tenant));
    if (end !== undefined && end < today) throw fieldInvalid('end', 'representation-period-past');
    if (start !== undefined && end !== undefined && end < start) {
      throw fieldInvalid('end', 'representation-period-order');
    }
  }
}
