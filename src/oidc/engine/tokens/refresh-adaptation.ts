import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Configuration } from 'oidc-provider';
import { RefreshAnswers } from '../../../oidc-store/infrastructure/refresh-answers.js';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Config } from '../../../platform/config/config.js';
import { UserDirectory } from '../../../users/application/user-directory.js';
import { followsProfile } from '../clients/security-profile.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { trialProvenBy } from '../shared/trial-at-hand.js';
import { installRefresh } from './refresh.js';
import { installRefreshScopes } from './refresh-scopes.js';
import { installCodeBinding } from './session-binding.js';
import { TokenReuse } from './token-reuse.js';

/** Codes and refresh tokens: single use, repeated answers, and the end of everything after a reuse. */
@Injectable()
export class RefreshAdaptation implements EngineAdaptation {
  constructor(
    private readonly answers: RefreshAnswers,
    private readonly accounts: UserDirectory,
    private readonly reuse: TokenReuse,
    private readonly revocations: Revocations,
    private readonly config: Config,
  ) {}

  configuration(): Configuration {
    return {
      // FAPI 2.0 Security Profile §5.3.2.1: without rotation, as the client has to prove itself and its key each time.
      rotateRefreshToken: ({ oidc: { client } }) => !(client && followsProfile(gatehouseClient(client).settings)),
      issueRefreshToken: async (ctx, _client, { scopes }) =>
        trialProvenBy(ctx.req) === undefined && (scopes.has('offline_access') || scopes.has('online_access')),
      expiresWithSession: async (_ctx, source) => !source.scopes.has('offline_access'),
    };
  }

  install(provider: Provider): void {
    installRefreshScopes(provider, this.accounts, this.config);
    installCodeBinding(provider);
    installRefresh(provider, this.answers, this.revocations);
    // Wraps what recognises a repeated answer, which is no reuse.
    this.reuse.install(provider);
  }
}
