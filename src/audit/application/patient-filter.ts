import { message } from '../../contract/messages/message.js';
import type { FhirBase } from '../../platform/config/fhir-bases.js';
import { elsewhere, type NamedRecord, readNamedRecord } from '../../platform/config/named-record.js';
import { Problem } from '../../platform/errors.js';

/**
 * The patient that a filter of events names, by id or reference. Throws `invalid` at the field `patient` for any
 * other text.
 */
export function patientFilter(typed: string, bases: readonly FhirBase[]): Pick<NamedRecord, 'id' | 'tenant'> {
  const named = readNamedRecord(typed, bases);
  if (named === elsewhere) {
    const known = bases.map(({ url }) => url).join(', ');
    throw refused(message('audit-patient-elsewhere', { bases: known }));
  }
  if (named?.type?.toLowerCase() === 'patient' || (named && named.type === undefined)) return named;
  throw refused(message('audit-patient-form'));
}

function refused(problem: ReturnType<typeof message>): Problem {
  return Problem.invalid([{ field: 'patient', messages: [problem] }]);
}
