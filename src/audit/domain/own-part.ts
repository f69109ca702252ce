import type { RecordedAccess } from '../../contract/audit/fhir-audit-event.js';
import type { ExportedAccess } from './access-log.js';

/**
 * An access as the patient may have it: of several patients it names this one alone, and without the values of the search,
 * which may name others. The network address is that of the person or service.
 */
export function ownPartOf({ patient, detail, ...access }: ExportedAccess): RecordedAccess {
  const { recordedAt, userId, clientId, correlationId } = access;
  const { patients, seen, target, ...others } = detail;
  const isAlone = patients === undefined || patients.every((one) => one === patient);
  const kinds = seen?.[patients?.indexOf(patient) ?? -1];
  return {
    ...{ recordedAt, userId, clientId, correlationId },
    address: null,
    detail: {
      ...others,
      target: isAlone ? target : (target.split('?')[0] ?? ''),
      patient,
      ...(patients && { patients: [patient] }),
      ...(kinds && { seen: [kinds] }),
    },
  };
}
