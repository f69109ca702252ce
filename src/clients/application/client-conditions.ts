import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type {
  ClientFormConditions,
  ClientIdentityProvider,
  ResourceTypeGroup,
} from '../../contract/clients/client-conditions.js';
import { message } from '../../contract/messages/message.js';
import { smartSubjects } from '../../contract/rules/client-values.js';
import { patientCompartmentTypes } from '../../contract/rules/scopes/patient-compartment.js';
import { parseScope } from '../../contract/rules/scopes/smart-scope.js';
import { FhirServerStatus } from '../../fhir-server/application/fhir-server-status.js';
import { Config } from '../../platform/config/config.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import type { ClientContext } from '../domain/client.js';

/** Under which conditions clients are made and changed. */
@Injectable()
export class ClientConditions {
  constructor(
    private readonly secrets: Secrets,
    private readonly fhirServer: FhirServerStatus,
    private readonly config: Config,
  ) {}

  context(): ClientContext {
    return {
      environment: {
        identityProviders: this.config.identityProviders.map(({ scheme }) => scheme),
        externalLoginRestricted: this.config.account.restrictExternalLogin,
        operationScopesLoaded: true,
        resourceTypeGroups: this.resourceTypeGroups(),
        served: this.config.gateway.enabled ? {} : undefined,
      },
      now: new Date(),
      newId: randomUUID,
      hash: (secret) => this.secrets.hmac('client-secrets', secret),
    };
  }

  /**
   * Editing clients needs the resource types and operations of the FHIR server (`spec §6`); those known serve while it
   * cannot be asked.
   */
  refuseWithoutFhirServer(): void {
    const { isAllDataLoaded } = this.fhirServer.status();
    if (this.fhirServer.capabilitiesServe()) return;
    throw new Problem(
      'unavailable',
      isAllDataLoaded ? message('fhir-server-lost') : message('fhir-server-disconnected'),
    );
  }

  /** The resource types that the FHIR server serves; empty until its CapabilityStatement was read. */
  resourceTypes(): string[] {
    return this.fhirServer.resourceTypes() ?? [];
  }

  /** The groups of resource types that the FHIR server serves; a group without a served type is left out. */
  resourceTypeGroups(): ResourceTypeGroup[] {
    const served = new Set(this.resourceTypes());
    const groups = [
      { name: 'Patient compartment', resourceTypes: patientCompartmentTypes },
      { name: 'US Core', resourceTypes: this.fhirServer.usCoreTypes() },
      ...this.config.fhir.resourceTypeGroups,
    ];
    return groups
      .map(({ name, resourceTypes }) => ({ name, resourceTypes: resourceTypes.filter((type) => served.has(type)) }))
      .filter(({ resourceTypes }) => resourceTypes.length > 0);
  }

  /** Each operation that the FHIR server offers, as the scopes that allow it; empty until it was asked. */
  operationScopes(): string[] {
    const scopes = this.fhirServer
      .operations()
      .flatMap(({ name, type }) => smartSubjects.map((subject) => `${subject}/${type ?? '*'}.$${name}`));
    return [...new Set(scopes)].filter((scope) => parseScope(scope)?.kind === 'operation').sort();
  }

  identityProviders(): ClientIdentityProvider[] {
    return this.config.identityProviders.map(({ scheme, displayName }) => ({ scheme, displayName }));
  }

  formConditions(): ClientFormConditions {
    return {
      externalLoginRestricted: this.config.account.restrictExternalLogin,
      enforcesScopes: this.config.gateway.enabled,
      tenants: this.config.fhir.tenants.map(({ id, name }) => ({ id, name })),
    };
  }
}
