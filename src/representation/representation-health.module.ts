import { Module } from '@nestjs/common';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { RepresentationHealth } from './application/administration/representation-health.js';
import { RepresentationRules } from './application/representation-rules.js';
import { Relationships } from './domain/relationships.js';
import { PostgresRelationships } from './infrastructure/postgres-relationships.js';

/** The reads of an inspection, also before the first start: they make no account and run no job. */
@Module({
  imports: [FhirServerModule],
  providers: [{ provide: Relationships, useClass: PostgresRelationships }, RepresentationHealth, RepresentationRules],
  exports: [Relationships, RepresentationHealth, RepresentationRules],
})
export class RepresentationHealthModule {}
