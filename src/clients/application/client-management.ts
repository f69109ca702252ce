import { Injectable } from '@nestjs/common';
import type {
  ClientList,
  ClientListQuery,
  ClientRequest,
  ClientSecretView,
  ClientView,
} from '../../contract/clients.js';
import { message } from '../../contract/messages/message.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import type { SignedInUser } from '../../platform/signed-in-user.js';
import { Client, Clients } from '../domain/client.js';
import { ClientViews } from '../domain/client-views.js';
import { ClientChanges, clientGone } from './client-changes.js';
import { ClientConditions } from './client-conditions.js';

/** Administrators' use cases for clients. */
@Injectable()
export class ClientManagement {
  constructor(
    private readonly clients: Clients,
    private readonly views: ClientViews,
    private readonly changes: ClientChanges,
    private readonly conditions: ClientConditions,
    private readonly database: Database,
  ) {}

  listClients(query: ClientListQuery): Promise<ClientList> {
    return this.views.list(query);
  }

  countClients(): Promise<number> {
    return this.views.count();
  }

  async getClient(id: string): Promise<ClientView> {
    const client = await this.views.find(id);
    if (!client) throw clientGone();
    return client;
  }

  /** The only answer that holds shared secrets: they cannot be viewed after it (`spec §4`, security C-16). */
  async registerClient(request: ClientRequest, caller: SignedInUser): Promise<ClientView> {
    refuseServices(caller, request.clientType);
    this.conditions.refuseWithoutFhirServer();
    return this.database.transaction(async () => {
      const client = Client.register(request, this.conditions.context());
      const view = await this.changes.add(client, tagIdsOf(request) ?? []);
      log.info({ client: client.clientId }, 'a client was registered');
      return { ...view, clientSecrets: view.clientSecrets.map((secret, index) => withValue(secret, index, request)) };
    });
  }

  /** A client that is disabled or gets another id loses everything that was granted to it. */
  async changeClient(id: string, request: ClientRequest, caller: SignedInUser): Promise<ClientView> {
    this.conditions.refuseWithoutFhirServer();
    if (request.id !== undefined && request.id !== id) {
      throw Problem.invalid([{ field: 'id', messages: [message('client-form-of-other')] }]);
    }
    const changed = await this.database.repeatableTransaction(async () => {
      const before = await this.clients.findForChange(id);
      if (!before) throw clientGone();
      refuseServices(caller, before.clientType, request.clientType);
      return this.changes.change(before, before.change(request, this.conditions.context()), tagIdsOf(request));
    });
    log.info({ client: changed.clientId, version: changed.version }, 'a client was changed');
    return changed;
  }

  /**
   * Disables a client in an emergency, by its OAuth client id: it needs neither the FHIR server nor a form without
   * faults.
   */
  async disableClient(clientId: string): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      const { id } = (await this.clients.findByClientId(clientId)) ?? {};
      const before = id === undefined ? undefined : await this.clients.findForChange(id);
      if (!before) throw new Problem('not-found', message('client-unknown', { clientId }));
      await this.changes.change(before, before.disable(new Date()));
    });
    log.info({ client: clientId }, 'a client was disabled');
  }

  async deleteClient(id: string, caller: SignedInUser): Promise<void> {
    this.conditions.refuseWithoutFhirServer();
    const clientId = await this.database.repeatableTransaction(async () => {
      const client = await this.clients.findForChange(id);
      if (!client) throw clientGone();
      refuseServices(caller, client.clientType);
      await this.changes.remove(client);
      return client.clientId;
    });
    log.info({ client: clientId }, 'a client was deleted');
  }
}

/** A service must not make itself, or another one, more powerful than an administrator made it (security I-15). */
function refuseServices({ isService }: SignedInUser, ...types: (string | null | undefined)[]): void {
  if (!isService || !types.some((type) => /^ManagementApi$/i.test(type ?? ''))) return;
  throw new Problem('forbidden', message('client-management-forbidden'));
}

/** Undefined leaves the tags as they are; null, as forms send it, takes them all off. */
function tagIdsOf({ clientTags }: ClientRequest): string[] | undefined {
  return clientTags === undefined ? undefined : (clientTags ?? []).map(({ id }) => id);
}

function withValue(secret: ClientSecretView, index: number, { clientSecrets }: ClientRequest): ClientSecretView {
  if (secret.secretType !== 'SharedSecret') return secret;
  return { ...secret, secret: clientSecrets?.[index]?.secret ?? null };
}
