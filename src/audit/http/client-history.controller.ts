import { Controller, Get, Param } from '@nestjs/common';
import type { ClientHistory } from '../../contract/clients/client-changes.js';
import { For } from '../../platform/http/access.js';
import { AuditReading } from '../application/audit-reading.js';

@For('Admin')
@Controller('api/admin/client')
export class ClientHistoryController {
  constructor(private readonly reading: AuditReading) {}

  /** Lists the last changes of a client, the newest first. */
  @Get(':id/history')
  get(@Param('id') id: string): Promise<ClientHistory> {
    return this.reading.changesOfClient(id);
  }
}
