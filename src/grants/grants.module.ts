import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { DisclaimersModule } from '../disclaimers/disclaimers.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { Grants } from './application/grants.js';
import { LastAccesses } from './application/last-accesses.js';
import { GrantsController } from './http/grants.controller.js';

@Module({
  imports: [ClientsModule, ConsentModule, DisclaimersModule, OidcStoreModule],
  controllers: [GrantsController],
  providers: [Grants, LastAccesses],
})
export class GrantsModule {}
