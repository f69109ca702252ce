import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { Config } from '../../platform/config/config.js';
import {
  type AddressedAccount,
  RecordAddresses,
  UserDirectory,
  type UserFacts,
} from '../../users/application/user-directory.js';
import { Blocks, type Identity, identitiesOf } from '../domain/blocks.js';
import { ownRecordsOf, type PatientKey } from '../domain/patient-facts.js';
import type { Relationship } from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';

/** A user who acts or would act for a patient, as far as the user is known. */
interface Representative {
  accountId: string | null;
  /** Address of one who has no account yet. */
  email?: string | null | undefined;
  /** `RelatedPerson/{id}` or `Person/{id}`. */
  relatedPerson: string | null;
}

/** Accounts of representatives, the blocks of their pairs, and the apps that act for them. */
@Injectable()
export class Representatives implements OnModuleInit {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly clients: RegisteredClients,
    private readonly blocks: Blocks,
    private readonly relationships: Relationships,
    private readonly addresses: RecordAddresses,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    if (this.config.representation) this.addresses.decidedBy((account) => this.isOwnAddress(account));
  }

  /** Keeps the pair from becoming active again, in the caller's transaction. */
  async block(relationship: Relationship): Promise<void> {
    await this.blocks.add(relationship, await this.identitiesOf(relationship, relationship), relationship.id);
  }

  /** True if the representative may not act for the patient, because another relationship ended for safeguarding. */
  async isBlocked(patient: PatientKey, representative: Representative): Promise<boolean> {
    return this.blocks.isBlocked(patient, await this.identitiesOf(patient, representative));
  }

  /** As {@link Blocks.lift}. What the blocks of other ends know the user by as well stays blocked. */
  async liftBlock(relationship: Relationship, administrator: string): Promise<'asked' | 'lifted' | undefined> {
    const done = await this.blocks.lift(relationship.id, administrator);
    if (done !== 'lifted') return done;
    const all = await this.relationships.ofPatient(relationship);
    const blocking = await this.blocks.ofRelationships(all.map(({ id }) => id));
    for (const other of all) if (blocking.has(other.id)) await this.block(other);
    return done;
  }

  async accountOf({ accountId }: Pick<Relationship, 'accountId'>): Promise<UserFacts | undefined> {
    return accountId === null ? undefined : this.accounts.findById(accountId);
  }

  /** True if the patient's own account has the address of the representative's. */
  async hasAddressOfPatient({ tenant, patient }: PatientKey, email: string | null): Promise<boolean> {
    const own = email === null ? [] : await this.accounts.withRecord(`Patient/${patient}`, tenant);
    return own.some((one) => one.email?.toLowerCase() === email?.trim().toLowerCase());
  }

  async appOf(clientId: string) {
    return (await this.clients.findByClientId(clientId)) ?? { clientId, clientName: clientId };
  }

  /** False if a patient and one who acts or acted for the patient would have the same address. */
  private async isOwnAddress({ id, email, fhirUser, claims }: AddressedAccount): Promise<boolean> {
    for (const key of ownRecordsOf({ fhirUser, claims })) {
      if (await this.relationships.hasAddress(key, email)) return false;
    }
    return !(await this.relationships.isAddressOfPatient(id, email));
  }

  /** With the address and the resources that the account has at the patient's tenant. */
  private async identitiesOf({ tenant }: PatientKey, representative: Representative): Promise<Identity[]> {
    const { accountId, email = null, relatedPerson } = representative;
    const account = await this.accountOf(representative);
    const all = account ? await this.relationships.referencesOf(account.id) : [];
    const own = all.filter((one) => one.tenant === tenant).map(({ reference }) => reference);
    return [
      ...identitiesOf({ accountId, email: account?.email ?? email, relatedPerson }),
      ...own.flatMap((reference) => identitiesOf({ accountId: null, email: null, relatedPerson: reference })),
    ];
  }
}
