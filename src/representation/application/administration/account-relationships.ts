import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import type {
  AccountRelationships as AccountRelationshipsView,
  AdministeredRelationship,
  LinkPatientRecordRequest,
  NameReferencesRequest,
} from '../../../contract/representation/administration.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { UserDirectory, type UserFacts } from '../../../users/application/user-directory.js';
import { UserManagement } from '../../../users/application/user-management.js';
import { Blocks } from '../../domain/blocks.js';
import { fieldInvalid, liveStatuses, openStatuses, type Relationship } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { ownRecordsOf } from '../own-relationships.js';
import { viewOf } from '../relationship-list.js';
import { AgeRules } from './age-rules.js';

/** Both sides of an account as administrators see them, and the patient record that it gets. */
@Injectable()
export class AccountRelationships {
  constructor(
    private readonly relationships: Relationships,
    private readonly blocks: Blocks,
    private readonly accounts: UserDirectory,
    private readonly management: UserManagement,
    private readonly ageRules: AgeRules,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** Throws `not-found` for an account that is not there. */
  async list(accountId: string): Promise<AccountRelationshipsView> {
    const account = await this.accountOf(accountId);
    const records = ownRecordsOf(account);
    const [actsFor, helpers] = await Promise.all([
      this.relationships.ofAccount(accountId),
      Promise.all(records.map((key) => this.relationships.ofPatient(key))),
    ]);
    return {
      actsFor: await this.administered(actsFor),
      helpers: await this.administered(helpers.flat()),
      records: records.map(({ tenant = null, patient }) => ({ tenant, patient })),
      references: (await this.relationships.referencesOf(accountId)).map(({ tenant = null, reference }) => ({
        ...{ tenant, reference },
      })),
    };
  }

  /**
   * Links a patient record to an account that only acts for others: it becomes the account of a patient, and its
   * relationships stay. Throws `invalid` at `patient` for a record that is not there, or for which the account acts.
   */
  async linkRecord(accountId: string, { patient, note }: LinkPatientRecordRequest): Promise<void> {
    const account = await this.accountOf(accountId);
    const tenants = account.claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
    const keys = (tenants.length === 0 ? [undefined] : tenants).map((tenant) => ({ tenant, patient }));
    for (const key of keys) await this.ageRules.assertRecord(key);
    const own = await this.relationships.ofAccount(accountId);
    const isActedFor = own.some(
      (one) => one.patient === patient && [...liveStatuses, ...openStatuses].includes(one.status),
    );
    if (isActedFor) throw fieldInvalid('patient', 'representation-acts-for-record');
    await this.management.linkPatientRecord(accountId, { patient, note });
  }

  /**
   * Names the RelatedPerson and Person resources of an account at a tenant. Throws `invalid` for one that another
   * account has.
   */
  async nameReferences(accountId: string, { tenant, references }: NameReferencesRequest): Promise<void> {
    await this.accountOf(accountId);
    await this.database.transaction(async () => {
      const taken = await this.relationships.nameReferences(accountId, tenant, { references, isWhole: true });
      if (taken !== undefined) throw fieldInvalid('references', 'representation-reference-taken');
      const detail = { tenant, references };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', userId: accountId, detail });
    });
  }

  private async accountOf(id: string): Promise<UserFacts> {
    const account = await this.accounts.findById(id);
    if (!account || account.userType === 'Admin') throw new Problem('not-found', message('user-gone'));
    return account;
  }

  private async administered(all: Relationship[]): Promise<AdministeredRelationship[]> {
    const blocks = await this.blocks.ofRelationships(all.map(({ id }) => id));
    const views = all.map(async (one) => ({
      ...viewOf(one),
      table: await this.ageRules.stateFor(one),
      block: blocks.get(one.id) ?? ('none' as const),
    }));
    return (await Promise.all(views)).toSorted(byUrgency);
  }
}

const order: readonly string[] = ['proposed', 'more-needed', 'suspended', 'active'];

/** What needs an answer first, ended ones last, the latest of them first. */
function byUrgency(one: AdministeredRelationship, other: AdministeredRelationship): number {
  const rank = ({ status }: AdministeredRelationship) => (order.includes(status) ? order.indexOf(status) : 9);
  return rank(one) - rank(other) || (other.endedAt ?? '').localeCompare(one.endedAt ?? '');
}
