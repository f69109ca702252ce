import { Injectable } from '@nestjs/common';
import { chosenIds, csvOf } from '../../bulk/application/chosen-rows.js';
import type { ClientChoice } from '../../contract/clients/bulk.js';
import type { ClientView } from '../../contract/clients/clients.js';
import { Audit } from '../../platform/audit/audit.js';
import { ClientViews } from '../domain/client-views.js';

const columns: Record<string, (client: ClientView) => unknown> = {
  client_id: ({ clientId }) => clientId,
  name: ({ clientName }) => clientName,
  type: ({ clientType }) => clientType,
  enabled: ({ enabled }) => enabled,
  tags: ({ clientTags }) => clientTags.map(({ value }) => value).join(' | '),
  company: ({ legalCompanyName }) => legalCompanyName,
  description: ({ description }) => description,
  grant_types: ({ allowedGrantTypes }) => allowedGrantTypes.join(' '),
  redirect_uris: ({ redirectUris }) => redirectUris.join(' '),
  secrets: ({ clientSecrets }) => clientSecrets.length,
  next_secret_end: ({ clientSecrets }) => clientSecrets.flatMap(({ expires }) => expires ?? []).sort()[0],
  id: ({ id }) => id,
};

/** Clients as a CSV file, without their secrets. */
@Injectable()
export class ClientExports {
  constructor(
    private readonly views: ClientViews,
    private readonly audit: Audit,
  ) {}

  /** The ids are read, and the export is recorded, when the promise resolves; the rows are read a page at a time. */
  async begin(choice: ClientChoice): Promise<AsyncIterable<string>> {
    const ids = await chosenIds(choice, (filter, most) => this.views.ids(filter, most));
    await this.audit.record({
      type: 'list.exported',
      outcome: 'success',
      detail: { list: 'clients', count: ids.length },
    });
    return csvOf(columns, ids, (page) => this.views.ofIds(page));
  }
}
