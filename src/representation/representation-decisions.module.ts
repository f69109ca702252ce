import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { UsersModule } from '../users/users.module.js';
import { AgeRules } from './application/administration/age-rules.js';
import { RelationshipsByFile } from './application/administration/relationships-by-file.js';
import { NamedRepresentatives } from './application/named-representatives.js';
import { PatientNotices } from './application/patient-notices.js';
import { PatientRecords } from './application/patient-records.js';
import { RelationshipDecisions } from './application/relationship-decisions.js';
import { RelationshipLists } from './application/relationship-list.js';
import { RelationshipProposals } from './application/relationship-proposals.js';
import { RelationshipSides } from './application/relationship-sides.js';
import { Representatives } from './application/representatives.js';
import { Blocks } from './domain/blocks.js';
import { KnownPatients } from './domain/patient-facts.js';
import { PostgresBlocks } from './infrastructure/postgres-blocks.js';
import { PostgresKnownPatients } from './infrastructure/postgres-known-patients.js';
import { RepresentationHealthModule } from './representation-health.module.js';

/** Proposals and decisions about relationships, also for commands, which run no job and open no question. */
@Module({
  imports: [ClientsModule, FhirServerModule, RepresentationHealthModule, UsersModule],
  providers: [
    { provide: Blocks, useClass: PostgresBlocks },
    { provide: KnownPatients, useClass: PostgresKnownPatients },
    AgeRules,
    NamedRepresentatives,
    PatientNotices,
    PatientRecords,
    RelationshipDecisions,
    RelationshipLists,
    RelationshipProposals,
    RelationshipSides,
    RelationshipsByFile,
    Representatives,
  ],
  exports: [
    Blocks,
    KnownPatients,
    AgeRules,
    NamedRepresentatives,
    PatientNotices,
    PatientRecords,
    RelationshipDecisions,
    RelationshipLists,
    RelationshipProposals,
    RelationshipSides,
    RelationshipsByFile,
    Representatives,
    RepresentationHealthModule,
  ],
})
export class RepresentationDecisionsModule {}
