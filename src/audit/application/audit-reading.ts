import { Injectable } from '@nestjs/common';
import { countedEvents } from '../../contract/audit/type-groups.js';
import type { AuditEventView, AuditExportQuery, AuditList, AuditQuery } from '../../contract/audit.js';
import { message } from '../../contract/messages/message.js';
import { Audit } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import { AuditRecord, type EventPage, type RecordedEvent } from '../domain/audit-event.js';
import { exportLine, headOf } from '../domain/audit-lines.js';
import { AuditSeals } from '../domain/audit-seals.js';
import { AuditVerifications } from '../domain/audit-verification.js';
import { auditRow, changesOf, launchReference, positionOf, shownDetail } from '../domain/audit-views.js';
import { AuditSearches } from './audit-searches.js';

/** Seals whose entries are in a proof. */
const sealsProven = 10;
/** Events of an export that are in memory at once. */
const pageLength = 1_000;

/** The audit record, as administrators read it. Each reading is recorded: a search, an entry, an export. */
@Injectable()
export class AuditReading {
  constructor(
    private readonly record: AuditRecord,
    private readonly searches: AuditSearches,
    private readonly seals: AuditSeals,
    private readonly verifications: AuditVerifications,
    private readonly audit: Audit,
  ) {}

  async list(userId: string, query: AuditQuery): Promise<AuditList> {
    const filter = await this.searches.filterOf(query);
    const { pageSize, after, before } = query;
    const isNewestFirst = query.sortDirection === 1;
    const isBackwards = after === undefined && before !== undefined;
    const place = after ?? before;
    const page = {
      newestFirst: isNewestFirst !== isBackwards,
      length: pageSize + 1,
      after: place === undefined ? undefined : positionOf(place),
    };
    const [found, totalCount, names] = await Promise.all([
      this.record.page(filter, page),
      this.record.count(filter, countedEvents),
      this.record.names(filter.accountId, filter.clientId),
    ]);
    const events = found.slice(0, pageSize).map(auditRow);
    const isMore = found.length > pageSize;
    await this.recordReading(userId, query);
    return {
      events: isBackwards ? events.reverse() : events,
      totalCount,
      hasPrevious: isBackwards ? isMore : after !== undefined,
      hasNext: isBackwards || isMore,
      personName: names.person ?? null,
      clientName: names.client ?? null,
    };
  }

  /**
   * The events of a search as a file, a page of events at a time. The first part is there when the promise resolves,
   * so that a search that cannot be answered is refused.
   */
  async export(userId: string, query: AuditExportQuery): Promise<AsyncIterable<string>> {
    const filter = await this.searches.filterOf(query);
    const page: EventPage = { newestFirst: query.sortDirection === 1, length: pageLength, after: undefined };
    const first = await this.record.page(filter, page);
    await this.recordExport(userId, query);
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

  /** The broken seals that the last verification found, with the entries that they cover as they are now. */
  async proof(userId: string): Promise<object> {
    const { lastVerified } = await this.verifications.state();
    if (!lastVerified || lastVerified.count === 0) throw new Problem('not-found', message('audit-proof-missing'));
    const numbers = lastVerified.problems.flatMap((problem) => /^seal (\d{1,18}) /.exec(problem)?.[1] ?? []);
    await this.recordExport(userId, { proof: numbers });
    const seals = [];
    for (const number of numbers.slice(0, sealsProven)) seals.push(await this.seals.evidence(number));
    return { madeAt: new Date().toISOString(), lastVerified, seals };
  }

  async entry(userId: string, id: string): Promise<AuditEventView> {
    const event = isNumber(id) ? await this.record.findById(id) : undefined;
    if (!event) throw new Problem('not-found', message('audit-entry-gone', { id: id.slice(0, 30) }));
    await this.recordReading(userId, { entry: id });
    return {
      ...auditRow(event),
      address: event.address,
      correlationId: event.correlationId,
      launch: launchReference(event),
      changes: changesOf(event),
      detail: shownDetail(event),
      seal: await this.seals.check(event),
      checkedAt: new Date().toISOString(),
    };
  }

  /** Pages of one search, and the same search again within minutes, are one reading. */
  private async recordReading(userId: string, what: object): Promise<void> {
    const detail = asRecorded(what);
    if (await this.record.wasReadBy(userId, detail)) return;
    await this.audit.record({ type: 'audit.read', outcome: 'success', userId, detail });
  }

  private async recordExport(userId: string, what: object): Promise<void> {
    await this.audit.record({ type: 'audit.exported', outcome: 'success', userId, detail: asRecorded(what) });
  }
}

/** Filters that limit nothing are left out, and so is what only concerns the page. */
function asRecorded(what: object): object {
  const shown = new Set(['page', 'pageSize', 'sortDirection', 'after', 'before']);
  const limits = Object.entries(what).filter(([name, value]) => {
    return !shown.has(name) && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
  });
  return Object.fromEntries(limits);
}

/** Any 64-bit integer has at most so many digits that are certain to fit. */
function isNumber(id: string): boolean {
  return /^\d{1,18}$/.test(id);
}
