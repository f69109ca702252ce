import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { UsersModule } from '../users/users.module.js';
import { PaletteSearch } from './application/palette-search.js';
import { PaletteController } from './http/palette.controller.js';

/** The search of administrators over clients, redirect URIs, users and FHIR ids. Line 8 of the direction of use. */
@Module({
  imports: [ClientsModule, UsersModule],
  controllers: [PaletteController],
  providers: [PaletteSearch],
})
export class PaletteModule {}
