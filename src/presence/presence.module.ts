import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { UsersModule } from '../users/users.module.js';
import { Presence } from './application/presence.js';
import { PresenceController } from './http/presence.controller.js';

/** Which administrators have the same client or user open. Line 8 of the direction of use. */
@Module({
  imports: [ClientsModule, OidcStoreModule, UsersModule],
  controllers: [PresenceController],
  providers: [Presence],
})
export class PresenceModule {}
