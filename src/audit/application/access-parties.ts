import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { message } from '../../contract/messages/message.js';
import type { NamedAccessor } from '../../contract/own-record/access-log.js';
import { ownRecord } from '../../oidc/domain/launch.js';
import { belongsTo } from '../../oidc/domain/membership.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { Problem } from '../../platform/errors.js';
import { NamedRepresentatives } from '../../representation/application/named-representatives.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import type { LogPatient } from '../domain/access-log.js';

/** The patient of an access log, and the apps and users who accessed the record, by their present names. */
@Injectable()
export class AccessParties {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly representatives: NamedRepresentatives,
    private readonly config: Config,
  ) {}

  /**
   * The record of a signed-in patient, on the FHIR servers of the account; undefined for an account without one. With
   * `patient`, `Patient/{id}`, that of a patient for whom the user acts or acted, with the user's own accesses alone.
   * Throws `invalid` if patients of several tenants have the id.
   */
  async patientOf(
    accountId: string,
    { patient: reference, tenant }: { patient?: string | undefined; tenant?: string | undefined } = {},
  ): Promise<LogPatient | undefined> {
    const account = await this.accounts.findById(accountId);
    const patient = ownRecord(account?.fhirUser);
    const isOther = reference !== undefined && reference !== `Patient/${patient}`;
    if (isOther || tenant !== undefined) return this.representedBy(accountId, reference ?? '', tenant);
    if (!account || patient === undefined) return undefined;
    const own = fhirBasesOf(this.config).filter((base) => belongsTo(account, base));
    const hidesRepresentatives = await this.representatives.areHiddenFrom(
      own.map(({ tenant }) => ({ tenant: tenant?.id, patient })),
    );
    return {
      accountId,
      patient,
      tenants: own.map(({ tenant }) => tenant?.id ?? null),
      ...(hidesRepresentatives && { hidesRepresentatives }),
    };
  }

  private async representedBy(
    accountId: string,
    reference: string,
    tenant: string | undefined,
  ): Promise<LogPatient | undefined> {
    const patient = reference.replace(/^Patient\//, '');
    const found = await this.representatives.idsOf(accountId, patient);
    const all = found.filter((one) => tenant === undefined || one.tenant === tenant);
    if (all.length === 0) return undefined;
    const tenants = [...new Set(all.map((one) => one.tenant ?? null))];
    if (tenants.length > 1) throw Problem.invalid([{ field: 'tenant', messages: [message('value-invalid')] }]);
    return { accountId, patient, tenants, onlyBy: all.map(({ id }) => id) };
  }

  /** Ids of all relationships with the patient of a log; none for one who is too young, and for a representative. */
  async relationshipsOf({ patient, tenants, hidesRepresentatives, onlyBy }: LogPatient): Promise<string[]> {
    if (hidesRepresentatives || onlyBy) return [];
    const keys = tenants.map((tenant) => ({ tenant: tenant ?? undefined, patient }));
    return this.representatives.idsFor(keys);
  }

  /** The words of a relationship, and of the level with this id; from what was stored with it. */
  async namesOfRelationship(id: string, level: string | null) {
    const found = await this.representatives.find(id, level ?? undefined);
    return {
      representative: found?.name ?? '',
      relation: found?.relation ?? '',
      level: level === null ? null : (found?.level ?? level),
      ...(level !== null && found?.kinds && { levelKinds: found.kinds }),
    };
  }

  /** Name and relation of the user of a visit who acted for the patient. */
  async nameOfRepresentative(relationship: string, userId: string): Promise<NamedAccessor & { relation: string }> {
    const found = await this.representatives.find(relationship);
    if (found) return { id: userId, name: found.name, relation: found.relation };
    return { ...(await this.nameOfUser(userId)), relation: '' };
  }

  async nameOfClient(id: string): Promise<NamedAccessor> {
    const client = await this.clients.findByClientId(id);
    return { id, name: client ? client.clientName || id : null };
  }

  async nameOfUser(id: string): Promise<NamedAccessor> {
    return { id, name: (await this.accounts.findById(id))?.fullName ?? null };
  }
}
