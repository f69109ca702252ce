import { Body, Controller, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import { BulkProgress, UserBulkRequest, UserChoice } from '../../contract/clients/bulk.js';
import { For } from '../../platform/http/access.js';
import { answerCsv } from '../../platform/http/csv-answer.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { UserBulk } from '../application/user-bulk.js';

/** Calls about many users. */
@For('Admin')
@Controller('api/admin/user')
export class UserBulkController {
  constructor(private readonly bulk: UserBulk) {}

  /**
   * Changes many users: the next part of them.
   *
   * The caller makes the id, and repeats the call until all is done.
   * @refuses 409
   */
  @Put('bulk/:id')
  change(
    @Param('id') id: string,
    @Body() request: UserBulkRequest,
    @SignedIn() caller: SignedInUser,
  ): Promise<BulkProgress> {
    return this.bulk.change(id, request, caller);
  }

  /**
   * Sends the chosen users as a CSV file.
   * @answers 200 text/csv
   */
  @Post('export')
  @HttpCode(200)
  async export(@Body() choice: UserChoice, @Res() response: Response): Promise<void> {
    await answerCsv(response, 'users', await this.bulk.export(choice));
  }
}
