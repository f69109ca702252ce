import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { presentIdOf } from './moved-requests.js';

/**
 * Why a request cannot be continued. `gone`: no request waits under the id; `cut-address`: no request can have this id;
 * `waiting`: nothing of the request itself speaks against it.
 */
type RequestEnd = 'expired' | 'no-cookie' | 'other-browser' | 'gone' | 'cut-address' | 'waiting';

/** Ids of requests as the engine makes them. */
const idForm = /^[\w-]{43}$/;

/** A client's request that a browser wants to continue, and what is known of it. */
interface EndedRequest {
  reason: RequestEnd;
  /** Since it expired. */
  seconds: number;
  /** Absent for one that is gone. */
  launchId?: string | undefined;
  /** The session of the browser when the request began to wait; absent for one that began without a sign-in. */
  sessionUid?: string | undefined;
}

/** Finds out why a request cannot be continued, by any id that it had and the cookie that binds it to its browser. */
export async function endOfRequest(
  records: OidcRecords,
  id: string,
  binding: string | undefined,
): Promise<EndedRequest> {
  const found = await records.findPast('Interaction', await presentIdOf(records, id));
  if (!found) return { reason: idForm.test(id) ? 'gone' : 'cut-address', seconds: 0 };
  const { browser, launchId, session } = found.payload as {
    browser?: string;
    launchId?: string;
    session?: { uid?: string };
  };
  const seconds = Math.max(0, found.expiredSince);
  const facts = { seconds, launchId, sessionUid: session?.uid };
  if (found.expiredSince >= 0) return { ...facts, reason: 'expired' };
  if (binding === undefined) return { ...facts, reason: 'no-cookie' };
  return { ...facts, reason: sha256(binding) === browser ? 'waiting' : 'other-browser' };
}
