import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';

/** A search for candidates, of which there may be several pages. */
interface Search {
  interactionId: string;
  type: string;
  /** Id of the patient whose resources are searched. */
  patient: string | undefined;
}

/** Links of the FHIR server to further pages, sealed: they lead to pages of one search only, whatever they contain. */
@Injectable()
export class PageLinks {
  constructor(private readonly secrets: Secrets) {}

  seal(address: string, search: Search): string {
    return this.secrets.seal('launch-paging', address, contextOf(search)).toString('base64url');
  }

  /** Throws `invalid` unless the link belongs to this search. */
  open(link: string, search: Search): string {
    try {
      return this.secrets.open('launch-paging', Buffer.from(link, 'base64url'), contextOf(search));
    } catch {
      throw new Problem('invalid', message('request-invalid'));
    }
  }
}

function contextOf({ interactionId, type, patient }: Search): string {
  return JSON.stringify([interactionId, type, patient ?? null]);
}
