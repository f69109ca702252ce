import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type LaunchDay, LaunchesQuery, type LaunchList, type LaunchView } from '../../contract/activity.js';
import { For, Polled } from '../../platform/http/access.js';
import { LaunchDetails } from '../application/launch-details.js';
import { LaunchExports } from '../application/launch-exports.js';
import { LaunchLists } from '../application/launch-lists.js';

@For('Admin')
@Controller('api/admin/activity')
export class ActivityController {
  constructor(
    private readonly lists: LaunchLists,
    private readonly details: LaunchDetails,
    private readonly exports: LaunchExports,
  ) {}

  @Polled()
  @Get()
  list(@Query() query: LaunchesQuery): Promise<LaunchList> {
    return this.lists.list(query);
  }

  @Polled()
  @Get('days')
  days(): Promise<LaunchDay[]> {
    return this.lists.lastDays();
  }

  /** Ends when the reader goes away, and breaks off visibly when the database does. */
  @Get('export')
  async export(@Query() query: LaunchesQuery, @Res() response: Response): Promise<void> {
    const lines = await this.exports.begin(query);
    response.writeHead(200, {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="activity-${new Date().toISOString().slice(0, 10)}.csv"`,
      'cache-control': 'no-store',
    });
    await pipeline(Readable.from(lines), response).catch(() => undefined);
  }

  @Polled()
  @Get(':reference')
  get(@Param('reference') reference: string): Promise<LaunchView> {
    return this.details.find(reference);
  }
}
