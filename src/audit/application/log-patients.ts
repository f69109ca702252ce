import { Injectable } from '@nestjs/common';
import { ownRecord } from '../../oidc/domain/launch.js';
import { belongsTo } from '../../oidc/domain/membership.js';
import { Config } from '../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import type { LogPatient } from '../domain/access-log.js';

/** Finds the record of a signed-in patient in the FHIR servers that the account belongs to. */
@Injectable()
export class LogPatients {
  private readonly bases: FhirBase[];

  constructor(
    private readonly accounts: UserDirectory,
    config: Config,
  ) {
    this.bases = fhirBasesOf(config);
  }

  /** Undefined for an account without a record. */
  async forAccount(accountId: string): Promise<LogPatient | undefined> {
    const account = await this.accounts.findById(accountId);
    const patient = ownRecord(account?.fhirUser);
    if (!account || patient === undefined) return undefined;
    const own = this.bases.filter((base) => belongsTo(account, base));
    return { accountId, patient, tenants: own.map(({ tenant }) => tenant?.id ?? null) };
  }
}
