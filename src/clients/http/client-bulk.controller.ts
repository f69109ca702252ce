import { Body, Controller, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import { BulkProgress, ClientBulkRequest, ClientChoice } from '../../contract/clients/bulk.js';
import { For } from '../../platform/http/access.js';
import { answerCsv } from '../../platform/http/csv-answer.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { ClientBulk } from '../application/client-bulk.js';

/** Calls about many clients. */
@For('Admin')
@Controller('api/admin/client')
export class ClientBulkController {
  constructor(private readonly bulk: ClientBulk) {}

  /**
   * Changes many clients: the next part of them.
   *
   * The caller makes the id, and repeats the call until all is done.
   * @refuses 409
   */
  @Put('bulk/:id')
  change(
    @Param('id') id: string,
    @Body() request: ClientBulkRequest,
    @SignedIn() caller: SignedInUser,
  ): Promise<BulkProgress> {
    return this.bulk.change(id, request, caller);
  }

  /**
   * Takes a change of many clients back: the next part of them.
   * @refuses 409
   */
  @Post('bulk/:id/undo')
  @HttpCode(200)
  undo(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<BulkProgress> {
    return this.bulk.undo(id, caller);
  }

  /**
   * Sends the chosen clients as a CSV file.
   * @answers 200 text/csv
   */
  @Post('export')
  @HttpCode(200)
  async export(@Body() choice: ClientChoice, @Res() response: Response): Promise<void> {
    await answerCsv(response, 'clients', await this.bulk.export(choice));
  }
}
