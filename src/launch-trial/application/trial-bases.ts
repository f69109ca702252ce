import { Injectable } from '@nestjs/common';
import type { ClientView } from '../../contract/clients/clients.js';
import type { TrialBase } from '../../contract/clients/launch-trial.js';
import { NamedPatients } from '../../launch-context/application/named-patients.js';
import { Config } from '../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { Problem } from '../../platform/errors.js';

/** The FHIR bases of trials, with their test patients. */
@Injectable()
export class TrialBases {
  private readonly all: readonly FhirBase[];

  constructor(
    private readonly patients: NamedPatients,
    config: Config,
  ) {
    this.all = fhirBasesOf(config);
  }

  /** The bases that the client may use. */
  ofClient({ allowedTenants }: Pick<ClientView, 'allowedTenants'>): readonly FhirBase[] {
    return this.all.filter(
      ({ tenant }) => allowedTenants.length === 0 || (tenant !== undefined && allowedTenants.includes(tenant.id)),
    );
  }

  /** Names the test patients, as far as the FHIR servers answer. */
  async describe(client: Pick<ClientView, 'allowedTenants'>): Promise<TrialBase[]> {
    return Promise.all(
      this.ofClient(client).map(async ({ tenant, testPatients }) => ({
        tenant: tenant?.id ?? null,
        name: tenant?.name ?? null,
        patients: await Promise.all(
          testPatients.map(async (id) => ({
            id,
            name: await this.nameOf(id, tenant?.id).catch(undefinedIfUnavailable),
          })),
        ).then((patients) => patients.map(({ id, name }) => ({ id, name: name ?? null }))),
      })),
    );
  }

  /** Throws `unavailable` while the patient cannot be read. */
  async nameOf(patient: string, tenant: string | undefined): Promise<string | undefined> {
    const launch = { chosen: [{ type: 'Patient', id: patient }] };
    return (await this.patients.forRequest({ tenant, launch }))?.name;
  }
}

function undefinedIfUnavailable(error: unknown): undefined {
  if (!(error instanceof Problem) || error.kind !== 'unavailable') throw error;
}
