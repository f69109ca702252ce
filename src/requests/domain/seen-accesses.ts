import type { SeenAccess } from '../../contract/requests.js';
import type { HospitalRequest } from './request.js';

/** What an account has seen of a patient. */
export abstract class SeenAccesses {
  /** Newest first, 200 at most; from the decision about the request on. */
  abstract after(request: HospitalRequest, patient: string): Promise<SeenAccess[]>;
}
