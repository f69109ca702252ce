import { Injectable } from '@nestjs/common';
import { ClientManagement } from '../../clients/application/client-management.js';
import type { ClientHistory } from '../../contract/clients/client-changes.js';
import { AuditRecord } from '../domain/audit-event.js';
import { clientChange, clientEvents } from '../domain/client-history.js';

/** As many as the edit form needs; the audit page has all. */
const changesListed = 50;

/** The changes of a client, each with its time and administrator. */
@Injectable()
export class ClientHistories {
  constructor(
    private readonly record: AuditRecord,
    private readonly clients: ClientManagement,
  ) {}

  async historyOf(id: string): Promise<ClientHistory> {
    const client = await this.clients.getClient(id);
    const events = await this.record.page(
      {
        ...noFilter,
        types: clientEvents,
        anyOf: { entry: undefined, launch: undefined, clientIds: [], objects: [client.id] },
      },
      { newestFirst: true, length: changesListed, after: undefined },
    );
    return { changes: events.filter(({ subject }) => subject === client.id).map(clientChange) };
  }
}

const noFilter = {
  outcome: 'success',
  accountId: undefined,
  clientId: undefined,
  patient: undefined,
  tenant: undefined,
  kind: undefined,
  addresses: undefined,
  correlationId: undefined,
  launch: undefined,
  administrators: false,
  from: undefined,
  to: undefined,
} as const;
