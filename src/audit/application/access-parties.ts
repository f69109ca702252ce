import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import type { NamedAccessor } from '../../contract/own-record/access-log.js';
import { ownRecord } from '../../oidc/domain/launch.js';
import { belongsTo } from '../../oidc/domain/membership.js';
import { Config } from '../../platform/config/config.js';
import { fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import type { LogPatient } from '../domain/access-log.js';

/** The patient of an access log, and the apps and users who accessed the record, by their present names. */
@Injectable()
export class AccessParties {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly config: Config,
  ) {}

  /** The record of a signed-in patient, on the FHIR servers of the account; undefined for an account without one. */
  async patientOf(accountId: string): Promise<LogPatient | undefined> {
    const account = await this.accounts.findById(accountId);
    const patient = ownRecord(account?.fhirUser);
    if (!account || patient === undefined) return undefined;
    const own = fhirBasesOf(this.config).filter((base) => belongsTo(account, base));
    return { accountId, patient, tenants: own.map(({ tenant }) => tenant?.id ?? null) };
  }

  async nameOfClient(id: string): Promise<NamedAccessor> {
    const client = await this.clients.findByClientId(id);
    return { id, name: client ? client.clientName || id : null };
  }

  async nameOfUser(id: string): Promise<NamedAccessor> {
    return { id, name: (await this.accounts.findById(id))?.fullName ?? null };
  }
}
