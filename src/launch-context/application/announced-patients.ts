import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EhrLaunches } from '../../oidc/domain/ehr-launches.js';
import type { EhrContext } from '../../oidc/domain/launch.js';
import { log } from '../../platform/logging/log.js';
import { Candidates } from './candidates.js';

/**
 * Limits the patients for whom an EHR can launch an app: a practitioner gets no patient by it whom they could not
 * choose themselves.
 */
@Injectable()
export class AnnouncedPatients implements OnModuleInit {
  constructor(
    private readonly candidates: Candidates,
    private readonly launches: EhrLaunches,
  ) {}

  onModuleInit(): void {
    this.launches.limitBy((context, practitioner, tenant) =>
      this.mayOpen(context, practitioner, tenant).catch((err: unknown) => {
        log.warn({ err }, 'practitioner panel check failed for EHR launch');
        return false;
      }),
    );
  }

  /** `practitioner` is `Practitioner/…`. Throws `FhirServerFailure` while the FHIR server does not say. */
  async mayOpen(context: EhrContext, practitioner: string, tenant: string | undefined): Promise<boolean> {
    const candidates = this.candidates.forTenant(tenant);
    if (!candidates.areLimited) return true;
    const { patient, encounter, fhirContext } = context;
    // Without a patient these cannot be attributed to one.
    if (patient === undefined) return encounter === undefined && fhirContext === undefined;
    return candidates.isInPanel(patient, practitioner);
  }
}
