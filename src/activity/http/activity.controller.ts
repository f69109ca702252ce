import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type LaunchDay, LaunchesQuery, type LaunchList, type LaunchView } from '../../contract/activity.js';
import { For, Polled } from '../../platform/http/access.js';
import { answerCsv } from '../../platform/http/csv-answer.js';
import { LaunchExports } from '../application/launch-exports.js';
import { LaunchLists } from '../application/launch-lists.js';

@For('Admin')
@Controller('api/admin/activity')
export class ActivityController {
  constructor(
    private readonly lists: LaunchLists,
    private readonly exports: LaunchExports,
  ) {}

  /** Lists the launches of apps, the newest first. */
  @Polled()
  @Get()
  list(@Query() query: LaunchesQuery): Promise<LaunchList> {
    return this.lists.list(query);
  }

  /** Counts the launches of the last 14 days. */
  @Polled()
  @Get('days')
  days(): Promise<LaunchDay[]> {
    return this.lists.lastDays();
  }

  /**
   * Sends the launches that the filters find as a CSV file.
   *
   * Ends when the caller disconnects, and breaks the connection off when the database fails.
   * @answers 200 text/csv
   */
  @Get('export')
  async export(@Query() query: LaunchesQuery, @Res() response: Response): Promise<void> {
    await answerCsv(response, 'activity', await this.exports.begin(query));
  }

  /** Reads a launch with everything that happened in it, and the advice for the developer of the app. */
  @Polled()
  @Get(':reference')
  get(@Param('reference') reference: string): Promise<LaunchView> {
    return this.lists.byReference(reference);
  }
}
