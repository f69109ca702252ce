import { Module } from '@nestjs/common';
import { RepresentationModule } from '../representation/representation.module.js';
import { RelationshipQuestions } from './application/relationship-questions.js';
import { Requests } from './domain/request.js';
import { PostgresRequests } from './infrastructure/postgres-requests.js';

/** What users ask of the hospital, with the files that they send, and the answers. Line 6 of the direction of use. */
@Module({
  imports: [RepresentationModule],
  providers: [{ provide: Requests, useClass: PostgresRequests }, RelationshipQuestions],
})
export class RequestsModule {}
