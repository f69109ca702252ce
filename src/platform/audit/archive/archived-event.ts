import type { AccessDetail } from '../../../contract/audit/access-detail.js';
import { ArchiveProblem } from './archive-file.js';

/** An event as `audit read` prints it. */
export interface ArchivedEvent {
  id: string;
  recordedAt: string;
  type: string;
  outcome: string;
  userId: string | null;
  clientId: string | null;
  subject: string | null;
  address: string | null;
  correlationId: string | null;
  detail: Partial<AccessDetail>;
}

/** Reads the form that a seal covers. */
export function archivedEvent(text: string): ArchivedEvent {
  const [id, at, type, outcome, userId, clientId, subject, address, correlationId, detail] = JSON.parse(text);
  const recordedAt = `${at}Z`;
  return { id: String(id), recordedAt, type, outcome, userId, clientId, subject, address, correlationId, detail };
}

/** `--to` excludes its own moment; both times are compared as UTC. */
export function archivedEventFilter(options: ReadonlyMap<string, string>): (event: ArchivedEvent) => boolean {
  const [user, client, patient, type] = ['--user', '--client', '--patient', '--type'].map((name) => options.get(name));
  const [from, to] = ['--from', '--to'].map((name) => timeOf(name, options.get(name)));
  return (event) =>
    (user === undefined || event.userId === user) &&
    (client === undefined || event.clientId === client) &&
    (patient === undefined || (event.detail.patients ?? [event.detail.patient]).includes(patient)) &&
    (type === undefined || event.type === type) &&
    (from === undefined || event.recordedAt >= from) &&
    (to === undefined || event.recordedAt < to);
}

function timeOf(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new ArchiveProblem(`${name} is a date or time, such as 2026-03-04 or 2026-03-04T10:00:00Z.`);
  return time.toISOString();
}
