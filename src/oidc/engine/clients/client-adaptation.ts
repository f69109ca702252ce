import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Client, Configuration } from 'oidc-provider';
import { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { profileSigningAlgorithm } from '../../../platform/config/signing-algorithms.js';
import { dpopAlgorithms } from '../../domain/access-tokens.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { clockToleranceSeconds } from '../shared/lifetimes.js';
import {
  assertClientAssertion,
  clientAlgorithms,
  installClientAuthentication,
  isPublic,
  noteKeyUse,
} from './client-authentication.js';
import { RemoteKeySets } from './remote-key-sets.js';
import { SecretGuesses } from './secret-guesses.js';
import { installCodesOfProfile } from './security-profile.js';

/** Clients with several secrets and keys, and how they authenticate. */
@Injectable()
export class ClientAdaptation implements EngineAdaptation {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly records: OidcRecords,
    private readonly remoteKeys: RemoteKeySets,
    private readonly guesses: SecretGuesses,
    private readonly config: Config,
  ) {}

  configuration(): Configuration {
    const signing = [...new Set([this.config.keys.idTokenAlgorithm, profileSigningAlgorithm])];
    return {
      allowOmittingSingleRegisteredRedirectUri: false,
      clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      enabledJWA: {
        clientAuthSigningAlgValues: [...clientAlgorithms],
        dPoPSigningAlgValues: dpopAlgorithms as never,
        idTokenSigningAlgValues: signing,
        authorizationSigningAlgValues: signing,
        introspectionSigningAlgValues: signing,
        requestObjectSigningAlgValues: [...clientAlgorithms],
      },
      clockTolerance: clockToleranceSeconds,
      assertJwtClientAuthClaimsAndHeader: ((...[ctx, claims, header]: Parameters<typeof assertClientAssertion>) => {
        assertClientAssertion(ctx, claims, header);
        if (ctx.oidc.client) noteKeyUse(ctx.oidc.client, header, this.clients, this.remoteKeys);
      }) as never,
      extraClientMetadata: { properties: ['gatehouse'], validator: () => undefined },
      pkce: { required: (_ctx, client) => isPublic(client) || gatehouseClient(client).settings.requirePkce },
      clientBasedCORS: (_ctx, origin, client) => mayCallFrom(origin, client),
    };
  }

  install(provider: Provider): void {
    installCodesOfProfile(provider);
    installClientAuthentication(provider, this.records, this.remoteKeys, this.clients, this.guesses);
  }
}

/** A browser may use the client from the origins of its redirect URIs. */
function mayCallFrom(origin: string, client: Client): boolean {
  // The origin of an app's own scheme is `null`, as is that of any sandboxed page.
  const origins = (client.redirectUris ?? []).filter((uri) => /^https?:/i.test(uri)).map((uri) => new URL(uri).origin);
  if (origins.includes(origin)) return true;
  if (!gatehouseClient(client).settings.allowedGrantTypes.includes('authorization_code')) {
    note('token-origin-of-service', { origin });
  } else if (origin === 'null') note('token-origin-hidden');
  else note('token-origin', { origin, registered: [...new Set(origins)].join(', ') || 'addresses of no web page' });
  return false;
}
