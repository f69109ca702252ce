import { type DynamicModule, Module } from '@nestjs/common';
import { ActivityModule } from './activity/activity.module.js';
import { AuditModule } from './audit/audit.module.js';
import { BulkModule } from './bulk/bulk.module.js';
import { ClientsModule } from './clients/clients.module.js';
import { ConsentModule } from './consent/consent.module.js';
import { DisclaimersModule } from './disclaimers/disclaimers.module.js';
import { FhirServerModule } from './fhir-server/fhir-server.module.js';
import { GatewayModule } from './gateway/gateway.module.js';
import { GrantsModule } from './grants/grants.module.js';
import { HelpdeskModule } from './helpdesk/helpdesk.module.js';
import { InvitationsModule } from './invitations/invitations.module.js';
import { LaunchContextModule } from './launch-context/launch-context.module.js';
import { LaunchTrialModule } from './launch-trial/launch-trial.module.js';
import { ManagedModule } from './managed/managed.module.js';
import { OidcModule } from './oidc/oidc.module.js';
import { OidcStoreModule } from './oidc-store/oidc-store.module.js';
import { OwnDataModule } from './own-data/own-data.module.js';
import { PaletteModule } from './palette/palette.module.js';
import { PasskeysModule } from './passkeys/passkeys.module.js';
import { PlatformModule, type Runtime } from './platform/platform.module.js';
import { PortalModule } from './portal/portal.module.js';
import { PresenceModule } from './presence/presence.module.js';
import { ReadinessModule } from './readiness/readiness.module.js';
import { RepresentationModule } from './representation/representation.module.js';
import { RequestsModule } from './requests/requests.module.js';
import { SessionModule } from './session/session.module.js';
import { TagsModule } from './tags/tags.module.js';
import { TwoFactorModule } from './two-factor/two-factor.module.js';
import { UsersModule } from './users/users.module.js';

/** All modules of the application, in the direction of use, which `scripts/checks/modules.mjs` checks. */
@Module({})
export class AppModule {
  static forRuntime(runtime: Runtime): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRuntime(runtime),
        ManagedModule,
        BulkModule,
        OidcStoreModule,
        FhirServerModule,
        TagsModule,
        UsersModule,
        ClientsModule,
        RepresentationModule,
        OidcModule,
        DisclaimersModule,
        LaunchContextModule,
        TwoFactorModule,
        ConsentModule,
        PasskeysModule,
        SessionModule,
        GrantsModule,
        GatewayModule,
        ActivityModule,
        AuditModule,
        ReadinessModule,
        PaletteModule,
        OwnDataModule,
        LaunchTrialModule,
        HelpdeskModule,
        InvitationsModule,
        RequestsModule,
        PresenceModule,
        // Must be the last: its catch-all serves the React application for every path that no other module handles.
        PortalModule,
      ],
    };
  }
}
