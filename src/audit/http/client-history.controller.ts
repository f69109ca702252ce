import { Controller, Get, Param } from '@nestjs/common';
import type { ClientHistory } from '../../contract/clients/client-changes.js';
import { For } from '../../platform/http/access.js';
import { ClientHistories } from '../application/client-histories.js';

@For('Admin')
@Controller('api/admin/client')
export class ClientHistoryController {
  constructor(private readonly histories: ClientHistories) {}

  /** Lists the last changes of a client, the newest first. */
  @Get(':id/history')
  get(@Param('id') id: string): Promise<ClientHistory> {
    return this.histories.historyOf(id);
  }
}
