import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { RequestsModule } from '../requests/requests.module.js';
import { UsersModule } from '../users/users.module.js';
import { Presence } from './application/presence.js';
import { PresenceController } from './http/presence.controller.js';

/** Which administrators have the same client, user or request open. Line 11 of the direction of use. */
@Module({
  imports: [ClientsModule, OidcStoreModule, RequestsModule, UsersModule],
  controllers: [PresenceController],
  providers: [Presence],
})
export class PresenceModule {}
