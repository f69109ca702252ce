import { Injectable } from '@nestjs/common';
import type { ClientImpact } from '../../contract/clients/client-changes.js';
import type { ClientForm, ClientRequest, ClientSecretForm, ClientView } from '../../contract/clients/clients.js';
import { message } from '../../contract/messages/message.js';
import { tidyClientForm } from '../../contract/rules/clients/client-form.js';
import { withKeysOfSets } from '../../contract/rules/clients/client-secrets.js';
import { defaultsOf } from '../../contract/rules/clients/derived-forms.js';
import { parsePublicJwk } from '../../contract/rules/clients/jwk.js';
import { Problem } from '../../platform/errors.js';
import { Client, type ClientContext, Clients } from '../domain/client.js';
import type { ClientSecret } from '../domain/client-secret.js';
import { ClientViews } from '../domain/client-views.js';
import { formToRegister } from '../domain/requested-form.js';
import { SecretRotations } from '../domain/secret-rotation.js';
import { ClientChanges } from './client-changes.js';
import { ClientConditions } from './client-conditions.js';

/** Larger than any number of clients. */
const all = 10_000_000;
const pageLength = 500;
const everything = {
  searchTerm: '',
  isEnabled: [],
  grantTypes: [],
  clientTypes: [],
  secretStates: [],
  permissions: [],
  subjects: [],
  tags: [],
};

/**
 * A client that a file wants: `before` is the stored one, `after` the one to store; without `after` nothing changes.
 */
export interface PlannedClient {
  before?: Client;
  after?: Client;
  /** Complete forms, for showing what changes. */
  forms: { before?: ClientForm; after: ClientForm };
  /** The hashes of the shared secrets to store: two plans are the same only if their values are. */
  secretHashes: (string | null)[];
}

/**
 * Clients as a file describes them: completely, with the rules of the form. What it leaves out has the default of the
 * type.
 */
@Injectable()
export class ClientsByFile {
  constructor(
    private readonly clients: Clients,
    private readonly views: ClientViews,
    private readonly changes: ClientChanges,
    private readonly conditions: ClientConditions,
    private readonly rotations: SecretRotations,
  ) {}

  /** All clients, by client id in the order of its characters. */
  async list(): Promise<ClientView[]> {
    const ids = await this.views.ids(everything, all);
    const found: ClientView[] = [];
    for (let start = 0; start < ids.length; start += pageLength) {
      found.push(...(await this.views.ofIds(ids.slice(start, start + pageLength))));
    }
    return found.sort((one, other) => (one.clientId < other.clientId ? -1 : 1));
  }

  /** The form of a client of this type for which nothing was decided. */
  defaultsOf(type: ClientView['clientType']): ClientForm {
    return defaultsOf(type, this.conditions.context().environment);
  }

  /** The stored clients of these ids, by id. */
  async load(ids: readonly string[]): Promise<Map<string, Client>> {
    const found = new Map<string, Client>();
    for (let start = 0; start < ids.length; start += pageLength) {
      for (const client of await this.clients.ofIds(ids.slice(start, start + pageLength))) found.set(client.id, client);
    }
    return found;
  }

  /** Applies the rules of the form; throws a `Problem` with everything that is wrong. Changes nothing. */
  plan(request: ClientRequest, before: Client | undefined): PlannedClient {
    const context = this.conditions.context();
    if (!before) {
      const after = Client.register(request, context);
      return { after, forms: { after: after.form() }, secretHashes: hashesOf(after) };
    }
    const asked = formToRegister(request);
    const complete = { ...asked, clientSecrets: withIds(withKeysOfSets(asked.clientSecrets), before.secrets, context) };
    const forms = { before: before.form() };
    // Also a client that does not satisfy the rules any more, as long as it stays as it is.
    const tidy = tidyClientForm(complete, context.environment);
    if (isSame(complete, before.form()) || isSame(tidy, before.form())) {
      return { before, forms: { ...forms, after: before.form() }, secretHashes: [] };
    }
    const after = before.change(complete, context);
    const isChanged =
      !isSame(after.form(), before.form()) && !isSame(after.form(), savedAgain(before, context)?.form());
    const shown = { ...forms, after: after.form() };
    return { before, ...(isChanged && { after }), forms: shown, secretHashes: hashesOf(after) };
  }

  async add({ after }: PlannedClient, tagIds: string[]): Promise<string> {
    if (!after) return '';
    await this.changes.add(after, tagIds);
    return after.id;
  }

  /** Stores the change if the client is still as it was planned for; without one, it only locks the client. */
  async change({ before, after }: PlannedClient, tagIds: string[] | undefined): Promise<void> {
    if (!before) return;
    const locked = await this.lock(before);
    if (after) await this.changes.change(locked, after, tagIds);
    else if (tagIds) await this.changes.change(locked, locked.withOtherTags(new Date()), tagIds);
  }

  /**
   * As by the admin API: it is refused at once, and what was granted to it ends when that cannot be undone any more.
   */
  async remove(before: Client): Promise<void> {
    await this.changes.remove(await this.lock(before), new Date());
  }

  async countWithTag(tagId: string): Promise<number> {
    return (await this.views.ids({ ...everything, tags: [tagId] }, all)).length;
  }

  impactOf(id: string): Promise<ClientImpact | undefined> {
    return this.views.impact([id]);
  }

  private async lock({ id, version }: Client): Promise<Client> {
    const locked = await this.clients.findForChange(id);
    if (locked?.version !== version) throw new Problem('conflict', message('client-changed'));
    if (await this.rotations.findByClient(locked)) throw new Problem('conflict', message('rotation-under-way'));
    return locked;
  }
}

function hashesOf({ secrets }: Client): (string | null)[] {
  return secrets.map(({ secretHash }) => secretHash);
}

/**
 * The form that saving without a change would store: settings of the portal may have changed since; undefined if it
 * would be refused.
 */
function savedAgain(client: Client, context: ClientContext): Client | undefined {
  try {
    return client.change({}, context);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/**
 * Secrets whose value is stored already get the id of the stored one: a shared secret by its hash, a key by its id or
 * address.
 */
function withIds(
  forms: readonly ClientSecretForm[],
  stored: readonly ClientSecret[],
  { hash }: ClientContext,
): ClientSecretForm[] {
  const left = [...stored];
  return forms.map((form) => {
    if (form.id) return form;
    const index = left.findIndex((secret) => isSameSecret(secret, form, hash));
    const [found] = index < 0 ? [] : left.splice(index, 1);
    if (!found) return form;
    return { ...form, id: found.id, secret: form.secretType === 'SharedSecret' ? null : (form.secret ?? null) };
  });
}

function isSameSecret(
  { secretType, secretHash, jwk, url }: ClientSecret,
  form: ClientSecretForm,
  hash: (secret: string) => string,
): boolean {
  if (secretType !== form.secretType) return false;
  if (secretType === 'SharedSecret') return Boolean(form.secret) && secretHash === hash(form.secret ?? '');
  if (form.secretUrl) return url === form.secretUrl.trim();
  const key = parsePublicJwk(form.secret ?? '');
  return 'jwk' in key && jwk?.kid === key.jwk.kid && jwk.kty === key.jwk.kty && jwk.crv === key.jwk.crv;
}

function isSame(one: ClientForm, other: ClientForm | undefined): boolean {
  return other !== undefined && JSON.stringify(comparable(one)) === JSON.stringify(comparable(other));
}

/** Without tags; members in one order, times and keys in one spelling. */
function comparable({ clientTags: _, clientSecrets, ...rest }: ClientForm): unknown {
  const secrets = clientSecrets.map(({ id, secretType, secret, secretUrl, description, expires }) => {
    const end = expires ? Date.parse(expires) : null;
    return [id ?? null, secretType, sorted(secret), secretUrl || null, description || null, end];
  });
  return [Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1)), secrets];
}

function sorted(key: string | null | undefined): unknown {
  if (!key) return null;
  const parsed = parsePublicJwk(key);
  return 'jwk' in parsed ? Object.entries(parsed.jwk).sort(([one], [other]) => (one < other ? -1 : 1)) : key;
}
