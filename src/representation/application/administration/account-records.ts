import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import type {
  LinkPatientRecordRequest,
  NameReferencesRequest,
} from '../../../contract/representation/administration.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { log } from '../../../platform/logging/log.js';
import { UserDirectory, type UserFacts } from '../../../users/application/user-directory.js';
import { UserManagement } from '../../../users/application/user-management.js';
import { fieldInvalid, liveStatuses, openStatuses } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import type { Decider } from '../deciders.js';
import { RelationshipSides } from '../relationship-sides.js';
import { AgeRules } from './age-rules.js';

/** RelatedPerson and Person resources that an identity provider names, at a tenant. */
export interface ProvidedReferences {
  tenant: string | undefined;
  references: readonly string[];
}

/** The records of the FHIR server that administrators and identity providers give an account. */
@Injectable()
export class AccountRecords {
  constructor(
    private readonly relationships: Relationships,
    private readonly accounts: UserDirectory,
    private readonly management: UserManagement,
    private readonly sides: RelationshipSides,
    private readonly ageRules: AgeRules,
    private readonly config: Config,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Links a patient record to an account that only acts for others: it becomes the account of a patient, and its
   * relationships stay. Throws `invalid` at `patient` for a record that is not there, or for which the account acts.
   */
  async linkRecord(accountId: string, { patient, note }: LinkPatientRecordRequest): Promise<void> {
    const account = await this.accountOf(accountId);
    const tenants = account.claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
    const keys = (tenants.length === 0 ? [undefined] : tenants).map((tenant) => ({ tenant, patient }));
    for (const key of keys) await this.ageRules.readRecord(key);
    const own = await this.relationships.ofAccount(accountId);
    const isActedFor = own.some(
      (one) => one.patient === patient && [...liveStatuses, ...openStatuses].includes(one.status),
    );
    if (isActedFor) throw fieldInvalid('patient', 'representation-acts-for-record');
    try {
      await this.management.linkPatientRecord(accountId, { patient, note });
    } catch (error) {
      const [item] = error instanceof Problem && error.kind === 'invalid' ? (error.options.items ?? []) : [];
      throw item ? Problem.invalid([{ ...item, field: 'patient' }]) : error;
    }
  }

  /**
   * Names the RelatedPerson and Person resources of an account at a tenant. Throws `invalid` for one that another
   * account has, and `forbidden` for an administrator's own account.
   */
  async nameReferences(accountId: string, { tenant, references }: NameReferencesRequest, by: Decider): Promise<void> {
    const { fullName } = await this.accountOf(accountId);
    // With `representation.source: server` a reference decides for whom the account acts.
    const sides = { tenant, patient: undefined, patientName: '', accountId, representativeName: fullName };
    await this.sides.assertOther(sides, by);
    await this.database.transaction(async () => {
      const taken = await this.relationships.nameReferences(accountId, tenant, { references, isWhole: true });
      if (taken !== undefined) throw fieldInvalid('references', 'representation-reference-taken');
      const detail = { tenant, references };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', userId: accountId, detail });
    });
  }

  /** True where accounts act for patients. */
  get isOn(): boolean {
    return this.config.representation !== undefined;
  }

  /**
   * Names what the identity provider says at a sign-in, in place of what was named before. A resource that another
   * account has stays with that one.
   */
  async nameByProvider(accountId: string, provided: readonly ProvidedReferences[]): Promise<void> {
    if (!this.isOn) return;
    const before = await this.relationships.referencesOf(accountId);
    for (const { tenant, references } of provided) {
      const known = before.filter((one) => one.tenant === tenant).map(({ reference }) => reference);
      if (known.join() === references.toSorted().join()) continue;
      await this.nameFree(accountId, tenant, references);
    }
  }

  private async nameFree(accountId: string, tenant: string | undefined, wanted: readonly string[]): Promise<void> {
    const references = [...wanted];
    await this.database.transaction(async () => {
      for (;;) {
        const taken = await this.relationships.nameReferences(accountId, tenant, { references, isWhole: true });
        if (taken === undefined) break;
        log.warn({ account: accountId, tenant, taken }, 'an identity provider names a resource of another account');
        references.splice(references.indexOf(taken), 1);
      }
      const detail = { tenant, references, by: 'identity-provider' };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', userId: accountId, detail });
    });
  }

  private async accountOf(id: string): Promise<UserFacts> {
    const account = await this.accounts.findById(id);
    if (!account || account.userType === 'Admin') throw new Problem('not-found', message('user-gone'));
    return account;
  }
}
