import { isUUID } from 'class-validator';
import { auditTypes } from '../../contract/audit/audit-types.js';
import { nearest } from '../../contract/rules/nearest.js';
import type { FhirBase } from '../../platform/config/fhir-bases.js';
import { Problem } from '../../platform/errors.js';
import { momentOf } from '../../platform/values/period.js';
import { type ArchivedEvent, ArchiveProblem } from '../domain/archived-event.js';
import { patientFilter } from './patient-filter.js';

/**
 * `--to` excludes its own moment; both times are compared as UTC. An archive has no names: users and clients are found
 * by their ids, patients by any reference to a record below the bases. Throws {@link ArchiveProblem} for a value that
 * has none of the forms.
 */
export function archivedEventFilter(
  options: ReadonlyMap<string, string>,
  bases: readonly FhirBase[],
): (event: ArchivedEvent) => boolean {
  const [user, client] = [userOf(options.get('--user')), options.get('--client')?.trim()];
  const [patient, type] = [patientOf(options.get('--patient'), bases), typeOf(options.get('--type'))];
  const [from, to] = ['--from', '--to'].map((name) => timeOf(name, options.get(name)));
  return (event) =>
    (user === undefined || event.userId === user) &&
    (client === undefined || event.clientId === client) &&
    (patient === undefined || isAbout(event, patient)) &&
    (type === undefined || event.type === type) &&
    (from === undefined || event.recordedAt >= from) &&
    (to === undefined || event.recordedAt < to);
}

function isAbout({ detail }: ArchivedEvent, { id, tenant }: ReturnType<typeof patientFilter>): boolean {
  const isSame = (detail.patients ?? [detail.patient]).includes(id);
  return isSame && (tenant === undefined || (detail.tenant ?? null) === tenant);
}

function patientOf(text: string | undefined, bases: readonly FhirBase[]) {
  if (text === undefined) return undefined;
  try {
    return patientFilter(text, bases);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new ArchiveProblem(`--patient: ${error.message}`);
  }
}

function userOf(text: string | undefined): string | undefined {
  const id = text?.trim().replace(/^urn:uuid:/i, '');
  if (id === undefined) return undefined;
  if (/[@/]/.test(id)) throw new ArchiveProblem('--user is the id of a user, as entries of the page Audit have it.');
  return isUUID(id, 'all') ? id.toLowerCase() : id;
}

function typeOf(text: string | undefined): string | undefined {
  const type = text?.trim().toLowerCase();
  if (type === undefined || auditTypes.some((known) => known === type)) return type;
  const near = nearest(type, auditTypes);
  const hint = near === undefined ? `Types: ${auditTypes.join(', ')}.` : `Did you mean ${near}?`;
  throw new ArchiveProblem(`--type: no event has the type ${type}. ${hint}`);
}

function timeOf(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? momentOf(text) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new ArchiveProblem(`${name} is a date or time, such as 2026-03-04 or 2026-03-04T10:00:00Z.`);
  return time.toISOString();
}
