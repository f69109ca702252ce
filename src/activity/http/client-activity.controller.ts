import { Controller, Get, Param } from '@nestjs/common';
import type { ClientActivity } from '../../contract/activity.js';
import { For } from '../../platform/http/access.js';
import { ClientActivities } from '../application/client-activities.js';

@For('Admin')
@Controller('api/admin/client')
export class ClientActivityController {
  constructor(private readonly activities: ClientActivities) {}

  /** Reads what an app did lately: its last launches, refusals, and the state of its credentials. */
  @Get(':id/activity')
  get(@Param('id') id: string): Promise<ClientActivity> {
    return this.activities.activityOf(id);
  }
}
