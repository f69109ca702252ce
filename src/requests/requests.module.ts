import { Module } from '@nestjs/common';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { OwnDataModule } from '../own-data/own-data.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { UsersModule } from '../users/users.module.js';
import { Approvals } from './application/approvals.js';
import { AskedRequests } from './application/asked-requests.js';
import { AskerAccounts } from './application/asker-accounts.js';
import { ChangeApprovals } from './application/change-approvals.js';
import { QuestionAnswers } from './application/question-answers.js';
import { RecordComparisons } from './application/record-comparisons.js';
import { RelationshipQuestions } from './application/relationship-questions.js';
import { RequestDeciders } from './application/request-deciders.js';
import { RequestDecisions } from './application/request-decisions.js';
import { RequestErrors } from './application/request-errors.js';
import { RequestFileStore } from './application/request-file-store.js';
import { RequestQueue } from './application/request-queue.js';
import { RequestReviews } from './application/request-reviews.js';
import { WaitingRequestFigures } from './application/waiting-request-figures.js';
import { Requests } from './domain/request.js';
import { RequestFiles } from './domain/request-file.js';
import { SeenAccesses } from './domain/seen-accesses.js';
import { AskerAccountsController } from './http/asker-accounts.controller.js';
import { OwnRequestsController } from './http/own-requests.controller.js';
import { RequestsController } from './http/requests.controller.js';
import { PostgresRequestFiles } from './infrastructure/postgres-request-files.js';
import { PostgresRequests } from './infrastructure/postgres-requests.js';
import { PostgresSeenAccesses } from './infrastructure/postgres-seen-accesses.js';

/**
 * Requests of users to the hospital, with the files that they send, and the answers. Line 10 of the direction of use: a
 * second approval needs a proof of the administrator, as the own data do.
 */
@Module({
  imports: [FhirServerModule, OwnDataModule, RepresentationModule, UsersModule],
  controllers: [AskerAccountsController, OwnRequestsController, RequestsController],
  providers: [
    { provide: RequestFiles, useClass: PostgresRequestFiles },
    { provide: Requests, useClass: PostgresRequests },
    { provide: SeenAccesses, useClass: PostgresSeenAccesses },
    Approvals,
    AskedRequests,
    AskerAccounts,
    ChangeApprovals,
    QuestionAnswers,
    RecordComparisons,
    RelationshipQuestions,
    RequestDeciders,
    RequestDecisions,
    RequestErrors,
    WaitingRequestFigures,
    RequestFileStore,
    RequestQueue,
    RequestReviews,
  ],
  exports: [RequestQueue],
})
export class RequestsModule {}
