import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { UsersModule } from '../users/users.module.js';

/** The audit record as patients and administrators read it, its partitions and its archives. */
@Module({
  imports: [ClientsModule, UsersModule],
})
export class AuditModule {}
