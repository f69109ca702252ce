import { Injectable } from '@nestjs/common';
import type { ClientEnabling, ClientImpact } from '../../contract/clients/client-changes.js';
import type {
  ClientList,
  ClientListQuery,
  ClientRequest,
  ClientSecretView,
  ClientView,
} from '../../contract/clients/clients.js';
import { message } from '../../contract/messages/message.js';
import type { FoundClient } from '../../contract/palette.js';
import { mostFound } from '../../contract/rules/lists.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import { Client, Clients } from '../domain/client.js';
import { type ClientMatches, ClientViews } from '../domain/client-views.js';
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

  findClients(term: string): Promise<ClientMatches> {
    return this.views.search(term, mostFound);
  }

  /** The clients of these ids that exist. */
  async namedClients(ids: readonly string[]): Promise<FoundClient[]> {
    const clients = ids.length === 0 ? [] : await this.views.ofIds(ids);
    return clients.map(({ id, clientId, clientName, enabled, clientSecrets }) => ({
      ...{ id, clientId, clientName, enabled },
      hasSharedSecret: clientSecrets.some(({ secretType }) => secretType === 'SharedSecret'),
    }));
  }

  /**
   * The client id that a filter names: by itself, also that of a client that is not registered, or by the name or the
   * record's id of a client. Throws `invalid` next to `clientId` if several clients have the name.
   */
  async clientIdNamed(typed: string): Promise<string> {
    const text = typed.trim();
    const { byId, byName } = await this.views.clientIdsNamed(text);
    const [known] = byId;
    // Ids that differ in the case of their letters only are two, where they are older than the rule.
    if (known !== undefined) return byId.includes(text) ? text : known;
    if (byName.length > 1) throw Problem.invalid([{ field: 'clientId', messages: [message('filter-client-several')] }]);
    return byName[0] ?? typed;
  }

  countClients(): Promise<number> {
    return this.views.count();
  }

  async getClient(id: string): Promise<ClientView> {
    const client = await this.views.findById(id);
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
      log.info({ client: client.clientId }, 'client registered');
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
      const before = await this.changes.lock(id);
      refuseServices(caller, before.clientType, request.clientType);
      return this.changes.change(before, before.change(request, this.conditions.context()), tagIdsOf(request));
    });
    log.info({ client: changed.clientId, version: changed.version }, 'client changed');
    return changed;
  }

  /**
   * Disables or enables a client in place. Unlike the form it needs neither the FHIR server nor a client that still
   * satisfies all rules: it is what an administrator does in an emergency, and takes back.
   */
  async setEnabled(id: string, enabled: boolean, caller: SignedInUser): Promise<ClientEnabling> {
    const changed = await this.database.repeatableTransaction(async () => {
      const before = await (enabled ? this.changes.lockToEnable(id) : this.changes.lockToDisable(id));
      refuseServices(caller, before.clientType);
      if (before.enabled === enabled) return { client: await this.getClient(id), hasKeptAccess: false };
      const now = new Date();
      return this.changes.changeKeeping(before, enabled ? before.enable(now) : before.disable(now));
    });
    log.info({ client: changed.client.clientId, enabled }, 'client enabled or disabled');
    return changed;
  }

  /** Disables a client by its OAuth client id, for the command line: without the time to undo it. */
  async disableClient(clientId: string): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      const { id } = (await this.clients.findByClientId(clientId)) ?? {};
      const before = id === undefined ? undefined : await this.clients.findForChange(id);
      if (!before) throw new Problem('not-found', message('client-unknown', { clientId }));
      await this.changes.disableAtOnce(before, new Date());
    });
    log.info({ client: clientId }, 'client disabled');
  }

  /** From now on the client is refused and not found; until it is removed, {@link restoreClient} takes this back. */
  async deleteClient(id: string, caller: SignedInUser): Promise<void> {
    this.conditions.refuseWithoutFhirServer();
    const clientId = await this.database.repeatableTransaction(async () => {
      const client = await this.changes.lock(id);
      refuseServices(caller, client.clientType);
      await this.changes.remove(client, new Date());
      return client.clientId;
    });
    log.info({ client: clientId }, 'client deleted');
  }

  /** Repeated calls answer alike: the answer to the first may have been lost. */
  async restoreClient(id: string, caller: SignedInUser): Promise<ClientView> {
    const restored = await this.database.repeatableTransaction(async () => {
      if (await this.clients.findForChange(id)) return this.getClient(id);
      const client = await this.clients.findToEnd(id);
      if (!client) throw clientGone();
      refuseServices(caller, client.clientType);
      const shown = await this.changes.restore(client, new Date());
      if (!shown) throw clientGone();
      return shown;
    });
    log.info({ client: restored.clientId }, 'client deletion undone');
    return restored;
  }

  /** The access that would end with these clients. */
  async impactOf(ids: readonly string[]): Promise<ClientImpact> {
    const impact = await this.views.impact(ids);
    if (!impact) throw clientGone();
    return impact;
  }
}

/** A service must not make itself, or another one, more powerful than an administrator made it (security I-15). */
export function refuseServices({ isService }: SignedInUser, ...types: (string | null | undefined)[]): void {
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
