import { referenceOf } from '../../contract/activity/reference.js';
import type { AuditChange, AuditClient, AuditPerson, AuditRow } from '../../contract/audit.js';
import type { Position, RecordedEvent } from './audit-event.js';

const patientsShown = 3;
/** Members whose values are never shown, should one ever be recorded. */
const secret =
  /^(secret|secretValue|clientSecret|code|otp|token|.*(accessToken|refreshToken|privateKey)|.*(password|passphrase))$/i;

export function auditRow(event: RecordedEvent): AuditRow {
  const { id, at, type, outcome, detail, subject } = event;
  const patients = patientsOf(detail);
  const person = actedOn(event);
  const known = subject === event.userId || person !== null || subject === event.clientRecordId;
  return {
    id,
    at: at.toISOString(),
    cursor: cursorOf({ id, at }),
    type,
    outcome,
    who: actor(event),
    client: clientOf(event),
    person,
    subject: known ? null : subject,
    patients: patients.slice(0, patientsShown),
    patientCount: patients.length,
    interaction: typeof detail.interaction === 'string' ? (detail.interaction as AuditRow['interaction']) : null,
    kinds: kindsOf(detail),
  };
}

export function launchReference({ detail: { launch } }: RecordedEvent): string | null {
  return typeof launch === 'string' && launch.length >= 8 ? referenceOf(launch) : null;
}

function actor({ userId, userName, userType }: RecordedEvent): AuditPerson | null {
  return userId === null ? null : { id: userId, name: userName, userType };
}

/** The subject, where the event is about an account that another one acted on. */
function actedOn({ type, userId, subject, subjectName, subjectType }: RecordedEvent): AuditPerson | null {
  if (subject === null || subject === userId) return null;
  const isAccount = subjectName !== null || /^(user|account|admin|password)\./.test(type);
  return isAccount ? { id: subject, name: subjectName, userType: subjectType } : null;
}

function clientOf({ clientId, clientName, clientRecordId }: RecordedEvent): AuditClient | null {
  return clientId === null ? null : { id: clientId, name: clientName, recordId: clientRecordId };
}

/** Events of earlier versions name one patient. */
function patientsOf({ patients, patient }: RecordedEvent['detail']): string[] {
  if (Array.isArray(patients)) return patients.filter((one): one is string => typeof one === 'string');
  return typeof patient === 'string' ? [patient] : [];
}

function kindsOf({ seen, resource }: RecordedEvent['detail']): string[] {
  const answered = Array.isArray(seen) ? seen.flatMap((one) => Object.keys((one ?? {}) as object)) : [];
  const asked = typeof resource === 'string' ? [resource] : [];
  return [...new Set((answered.length > 0 ? answered : asked).map((kind) => kind.split('/')[0] ?? ''))];
}

/** Members of the detail that say what was before and after: `[before, after]`. */
export function changesOf({ type, detail }: RecordedEvent): AuditChange[] {
  if (!/\.(changed|created|deleted)$/.test(type)) return [];
  return Object.entries(detail).flatMap(([field, change]) => {
    if (!Array.isArray(change) || change.length > 2) return [];
    const [before = null, after = null] = change;
    // The record has only the descriptions of a client's secrets.
    const isHidden = field === 'clientSecrets' || secret.test(field);
    return [{ field, isHidden, before: isHidden ? null : before, after: isHidden ? null : after }];
  });
}

/** The detail as it is recorded, without values of secrets. */
export function shownDetail({ detail }: RecordedEvent): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [name, secret.test(name) ? 'not shown' : value]),
  );
}

function cursorOf({ at, id }: Position): string {
  return `${at.getTime()}.${id}`;
}

export function positionOf(cursor: string): Position {
  const [ms, id = ''] = cursor.split('.');
  return { at: new Date(Number(ms)), id };
}
