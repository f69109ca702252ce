import { message } from '../../contract/messages/message.js';
import type { Secrets } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';

/** A search for candidates, of which there may be several pages. */
interface Search {
  interactionId: string;
  type: string;
  /** Id of the patient whose resources are searched. */
  patient: string | undefined;
}

/** Seals a link of the FHIR server to a further page: it leads to pages of this search only, whatever it contains. */
export function sealedLink(secrets: Secrets, address: string, search: Search): string {
  return secrets.seal('launch-paging', address, contextOf(search)).toString('base64url');
}

/** The address in a sealed link. Throws `invalid` unless the link belongs to this search. */
export function openedLink(secrets: Secrets, link: string, search: Search): string {
  try {
    return secrets.open('launch-paging', Buffer.from(link, 'base64url'), contextOf(search));
  } catch {
    throw new Problem('invalid', message('request-invalid'));
  }
}

function contextOf({ interactionId, type, patient }: Search): string {
  return JSON.stringify([interactionId, type, patient ?? null]);
}
