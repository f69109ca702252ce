import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { UsersModule } from '../users/users.module.js';
import { PaletteSearch } from './application/palette-search.js';
import { PaletteController } from './http/palette.controller.js';

@Module({
  imports: [ClientsModule, UsersModule],
  controllers: [PaletteController],
  providers: [PaletteSearch],
})
export class PaletteModule {}
