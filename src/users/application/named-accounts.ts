import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { message } from '../../contract/messages/message.js';
import { isAddress } from '../../contract/rules/users/email.js';
import { Config } from '../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { readNamedRecord } from '../../platform/config/named-record.js';
import { Problem } from '../../platform/errors.js';
import { UserViews } from '../domain/user-views.js';

/** The accounts that filters of administrators name. */
@Injectable()
export class NamedAccounts {
  private readonly bases: readonly FhirBase[];

  constructor(
    private readonly views: UserViews,
    config: Config,
  ) {
    this.bases = fhirBasesOf(config);
  }

  /**
   * The id of the account of this id, also of a deleted one, of this email address or this FHIR record; or the id of a
   * service with a management token (`client <client id>`). Throws `invalid` next to `accountId` if the text is none of
   * these, or if there is not exactly one such account.
   */
  async idNamed(typed: string): Promise<string> {
    const text = typed.trim().replace(/^urn:uuid:/i, '');
    if (isUUID(text, 'all')) return text.toLowerCase();
    if (/^client \S/.test(text)) return text;
    const named = text.includes('@') ? undefined : readNamedRecord(text, this.bases);
    const fhirUser = typeof named === 'object' && named.type !== undefined ? `${named.type}/${named.id}` : undefined;
    if (fhirUser === undefined && !isAddress(text)) throw refused('filter-person-form');
    const [id, ...others] = await this.views.idsNamed(fhirUser === undefined ? { email: text } : { fhirUser });
    if (id === undefined) throw refused('filter-person-unknown');
    if (others.length > 0) throw refused('filter-person-several');
    return id;
  }
}

function refused(code: 'filter-person-form' | 'filter-person-unknown' | 'filter-person-several'): Problem {
  return Problem.invalid([{ field: 'accountId', messages: [message(code)] }]);
}
