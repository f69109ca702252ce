import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Configuration } from 'oidc-provider';
import { Config } from '../../../platform/config/config.js';
import { SigningKeys } from '../keys/signing-keys.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { installResourceParameter, RequestedBases } from '../shared/requested-base.js';
import { scopeGrants } from './scope-grants.js';
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
    servers: ServersOfScopes,
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
}
