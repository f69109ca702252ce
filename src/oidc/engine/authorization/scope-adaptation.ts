import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Configuration } from 'oidc-provider';
import type { ClientSettings } from '../../../contract/clients/client-settings.js';
import { Config } from '../../../platform/config/config.js';
import { SigningKeys } from '../keys/signing-keys.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { installResourceParameter, RequestedBases } from '../shared/requested-base.js';
import { grantedToService, isFor, scopeGrants } from './scope-grants.js';
import { ScopeNotes } from './scope-notes.js';
import { ServersOfScopes } from './scope-servers.js';

/** The scopes of requests, and the FHIR bases that they are for. */
@Injectable()
export class ScopeAdaptation implements EngineAdaptation {
  readonly resources: ReturnType<typeof scopeGrants>;

  constructor(
    keys: SigningKeys,
    private readonly bases: RequestedBases,
    notes: ScopeNotes,
    private readonly servers: ServersOfScopes,
    config: Config,
  ) {
    this.resources = scopeGrants(keys, bases, { config, notes, servers });
  }

  configuration(): Configuration {
    return { features: { resourceIndicators: this.resources } };
  }

  install(provider: Provider): void {
    installResourceParameter(provider, this.bases);
  }

  /** True if a service with these settings gets some of the scopes, for the first FHIR base. */
  areForService(asked: string, settings: ClientSettings): boolean {
    const [base] = this.bases.all;
    return isFor(settings, base) && grantedToService(asked, settings, this.servers.forRequest(base)).granted.length > 0;
  }
}
