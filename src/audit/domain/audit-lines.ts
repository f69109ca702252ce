import type { AuditFormat } from '../../contract/audit.js';
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
  // The mark makes spreadsheets read the file as UTF-8.
  return format === 'csv' ? `\uFEFF${columns.join(',')}\r\n` : '';
}

export function exportLine(format: AuditFormat, event: RecordedEvent): string {
  const values = valuesOf(event);
  if (format === 'ndjson') return `${JSON.stringify(values)}\n`;
  return `${columns.map((column) => cell(values[column])).join(',')}\r\n`;
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

/**
 * A cell of a CSV file (RFC 4180). A text that a spreadsheet would compute begins with an apostrophe instead, also where
 * spaces or an invisible sign come first. Each event is one line.
 */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/[\r\n]+/g, ' ');
  const safe = /^[\s\p{Cc}\p{Cf}]*[=+\-@|%＝＋－＠]/u.test(text) || /^[\t\r]/.test(text) ? `'${text}` : text;
  return /[",'\s;]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}
