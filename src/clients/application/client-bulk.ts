import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Applied, BulkChanges, type ChangedItem, type Undone } from '../../bulk/application/bulk-changes.js';
import { chosenIds, csvOf } from '../../bulk/application/chosen-rows.js';
import type { BulkProgress, ClientBulkRequest, ClientChoice } from '../../contract/clients/bulk.js';
import type { ClientView } from '../../contract/clients/clients.js';
import { message } from '../../contract/messages/message.js';
import type { BulkFailure, ClientBulkAction } from '../../contract/rules/bulk.js';
import { subjectsOf, widestScopesOf } from '../../contract/rules/clients/client-permissions.js';
import { Audit } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import { type Client, Clients } from '../domain/client.js';
import { ClientViews } from '../domain/client-views.js';
import { ClientChanges } from './client-changes.js';
import { ClientConditions } from './client-conditions.js';
import { refuseServices } from './client-management.js';

/** No form has more. */
const mostTags = 50;

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
  scopes: (client) => widestScopesOf(client).join(' '),
  operation_scopes: (client) =>
    subjectsOf(client).length === 0 ? '' : client.allowedOperationScopes.join(' ') || 'all',
};

/** Calls of administrators about many clients: each client is changed and recorded as by a call of its own. */
@Injectable()
export class ClientBulk implements OnModuleInit {
  constructor(
    private readonly clients: Clients,
    private readonly views: ClientViews,
    private readonly changes: ClientChanges,
    private readonly conditions: ClientConditions,
    private readonly bulk: BulkChanges,
    private readonly audit: Audit,
  ) {}

  onModuleInit(): void {
    this.bulk.register('clients', {
      apply: (target, request, caller) => this.apply(target, request as ClientBulkRequest, caller),
      restore: (item, request) => this.restore(item, request as ClientBulkRequest),
    });
    // A service acts for as long as its client may.
    this.bulk.admit(true, async ({ id }) => {
      const client = await this.clients.findByClientId(id.replace(/^client /, ''));
      return client?.enabled === true;
    });
  }

  /** Disabling is for emergencies, too: it needs no FHIR server. */
  async change(id: string, request: ClientBulkRequest, caller: SignedInUser): Promise<BulkProgress> {
    const { action, addTags = [], removeTags = [] } = request;
    if (action !== 'disable') this.conditions.refuseWithoutFhirServer();
    if (action === 'tag' && addTags.length + removeTags.length === 0) {
      throw Problem.invalid([{ field: 'addTags', messages: [message('bulk-tags-needed')] }]);
    }
    const progress = await this.bulk.carryOut({ id, caller, subject: 'clients', request }, () =>
      chosenIds(request, (filter, most) => this.views.ids(filter, most)),
    );
    const { total, done, changed, failed } = progress;
    if (done === total) log.info({ bulkChange: id, action, total, changed, failed }, 'bulk change of clients finished');
    return progress;
  }

  undo(id: string, caller: SignedInUser): Promise<BulkProgress> {
    return this.bulk.undo(id, caller);
  }

  /**
   * The chosen clients as a CSV file, without their secrets. The ids are read, and the export is recorded, when the
   * promise resolves; the rows are read a page at a time.
   */
  async export(choice: ClientChoice): Promise<AsyncIterable<string>> {
    const ids = await chosenIds(choice, (filter, most) => this.views.ids(filter, most));
    await this.audit.record({
      type: 'list.exported',
      outcome: 'success',
      detail: { list: 'clients', count: ids.length },
    });
    return csvOf(columns, ids, (page) => this.views.ofIds(page));
  }

  private async apply(target: string, request: ClientBulkRequest, caller: SignedInUser): Promise<Applied> {
    const client = await this.clients.findForChange(target);
    if (!client) return { outcome: 'failed', name: null, reason: 'gone' };
    const name = client.clientName || client.clientId;
    try {
      refuseServices(caller, client.clientType);
      await this.refuseManaged(client, request.action);
      return { name, ...(await this.applyTo(client, request)) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const reason = reasons[error.userMessage.code] ?? (error.kind === 'forbidden' ? 'forbidden' : 'rules');
      return { outcome: 'failed', name, reason };
    }
  }

  private async refuseManaged(client: Client, action: ClientBulkAction): Promise<void> {
    if (action === 'enable') await this.changes.refuseEnabling(client);
    else if (action !== 'disable') await this.changes.refuseManaged(client);
  }

  private async applyTo(
    client: Client,
    request: ClientBulkRequest,
  ): Promise<{ outcome: 'unchanged' } | { outcome: 'changed'; version?: number; before?: unknown }> {
    const now = new Date();
    switch (request.action) {
      case 'disable':
        if (!client.enabled) return { outcome: 'unchanged' };
        await this.changes.change(client, client.disable(now));
        break;
      case 'enable':
        if (client.enabled) return { outcome: 'unchanged' };
        // Refuses a client whose settings do not satisfy the rules.
        client.change({ enabled: true }, this.conditions.context());
        await this.changes.change(client, client.enable(now));
        break;
      case 'tag': {
        const before = await this.tagsOf(client);
        const removed = new Set(request.removeTags);
        const after = [...new Set([...before, ...(request.addTags ?? [])])].filter((tag) => !removed.has(tag));
        if (after.length === before.length && after.every((tag) => before.includes(tag)))
          return { outcome: 'unchanged' };
        if (after.length > mostTags) throw new Problem('invalid', message('client-tag-gone'));
        const { version } = await this.changes.change(client, client.withOtherTags(now), after);
        return { outcome: 'changed', version, before };
      }
      case 'delete':
        await this.changes.remove(client, now);
        break;
    }
    return { outcome: 'changed', version: client.version + 1 };
  }

  /** A client that was changed again since stays as it is. */
  private async restore({ target, version, before }: ChangedItem, { action }: ClientBulkRequest): Promise<Undone> {
    const now = new Date();
    if (action === 'delete') return this.restoreDeleted(target, version, now);
    const client = await this.clients.findForChange(target);
    if (!client || client.version !== version) return changedSince;
    if (await this.isNowManaged(client, action)) return { outcome: 'kept', reason: 'managed' };
    if (action === 'disable') {
      const { hasKeptAccess } = await this.changes.changeKeeping(client, client.enable(now));
      return { outcome: 'restored', hasLostAccess: !hasKeptAccess };
    }
    if (action === 'enable') await this.changes.change(client, client.disable(now));
    else {
      // A tag may have been deleted since.
      await this.changes.change(client, client.withOtherTags(now), await this.views.existingTags(before as string[]));
    }
    return { outcome: 'restored' };
  }

  /** True if the client has come under a file since, which does not permit the undo. */
  private async isNowManaged(client: Client, undone: ClientBulkAction): Promise<boolean> {
    const reverse = { enable: 'disable', disable: 'enable', tag: 'tag', delete: 'delete' } as const;
    try {
      await this.refuseManaged(client, reverse[undone]);
      return false;
    } catch (error) {
      if (error instanceof Problem && error.kind === 'conflict') return true;
      throw error;
    }
  }

  /** Only while it can be undone; a deletion that was undone by another call, or is a later one, is left alone. */
  private async restoreDeleted(target: string, version: number | null, now: Date): Promise<Undone> {
    if (await this.clients.findForChange(target)) return changedSince;
    const client = await this.clients.findToEnd(target);
    if (client && client.version !== version) return changedSince;
    if (!client || !(await this.changes.restore(client, now))) return { outcome: 'kept', reason: 'too-late' };
    return { outcome: 'restored' };
  }

  private async tagsOf({ id }: Client): Promise<string[]> {
    return (await this.views.findById(id))?.clientTags.map((tag) => tag.id) ?? [];
  }
}

const changedSince: Undone = { outcome: 'kept', reason: 'changed-since' };

const reasons: Partial<Record<string, BulkFailure>> = { 'client-tag-gone': 'tags', 'client-managed': 'managed' };
