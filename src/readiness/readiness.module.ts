import { Module } from '@nestjs/common';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { RepresentationHealthModule } from '../representation/representation-health.module.js';
import { Examinations } from './application/examinations.js';
import { FirstStepsOfPortal } from './application/first-steps.js';
import { OperatorNotes } from './application/operator-notes.js';
import { Readiness } from './application/readiness.js';
import { TestMails } from './application/test-mails.js';
import { InstallationFacts } from './domain/installation-facts.js';
import { ReadinessNotes } from './domain/readiness-notes.js';
import { FirstStepsController } from './http/first-steps.controller.js';
import { ReadinessController } from './http/readiness.controller.js';
import { PostgresInstallationFacts } from './infrastructure/postgres-installation-facts.js';
import { PostgresReadinessNotes } from './infrastructure/postgres-readiness-notes.js';

/**
 * The readiness report: checks of what an installation should have before it goes live, and the test mail. Line 8 of
 * the direction of use.
 */
@Module({
  imports: [FhirServerModule, RepresentationHealthModule],
  controllers: [FirstStepsController, ReadinessController],
  providers: [
    { provide: InstallationFacts, useClass: PostgresInstallationFacts },
    { provide: ReadinessNotes, useClass: PostgresReadinessNotes },
    Examinations,
    FirstStepsOfPortal,
    OperatorNotes,
    Readiness,
    TestMails,
  ],
})
export class ReadinessModule {}
