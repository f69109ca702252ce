import { Controller, Get, Param } from '@nestjs/common';
import { UserActivity } from '../../contract/users.js';
import { For } from '../../platform/http/access.js';
import { UserActivities } from '../application/user-activity.js';

@For('Admin')
@Controller('api/admin/user')
export class UserActivityController {
  constructor(private readonly activities: UserActivities) {}

  @Get(':id/activity')
  get(@Param('id') id: string): Promise<UserActivity> {
    return this.activities.of(id);
  }
}
