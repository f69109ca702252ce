import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { UsersModule } from '../users/users.module.js';
import { ActivityLog } from './application/activity-log.js';
import { ClientActivities } from './application/client-activities.js';
import { LaunchExports } from './application/launch-exports.js';
import { LaunchLists } from './application/launch-lists.js';
import { LaunchRemoval } from './application/launch-removal.js';
import { Launches } from './domain/launch.js';
import { ActivityController } from './http/activity.controller.js';
import { ClientActivityController } from './http/client-activity.controller.js';
import { PostgresLaunches } from './infrastructure/postgres-launches.js';

/** The record of launches: nodes write it, administrators read it. Line 8 of the direction of use. */
@Module({
  imports: [ClientsModule, UsersModule],
  controllers: [ActivityController, ClientActivityController],
  providers: [
    { provide: Launches, useClass: PostgresLaunches },
    ActivityLog,
    ClientActivities,
    LaunchExports,
    LaunchLists,
    LaunchRemoval,
  ],
  exports: [ActivityLog],
})
export class ActivityModule {}
