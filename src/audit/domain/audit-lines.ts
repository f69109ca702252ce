import type { AuditFormat } from '../../contract/audit.js';
import { csvHead, csvLine } from '../../contract/rules/csv.js';
import type { RecordedEvent } from './audit-event.js';
import { launchReference, shownDetail } from './audit-views.js';

const columns = [
  'entry',
  'time',
  'type',
  'outcome',
  'user_id',
  'user_name',
  'client_id',
  'client_name',
  'subject',
  'subject_name',
  'address',
  'correlation_id',
  'reference',
  'detail',
] as const;

type Column = (typeof columns)[number];

export function headOf(format: AuditFormat): string {
  return format === 'csv' ? csvHead(columns) : '';
}

export function exportLine(format: AuditFormat, event: RecordedEvent): string {
  const values = valuesOf(event);
  if (format === 'ndjson') return `${JSON.stringify(values)}\n`;
  return csvLine(columns.map((column) => values[column]));
}

function valuesOf(event: RecordedEvent): Record<Column, unknown> {
  return {
    entry: event.id,
    time: event.at.toISOString(),
    type: event.type,
    outcome: event.outcome,
    user_id: event.userId,
    user_name: event.userName,
    client_id: event.clientId,
    client_name: event.clientName,
    subject: event.subject,
    subject_name: event.subjectName,
    address: event.address,
    correlation_id: event.correlationId,
    reference: launchReference(event),
    detail: shownDetail(event),
  };
}
