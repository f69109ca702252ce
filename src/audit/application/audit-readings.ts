import { Injectable } from '@nestjs/common';
import { Audit } from '../../platform/audit/audit.js';
import { AuditRecord } from '../domain/audit-event.js';

/** Records who reads the audit record: a search, an entry, an export. */
@Injectable()
export class AuditReadings {
  constructor(
    private readonly record: AuditRecord,
    private readonly audit: Audit,
  ) {}

  /** Pages of one search, and the same search again within minutes, are one reading. */
  async read(userId: string, what: object): Promise<void> {
    const detail = asRecorded(what);
    if (await this.record.wasReadBy(userId, detail)) return;
    await this.audit.record({ type: 'audit.read', outcome: 'success', userId, detail });
  }

  async recordExport(userId: string, what: object): Promise<void> {
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
