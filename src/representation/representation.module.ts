import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountRecords } from './application/administration/account-records.js';
import { AccountRelationships } from './application/administration/account-relationships.js';
import { RelationshipImporting } from './application/administration/relationship-import.js';
import { AskedRelationships } from './application/asked-relationships.js';
import { EndedRelationships } from './application/ends/ended-relationships.js';
import { HospitalQuestions } from './application/hospital-questions.js';
import { InvitedBrowsers } from './application/invited-browsers.js';
import { InvitedRelationships } from './application/invited-relationships.js';
import { AppsOfRelationship } from './application/levels/apps-of-relationship.js';
import { ComingSteps } from './application/levels/coming-steps.js';
import { LevelApprovals } from './application/levels/level-approvals.js';
import { LevelChanges } from './application/levels/level-changes.js';
import { OwnRelationshipList } from './application/own-relationships.js';
import { PatientAnswers } from './application/patient-answers.js';
import { RelationshipEnds } from './application/relationship-ends.js';
import { RepresentedAccess } from './application/represented-access.js';
import { RelatedPersons } from './application/server/related-persons.js';
import { RepresentativeResources } from './application/server/representative-resources.js';
import { ServerChanges } from './application/server/server-changes.js';
import { ServerRelationships } from './application/server/server-relationships.js';
import { SuspendedRelationships } from './application/suspended-relationships.js';
import { PatientNews } from './application/upkeep/patient-news.js';
import { RelationshipLooks } from './application/upkeep/relationship-looks.js';
import { RelationshipSweeps } from './application/upkeep/relationship-sweeps.js';
import { RelationshipTelling } from './application/upkeep/relationship-telling.js';
import { RelationshipUpkeep } from './application/upkeep/relationship-upkeep.js';
import { DueRelationships } from './domain/due-relationships.js';
import { ServerReadings } from './domain/related-person.js';
import { AccountRelationshipsController } from './http/account-relationships.controller.js';
import { OwnRelationshipsController } from './http/own-relationships.controller.js';
import { RelationshipAgreementsController } from './http/relationship-agreements.controller.js';
import { RelationshipsController } from './http/relationships.controller.js';
import { OlderNodes } from './infrastructure/older-nodes.js';
import { PostgresDueRelationships } from './infrastructure/postgres-due-relationships.js';
import { PostgresServerReadings } from './infrastructure/postgres-server-readings.js';
import { RepresentationDecisionsModule } from './representation-decisions.module.js';
import { RepresentationHealthModule } from './representation-health.module.js';

/** Accounts that act for patients: on which basis, how far, from when until when. Line 4 of the direction of use. */
@Module({
  imports: [
    ClientsModule,
    FhirServerModule,
    OidcStoreModule,
    RepresentationDecisionsModule,
    RepresentationHealthModule,
    UsersModule,
  ],
  controllers: [
    AccountRelationshipsController,
    OwnRelationshipsController,
    RelationshipAgreementsController,
    RelationshipsController,
  ],
  providers: [
    { provide: DueRelationships, useClass: PostgresDueRelationships },
    { provide: ServerReadings, useClass: PostgresServerReadings },
    AccountRecords,
    AccountRelationships,
    AppsOfRelationship,
    AskedRelationships,
    ComingSteps,
    EndedRelationships,
    HospitalQuestions,
    InvitedBrowsers,
    InvitedRelationships,
    LevelApprovals,
    LevelChanges,
    OwnRelationshipList,
    OlderNodes,
    PatientAnswers,
    PatientNews,
    RelatedPersons,
    RelationshipEnds,
    RelationshipImporting,
    RelationshipLooks,
    RelationshipSweeps,
    RelationshipTelling,
    RelationshipUpkeep,
    RepresentativeResources,
    RepresentedAccess,
    ServerChanges,
    ServerRelationships,
    SuspendedRelationships,
  ],
  exports: [
    AccountRecords,
    AskedRelationships,
    HospitalQuestions,
    InvitedBrowsers,
    InvitedRelationships,
    LevelApprovals,
    LevelChanges,
    OwnRelationshipList,
    PatientNews,
    RelationshipEnds,
    RepresentationDecisionsModule,
    RepresentationHealthModule,
    RepresentativeResources,
    RepresentedAccess,
    SuspendedRelationships,
  ],
})
export class RepresentationModule {}
