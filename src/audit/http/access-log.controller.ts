import { Readable } from 'node:stream';
import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import {
  AccessLogExportQuery,
  AccessLogFilter,
  type AccessLogPage,
  AccessLogQuery,
  type AccessLogSummary,
  VisitQuery,
  type VisitRequests,
} from '../../contract/own-record/access-log.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { currentLanguage } from '../../platform/language/languages.js';
import { AccessLogExports } from '../application/access-log-exports.js';
import { AccessLogs } from '../application/access-logs.js';

/** The accesses to the record of the signed-in patient, and one's own to those of patients for whom one acts. */
@For('Patient', 'RelatedPerson')
@Controller('api/user/access-log')
export class AccessLogController {
  constructor(
    private readonly logs: AccessLogs,
    private readonly exports: AccessLogExports,
  ) {}

  /** Lists the accesses to the own record, the newest first. */
  @Get()
  page(@SignedIn() { id }: SignedInUser, @Query() query: AccessLogQuery): Promise<AccessLogPage> {
    return this.logs.page(id, query);
  }

  /** Counts the accesses to the own record, and names the apps, people and kinds of data to filter by. */
  @Get('summary')
  summary(@SignedIn() { id }: SignedInUser, @Query() filter: AccessLogFilter): Promise<AccessLogSummary> {
    return this.logs.summary(id, filter);
  }

  /** Lists the single requests of one entry of the list. */
  @Get('visit')
  visit(@SignedIn() { id }: SignedInUser, @Query() query: VisitQuery): Promise<VisitRequests> {
    return this.logs.visit(id, query);
  }

  /**
   * Sends the accesses to the own record as a file.
   *
   * The export ends when the caller disconnects.
   * @answers 200 text/csv
   * @answers 200 application/fhir+json
   */
  @Get('export')
  async export(@SignedIn() { id }: SignedInUser, @Query() query: AccessLogExportQuery): Promise<StreamableFile> {
    const pieces = await this.exports.export(id, query, currentLanguage());
    const { type, name } = files[query.format];
    return new StreamableFile(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }), {
      type,
      disposition: `attachment; filename="${name}"`,
    });
  }
}

const files = {
  csv: { type: 'text/csv; charset=utf-8', name: 'who-has-seen-my-record.csv' },
  fhir: { type: 'application/fhir+json', name: 'who-has-seen-my-record.json' },
};
