import { Injectable } from '@nestjs/common';
import type { AuditType } from '../../contract/audit/audit-types.js';
import type { ClientView } from '../../contract/clients.js';
import { message } from '../../contract/messages/message.js';
import { AccessReceipts } from '../../oidc-store/infrastructure/access-receipts.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Audit, changedMembers } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { Client, Clients } from '../domain/client.js';
import { ClientViews } from '../domain/client-views.js';

/**
 * Stored changes of clients: each is recorded, and a client that is disabled, deleted or gets another id loses everything
 * that was granted to it; each user whose access ends gets a receipt. All methods run in the caller's transaction.
 */
@Injectable()
export class ClientChanges {
  constructor(
    private readonly clients: Clients,
    private readonly views: ClientViews,
    private readonly revocations: Revocations,
    private readonly receipts: AccessReceipts,
    private readonly audit: Audit,
  ) {}

  async add(client: Client, tagIds: string[]): Promise<ClientView> {
    await this.clients.add(client);
    await this.clients.tag(client, tagIds);
    const view = await this.view(client);
    await this.record('client.created', {}, view);
    return view;
  }

  /** Without `tagIds` the tags stay as they are. */
  async change(before: Client, client: Client, tagIds?: string[]): Promise<ClientView> {
    const viewBefore = await this.view(before);
    // The tags first: deleting a tag locks its links before the listing of their clients, which changing a client locks.
    if (tagIds) await this.clients.tag(client, tagIds);
    await this.clients.change(client);
    if (!client.enabled || client.clientId !== before.clientId) await this.endAccess(before);
    const view = await this.view(client);
    await this.record('client.changed', viewBefore, view);
    return view;
  }

  async remove(client: Client): Promise<void> {
    await this.record('client.deleted', await this.view(client), {});
    await this.endAccess(client);
    await this.clients.remove(client);
  }

  private async endAccess(client: Client): Promise<void> {
    await this.receipts.prepareForEveryone(client, await this.revocations.revokeClient(client.clientId));
  }

  private async view({ id }: Client): Promise<ClientView> {
    const view = await this.views.find(id);
    if (!view) throw clientGone();
    return view;
  }

  /** Views hold no shared secret, so neither does the record (security C-16, I-18). */
  private async record(type: AuditType, before: Partial<ClientView>, after: Partial<ClientView>): Promise<void> {
    const { id: subject, clientId } = { ...before, ...after };
    await this.audit.record({ type, outcome: 'success', subject, clientId, detail: changedMembers(before, after) });
  }
}

export function clientGone(): Problem {
  return new Problem('not-found', message('client-gone'));
}
