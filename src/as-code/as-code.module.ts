import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { ManagedModule } from '../managed/managed.module.js';
import { RepresentationDecisionsModule } from '../representation/representation-decisions.module.js';
import { TagsModule } from '../tags/tags.module.js';
import { UsersModule } from '../users/users.module.js';
import { ConfigurationChanges } from './application/configuration-changes.js';
import { ConfigurationExports } from './application/configuration-exports.js';
import { ConfigurationPlans } from './application/configuration-plans.js';
import { PlannedClients } from './application/planned-clients.js';
import { PlannedRelationships } from './application/planned-relationships.js';
import { PlannedTags } from './application/planned-tags.js';
import { PlannedUsers } from './application/planned-users.js';
import { Releases } from './application/releases.js';

/**
 * Clients, tags, claims of users and relationships in a file: `gatehouse export`, `plan`, `apply` and `release`. Line 8
 * of the direction of use: a file is compared with what is stored.
 */
@Module({
  imports: [ManagedModule, ClientsModule, RepresentationDecisionsModule, TagsModule, UsersModule],
  providers: [
    ConfigurationChanges,
    ConfigurationExports,
    ConfigurationPlans,
    PlannedClients,
    PlannedRelationships,
    PlannedTags,
    PlannedUsers,
    Releases,
  ],
  exports: [ConfigurationChanges, ConfigurationExports, Releases],
})
export class AsCodeModule {}
