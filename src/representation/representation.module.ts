import { Module } from '@nestjs/common';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { PatientRecords } from './application/patient-records.js';
import { RelationshipUpkeep } from './application/relationship-upkeep.js';
import { RepresentationRules } from './application/representation-rules.js';
import { RepresentedAccess } from './application/represented-access.js';
import { KnownPatients } from './domain/patient-facts.js';
import { Relationships } from './domain/relationships.js';
import { PostgresKnownPatients } from './infrastructure/postgres-known-patients.js';
import { PostgresRelationships } from './infrastructure/postgres-relationships.js';

/** Accounts that act for patients: on which basis, how far, from when until when. Line 4 of the direction of use. */
@Module({
  imports: [FhirServerModule],
  providers: [
    { provide: KnownPatients, useClass: PostgresKnownPatients },
    { provide: Relationships, useClass: PostgresRelationships },
    PatientRecords,
    RelationshipUpkeep,
    RepresentationRules,
    RepresentedAccess,
  ],
  exports: [RepresentationRules, RepresentedAccess],
})
export class RepresentationModule {}
