import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { FhirServers } from '../../fhir-server/application/fhir-servers.js';
import { Interactions, type PendingRequest } from '../../oidc/application/interactions.js';
import { Problem } from '../../platform/errors.js';
import type { UserFacts } from '../../users/application/user-directory.js';
import { Candidates } from './candidates.js';
import { contextTypesToChoose } from './context-types.js';

/** Refuses sign-ins that need FHIR data before the FHIR server has been read once. */
@Injectable()
export class FhirAvailabilityCheck {
  constructor(
    private readonly interactions: Interactions,
    private readonly candidates: Candidates,
    private readonly servers: FhirServers,
  ) {}

  /**
   * Throws `unavailable` (`spec §8` Login 503) when this user, with the app's request behind `returnUrl`, would have
   * to choose among records that cannot be loaded yet. No other user is kept waiting, an administrator least of all
   * (security F-16).
   */
  async assertAvailable(account: UserFacts, request: PendingRequest): Promise<void> {
    const asked = await this.interactions.askedFor(request, account);
    if (!asked) return;
    if (!this.isWaitedFor(asked.tenant)) return;
    if (contextTypesToChoose(asked, this.candidates.forTenant(asked.tenant)).length === 0) return;
    throw new Problem('unavailable', message('records-unreachable-yet'));
  }

  /**
   * True while the FHIR server of this tenant has not been read. Without a configured server there is nothing to wait
   * for.
   */
  isWaitedFor(tenant: string | undefined): boolean {
    const { firelyServerUrl, isAllDataLoaded } = this.servers.forTenant(tenant).status.status();
    return !isAllDataLoaded && firelyServerUrl !== null;
  }
}
