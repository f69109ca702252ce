import { Injectable } from '@nestjs/common';
import type { Configuration } from 'oidc-provider';
import { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { acrValues } from '../../../contract/rules/acr.js';
import { PausedApps } from '../../../oidc-store/infrastructure/paused-apps.js';
import { Config } from '../../../platform/config/config.js';
import { UserDirectory } from '../../../users/application/user-directory.js';
import { findAccount } from '../shared/accounts-for-engine.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { RequestedBases } from '../shared/requested-base.js';
import { claimsByScope } from '../shared/standard-claims.js';
import { introspectionPolicy } from './introspection.js';

/** Facts about users and tokens that clients may ask for, and revocation. */
@Injectable()
export class IntrospectionAdaptation implements EngineAdaptation {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly bases: RequestedBases,
    private readonly paused: PausedApps,
    private readonly config: Config,
  ) {}

  configuration(): Configuration {
    return {
      findAccount: findAccount((id) => this.accounts.findById(id), this.bases),
      claims: claimsByScope,
      // A level that no sign-in reaches is not announced.
      acrValues: acrValues.filter((level) => level !== 'phr' || this.config.account.passkeys !== 'off'),
      conformIdTokenClaims: false,
      // Every revocation ends the client's access for this user.
      revokeGrantPolicy: () => true,
      features: {
        userinfo: { enabled: true },
        introspection: {
          enabled: true,
          allowedPolicy: introspectionPolicy(this.clients, this.accounts, this.bases, this.paused),
        },
        // RFC 9701, for callers that ask for it by their Accept header.
        jwtIntrospection: { enabled: true },
        revocation: { enabled: true, allowedPolicy: (_ctx, caller, token) => token.clientId === caller.clientId },
      },
    };
  }
}
