import type { RecordedAccess } from '../../contract/audit/fhir-audit-event.js';

/** A recorded access with its id. */
export interface AccessEvent extends RecordedAccess {
  id: string;
}

/** The recorded accesses to the FHIR server. */
export abstract class AccessEvents {
  /** Returns the events with these ids in the order of their recording. */
  abstract findByIds(ids: string[]): Promise<AccessEvent[]>;
}
