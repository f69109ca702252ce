import { Injectable } from '@nestjs/common';
import { FhirServers } from '../../../fhir-server/application/fhir-servers.js';
import { Config } from '../../../platform/config/config.js';
import type { FhirBase } from '../../../platform/config/fhir-bases.js';
import type { ScopeServers } from '../../domain/scope-narrowing.js';

/** Tells which scopes can be granted for requests to a FHIR base, so far as it does not depend on the client. */
@Injectable()
export class ServersOfScopes {
  constructor(
    private readonly servers: FhirServers,
    private readonly config: Config,
  ) {}

  /** For new requests: the types and operations are those of the last CapabilityStatement. */
  forRequest({ tenant }: FhirBase): ScopeServers {
    const { fhir, gateway } = this.config;
    const served = gateway.enabled ? this.servers.forTenant(tenant?.id).status.served() : undefined;
    return { specialScopes: fhir.specialScopes, served };
  }
}

/** For tokens of what was granted before, from which nothing is taken because a FHIR server lacks it for a time. */
export function serversOfTokens({ fhir, gateway }: Config): ScopeServers {
  return { specialScopes: fhir.specialScopes, served: gateway.enabled ? {} : undefined };
}
