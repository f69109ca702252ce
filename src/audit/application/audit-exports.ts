import { Injectable } from '@nestjs/common';
import type { AuditExportQuery } from '../../contract/audit.js';
import { log } from '../../platform/logging/log.js';
import { AuditRecord, type EventPage, type RecordedEvent } from '../domain/audit-event.js';
import { exportLine, headOf } from '../domain/audit-lines.js';
import { AuditReadings } from './audit-readings.js';
import { AuditSearches } from './audit-searches.js';

/** Events that are in memory at once. */
const pageLength = 1_000;

/** The audit record as a file, a page of events at a time. */
@Injectable()
export class AuditExports {
  constructor(
    private readonly record: AuditRecord,
    private readonly searches: AuditSearches,
    private readonly readings: AuditReadings,
  ) {}

  /** The first part is there when the promise resolves, so that a search that cannot be answered is refused. */
  async begin(userId: string, query: AuditExportQuery): Promise<AsyncIterable<string>> {
    const filter = await this.searches.filterOf(query);
    const page: EventPage = { newestFirst: query.sortDirection === 1, length: pageLength, after: undefined };
    const first = await this.record.page(filter, page);
    await this.readings.recordExport(userId, query);
    const { record } = this;
    const text = (events: RecordedEvent[]) => events.map((event) => exportLine(query.format, event)).join('');
    return (async function* () {
      yield headOf(query.format);
      for (let events = first; events.length > 0; ) {
        yield text(events);
        const last = events.at(-1);
        if (events.length < pageLength || !last) return;
        events = await record.page(filter, { ...page, after: last }).catch((err) => {
          log.error({ err }, 'export of the audit record failed');
          throw err;
        });
      }
    })();
  }
}
