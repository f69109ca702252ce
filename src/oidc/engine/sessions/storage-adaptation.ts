import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Configuration } from 'oidc-provider';
import { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Config } from '../../../platform/config/config.js';
import { clientMetadata } from '../clients/client-metadata.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { lifetimes } from '../shared/lifetimes.js';
import { adapterFactory } from './adapter.js';
import { installSessionStorage } from './session-storage.js';
import { installChangesOnly } from './stored-changes.js';

/** Storage of the engine's models: by hash, single use as one statement, changes member by member. */
@Injectable()
export class StorageAdaptation implements EngineAdaptation {
  constructor(
    private readonly records: OidcRecords,
    private readonly revocations: Revocations,
    private readonly clients: RegisteredClients,
    private readonly config: Config,
  ) {}

  configuration(): Configuration {
    return {
      adapter: adapterFactory(this.records, this.revocations, async (clientId) => {
        const client = await this.clients.findByClientId(clientId);
        return client && clientMetadata(client, this.config.keys.idTokenAlgorithm);
      }),
      ttl: lifetimes(this.config),
    };
  }

  install(provider: Provider): void {
    installSessionStorage(provider, this.records, this.revocations);
    installChangesOnly(provider, this.records, this.revocations);
  }
}
