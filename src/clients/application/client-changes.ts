import { Injectable } from '@nestjs/common';
import type { AuditType } from '../../contract/audit/audit-types.js';
import type { ClientEnabling } from '../../contract/clients/client-changes.js';
import type { ClientView } from '../../contract/clients/clients.js';
import { message } from '../../contract/messages/message.js';
import { ManagedObjects } from '../../managed/application/managed-objects.js';
import { Audit, changedMembers } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { Client, Clients } from '../domain/client.js';
import { ClientViews } from '../domain/client-views.js';
import { ClientEndings } from './client-endings.js';

/**
 * Stored changes of clients: each is recorded. A client that gets another id loses everything that was granted to it;
 * one that is disabled or deleted loses it when that can no longer be undone. All methods run in the caller's
 * transaction.
 */
@Injectable()
export class ClientChanges {
  constructor(
    private readonly clients: Clients,
    private readonly views: ClientViews,
    private readonly endings: ClientEndings,
    private readonly audit: Audit,
    private readonly managed: ManagedObjects,
  ) {}

  /** Locks a client that is to be changed by hand: none that a file manages. */
  async lock(id: string): Promise<Client> {
    const client = await this.lockToDisable(id);
    await this.refuseManaged(client);
    return client;
  }

  /** As {@link lock}, for a client that is enabled again: also one whose file has it enabled. */
  async lockToEnable(id: string): Promise<Client> {
    const client = await this.lockToDisable(id);
    await this.refuseEnabling(client);
    return client;
  }

  /** As {@link lock}, also for a client that a file manages: a client can be stopped in any case. */
  async lockToDisable(id: string): Promise<Client> {
    const client = await this.clients.findForChange(id);
    if (!client) throw clientGone();
    return client;
  }

  /** Refuses a change by hand. */
  refuseManaged({ id }: Client): Promise<void> {
    return this.managed.refuseManaged('client', id);
  }

  /** Refuses to enable a client by hand, unless its file has it enabled. */
  refuseEnabling({ id }: Client): Promise<void> {
    return this.managed.refuseEnabling(id);
  }

  async add(client: Client, tagIds: string[]): Promise<ClientView> {
    await this.clients.add(client);
    await this.clients.tag(client, tagIds);
    const view = await this.view(client);
    await this.record('client.created', {}, view);
    return view;
  }

  /** Without `tagIds` the tags stay as they are. */
  async change(before: Client, client: Client, tagIds?: string[]): Promise<ClientView> {
    return (await this.changeKeeping(before, client, tagIds)).client;
  }

  /** As {@link change}; says whether a client that was disabled has all its access again. */
  async changeKeeping(before: Client, client: Client, tagIds?: string[]): Promise<ClientEnabling> {
    const viewBefore = await this.view(before);
    // The tags first: deleting a tag locks its links before the listing of their clients, which changing a client
    // locks.
    if (tagIds) await this.clients.tag(client, tagIds);
    await this.clients.change(client);
    const hasKeptAccess = await this.endOrKeepAccess(before, client);
    const view = await this.view(client);
    await this.record('client.changed', viewBefore, view);
    return { client: view, hasKeptAccess };
  }

  /** Disables a client without the time to undo it. */
  async disableAtOnce(before: Client, now: Date): Promise<void> {
    await this.change(before, before.disable(now));
    await this.endings.endAccess(before, 'ended-with-client-disabled');
  }

  /** Disables and hides the client; it is removed when that can no longer be undone. */
  async remove(client: Client, now: Date): Promise<void> {
    await this.record('client.deleted', await this.view(client), {});
    await this.clients.change(client.disable(now));
    await this.clients.hide(client);
    await this.endings.begin(client, 'client');
  }

  /** Undoes {@link remove}; undefined if it is too late: then nothing is changed. */
  async restore(client: Client, now: Date): Promise<ClientView | undefined> {
    if (!(await this.endings.takeBackDeletion(client))) return undefined;
    const wasEnabled = await this.clients.unhide(client);
    const restored = wasEnabled ? client.enable(now) : client;
    if (wasEnabled) await this.clients.change(restored);
    const view = await this.view(restored);
    await this.record('client.restored', view, view);
    return view;
  }

  /** Returns true if a client that was disabled has all its access again. */
  private async endOrKeepAccess(before: Client, client: Client): Promise<boolean> {
    if (before.enabled && !client.enabled) await this.endings.begin(client, 'access');
    const was = !before.enabled && client.enabled ? await this.endings.takeBackAccess(client) : undefined;
    const isRenamed = client.clientId !== before.clientId;
    if (was === 'due' || isRenamed) {
      await this.endings.endAccess(before, isRenamed ? 'ended-with-client-id' : 'ended-with-client-disabled');
    }
    return was === 'waiting' && !isRenamed;
  }

  private async view({ id }: Client): Promise<ClientView> {
    const view = await this.views.findById(id);
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
