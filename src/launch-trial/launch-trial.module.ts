import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { LaunchContextModule } from '../launch-context/launch-context.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { TrialAccess } from './application/trial-access.js';
import { TrialRuns } from './application/trial-runs.js';
import { TrialStore } from './application/trial-store.js';
import { Trials } from './application/trials.js';
import { LaunchTrialController } from './http/launch-trial.controller.js';

/**
 * Test launches by administrators; everything issued is revoked afterwards. Line 9 of the direction of use: an
 * administrator tries the launches of the other modules.
 */
@Module({
  imports: [ActivityModule, ClientsModule, GatewayModule, LaunchContextModule, OidcModule, OidcStoreModule],
  controllers: [LaunchTrialController],
  providers: [TrialAccess, TrialRuns, TrialStore, Trials],
})
export class LaunchTrialModule {}
