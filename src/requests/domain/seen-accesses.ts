import type { SeenAccess } from '../../contract/requests.js';
import type { HospitalRequest } from './request.js';

/** The accesses of an account to the record of a patient. */
export abstract class SeenAccesses {
  /** Newest first, 200 at most; from the decision about the request on. */
  abstract after(request: HospitalRequest, patient: string): Promise<SeenAccess[]>;
}
