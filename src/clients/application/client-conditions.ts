import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FhirServerStatus } from '../../fhir-server/application/fhir-server-status.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import type { ClientSurroundings } from '../domain/client.js';

/** `spec §8` Server banners. */
export const fhirServerDisconnected =
  'The FHIR server is disconnected. Please follow the instructions to set it up before editing clients.';
export const fhirServerLost =
  'Connection to the FHIR server is lost. Please keep in mind that your data may be outdated.';

/** Under which conditions clients are made and changed. */
@Injectable()
export class ClientConditions {
  constructor(
    private readonly secrets: Secrets,
    private readonly fhirServer: FhirServerStatus,
  ) {}

  surroundings(): ClientSurroundings {
    return {
      // External providers cannot be configured: every client signs its users in here.
      environment: { identityProviders: [], externalLoginRestricted: false, operationScopesLoaded: true },
      now: new Date(),
      newId: randomUUID,
      hash: (secret) => this.secrets.hmac('client-secrets', secret),
    };
  }

  /** Editing clients needs the FHIR server, whose resource types and operations they are about (`spec §6`). */
  refuseWithoutFhirServer(): void {
    const { isFirelyServerAvailable, isAllDataLoaded } = this.fhirServer.status();
    if (isFirelyServerAvailable) return;
    throw new Problem('unavailable', isAllDataLoaded ? fhirServerLost : fhirServerDisconnected);
  }

  /** What the FHIR server serves; empty until it was asked. */
  resourceTypes(): string[] {
    return this.fhirServer.resourceTypes() ?? [];
  }
}
