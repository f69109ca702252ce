import { FhirServerFailure } from '../../fhir-server/application/fhir-server.js';
import type { EhrContext } from '../../oidc/domain/launch.js';
import type { ServerCandidates } from './candidates.js';

/** Why the records of an announcement cannot be launched with. */
export type RecordsFault =
  | { code: 'ehr-patient-unknown'; detail: { patient: string } }
  | { code: 'ehr-encounter-unknown'; detail: { encounter: string } }
  | { code: 'ehr-encounter-of-other'; detail: { patient: string; encounter: string } };

/**
 * Checks that the patient and the encounter of an announcement are on the FHIR server and fit together. Undefined if
 * they do, and where the FHIR server gives no answer: the EHR knows its patients better than a
 * server that is down.
 */
export async function recordsFault(
  { patient, encounter }: EhrContext,
  candidates: ServerCandidates,
): Promise<RecordsFault | undefined> {
  try {
    const [person, visit] = await Promise.all([
      patient === undefined ? undefined : candidates.read('Patient', patient),
      encounter === undefined ? undefined : candidates.read('Encounter', encounter),
    ]);
    if (patient !== undefined && person === undefined) return { code: 'ehr-patient-unknown', detail: { patient } };
    if (encounter === undefined) return undefined;
    if (visit === undefined) return { code: 'ehr-encounter-unknown', detail: { encounter } };
    const isOfOther = patient !== undefined && candidates.isOfOther(visit, patient);
    return isOfOther ? { code: 'ehr-encounter-of-other', detail: { patient, encounter } } : undefined;
  } catch (error) {
    if (error instanceof FhirServerFailure) return undefined;
    throw error;
  }
}
