import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { UsersModule } from '../users/users.module.js';
import { Presence } from './application/presence.js';
import { PresenceController } from './http/presence.controller.js';

/** Administrators see who else has a client or user open. */
@Module({
  imports: [ClientsModule, OidcStoreModule, UsersModule],
  controllers: [PresenceController],
  providers: [Presence],
})
export class PresenceModule {}
