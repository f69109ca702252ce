import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { AppQuery } from '../../contract/own-record/grants.js';
import { UserActivity } from '../../contract/users/users.js';
import { For } from '../../platform/http/access.js';
import { UserActivities } from '../application/user-activity.js';

@For('Admin')
@Controller('api/admin/user')
export class UserActivityController {
  constructor(private readonly activities: UserActivities) {}

  /** Reads the last sign-in of a user, and their apps. */
  @Get(':id/activity')
  get(@Param('id') id: string): Promise<UserActivity> {
    return this.activities.describe(id);
  }

  /** Takes back the access of an app to this user's data. */
  @Delete(':id/app')
  @HttpCode(204)
  revoke(@Param('id') id: string, @Query() { clientId }: AppQuery): Promise<void> {
    return this.activities.revokeApp(id, clientId);
  }
}
