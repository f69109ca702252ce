import { Controller, Get, Param, Query } from '@nestjs/common';
import { type LaunchDay, LaunchesQuery, type LaunchList, type LaunchView } from '../../contract/activity.js';
import { For, Polled } from '../../platform/http/access.js';
import { LaunchDetails } from '../application/launch-details.js';
import { LaunchLists } from '../application/launch-lists.js';

@For('Admin')
@Controller('api/admin/activity')
export class ActivityController {
  constructor(
    private readonly lists: LaunchLists,
    private readonly details: LaunchDetails,
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

  @Polled()
  @Get(':reference')
  get(@Param('reference') reference: string): Promise<LaunchView> {
    return this.details.find(reference);
  }
}
