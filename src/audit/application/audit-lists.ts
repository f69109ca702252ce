import { Injectable } from '@nestjs/common';
import { countedEvents } from '../../contract/audit/type-groups.js';
import { type AuditEventView, type AuditList, type AuditQuery } from '../../contract/audit.js';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';
import { AuditRecord } from '../domain/audit-event.js';
import { AuditSeals } from '../domain/audit-seals.js';
import { AuditVerifications } from '../domain/audit-verification.js';
import { auditRow, changesOf, launchReference, positionOf, shownDetail } from '../domain/audit-views.js';
import { AuditReadings } from './audit-readings.js';
import { AuditSearches } from './audit-searches.js';

/** Seals whose entries are in a proof. */
const sealsProven = 10;

/** The audit record, for administrators. */
@Injectable()
export class AuditLists {
  constructor(
    private readonly record: AuditRecord,
    private readonly searches: AuditSearches,
    private readonly readings: AuditReadings,
    private readonly seals: AuditSeals,
    private readonly verifications: AuditVerifications,
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
    await this.readings.read(userId, query);
    return {
      events: isBackwards ? events.reverse() : events,
      totalCount,
      hasPrevious: isBackwards ? isMore : after !== undefined,
      hasNext: isBackwards || isMore,
      personName: names.person ?? null,
      clientName: names.client ?? null,
    };
  }

  /** The broken seals that the last verification found, with the entries that they cover as they are now. */
  async proof(userId: string): Promise<object> {
    const { lastVerified } = await this.verifications.state();
    if (!lastVerified || lastVerified.count === 0) throw new Problem('not-found', message('audit-proof-missing'));
    const numbers = lastVerified.problems.flatMap((problem) => /^seal (\d{1,18}) /.exec(problem)?.[1] ?? []);
    await this.readings.recordExport(userId, { proof: numbers });
    const seals = [];
    for (const number of numbers.slice(0, sealsProven)) seals.push(await this.seals.evidence(number));
    return { madeAt: new Date().toISOString(), lastVerified, seals };
  }

  async entry(userId: string, id: string): Promise<AuditEventView> {
    const event = isNumber(id) ? await this.record.findById(id) : undefined;
    if (!event) throw new Problem('not-found', message('audit-entry-gone', { id: id.slice(0, 30) }));
    await this.readings.read(userId, { entry: id });
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
}

/** Any 64-bit integer has at most so many digits that are certain to fit. */
function isNumber(id: string): boolean {
  return /^\d{1,18}$/.test(id);
}
