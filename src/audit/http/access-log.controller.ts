import { Controller, Get, Query } from '@nestjs/common';
import {
  AccessLogFilter,
  type AccessLogPage,
  AccessLogQuery,
  type AccessLogSummary,
  VisitQuery,
  type VisitRequests,
} from '../../contract/access-log.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { AccessLogs } from '../application/access-logs.js';

/** The accesses to the record of the signed-in patient. */
@For('Patient')
@Controller('api/user/access-log')
export class AccessLogController {
  constructor(private readonly logs: AccessLogs) {}

  @Get()
  page(@SignedIn() { id }: SignedInUser, @Query() query: AccessLogQuery): Promise<AccessLogPage> {
    return this.logs.page(id, query);
  }

  @Get('summary')
  summary(@SignedIn() { id }: SignedInUser, @Query() filter: AccessLogFilter): Promise<AccessLogSummary> {
    return this.logs.summary(id, filter);
  }

  @Get('visit')
  visit(@SignedIn() { id }: SignedInUser, @Query() query: VisitQuery): Promise<VisitRequests> {
    return this.logs.visit(id, query);
  }
}
