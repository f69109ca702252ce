import type { ClientSettings } from '../../contract/clients/client-settings.js';
import type { ClientForm, ClientRequest, ClientSecretForm } from '../../contract/clients/clients.js';
import { type FieldProblem, message } from '../../contract/messages/message.js';
import type { ClientType } from '../../contract/rules/client-values.js';
import {
  type ClientFormEnvironment,
  type ClientFormMode,
  defaultClientSettings,
} from '../../contract/rules/clients/client-fields.js';
import { clientFormProblems, tidyClientForm } from '../../contract/rules/clients/client-form.js';
import { secretEndProblems } from '../../contract/rules/clients/client-secrets.js';
import type { PublicJwk } from '../../contract/rules/clients/jwk.js';
import { invalidValue } from '../../contract/rules/text.js';
import { differences } from '../../contract/rules/version-conflict.js';
import { Problem } from '../../platform/errors.js';
import { ClientSecret, unusableKeyProblem } from './client-secret.js';
import { formToChange, formToRegister } from './requested-form.js';

/**
 * The inputs of a client from outside of the domain: the portal it lives in, time, randomness, and the storage of
 * secrets.
 */
export interface ClientContext {
  environment: ClientFormEnvironment;
  now: Date;
  newId: () => string;
  hash: (secret: string) => string;
}

interface State {
  id: string;
  clientId: string;
  clientName: string;
  clientType: ClientType;
  enabled: boolean;
  version: number;
  settings: ClientSettings;
  secrets: ClientSecret[];
  createdAt: Date;
  updatedAt: Date;
}

/**
 * An OAuth client as administrators register it (`spec §3`). Immutable: what changes it gives another one to store.
 * Every state passed the rules of the client form; one that fits no type is `Invalid`, which stays usable and must be
 * given a type with its next change.
 */
export class Client {
  readonly id: string;
  /** The OAuth `client_id`. */
  readonly clientId: string;
  readonly clientName: string;
  readonly clientType: ClientType;
  readonly enabled: boolean;
  /** Counts saves, so that of two administrators who change the same client one gets a conflict. */
  readonly version: number;
  readonly settings: ClientSettings;
  readonly secrets: ClientSecret[];
  readonly createdAt: Date;
  readonly updatedAt: Date;

  private constructor(state: State) {
    Object.assign(this, state);
  }

  static register(request: ClientRequest, context: ClientContext): Client {
    const form = tidyClientForm(formToRegister(request), context.environment);
    refuse(problemsOf(form, 'create', [], context));
    const { now, newId } = context;
    return new Client({
      ...storedPart(form, [], context),
      id: newId(),
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
  }

  /** Refuses a change that was made to an older version, and one of what is fixed after creation (`spec §4`). */
  change(request: ClientRequest, context: ClientContext): Client {
    const asked = formToChange(this.form(), request);
    if (request.version !== undefined && request.version !== null && request.version !== this.version) {
      const conflict = {
        version: this.version,
        differences: differences(
          readable(this.form()),
          readable({ ...asked, clientSecrets: this.withStoredKeys(asked.clientSecrets) }),
        ),
      };
      throw new Problem('conflict', message('client-changed'), { conflict });
    }
    refuse(this.lockProblems(asked));
    const form = tidyClientForm(
      { ...asked, clientSecrets: this.withStoredKeys(asked.clientSecrets) },
      context.environment,
    );
    refuse(problemsOf(form, this.clientType === 'Invalid' ? 'set-type' : 'edit', this.secrets, context));
    return new Client({
      ...storedPart(form, this.secrets, context),
      id: this.id,
      version: this.version + 1,
      createdAt: this.createdAt,
      updatedAt: context.now,
    });
  }

  /** Skips the form's rules, which a stored client may no longer satisfy: a disabled client does no harm. */
  disable(now: Date): Client {
    return new Client({ ...this, enabled: false, version: this.version + 1, updatedAt: now });
  }

  /** Skips the form's rules, as {@link disable} did: for one that was enabled before. */
  enable(now: Date): Client {
    return new Client({ ...this, enabled: true, version: this.version + 1, updatedAt: now });
  }

  /** Counts a change of its tags, which are not part of it. */
  withOtherTags(now: Date): Client {
    return new Client({ ...this, version: this.version + 1, updatedAt: now });
  }

  /** A credential more, from a form without problems. */
  withSecret(form: ClientSecretForm, { now, newId, hash }: ClientContext): Client {
    const position = Math.max(-1, ...this.secrets.map((secret) => secret.position)) + 1;
    return this.withSecrets([...this.secrets, ClientSecret.create(form, { id: newId(), position, hash })], now);
  }

  withoutSecret(id: string, now: Date): Client {
    return this.withSecrets(
      this.secrets.filter((secret) => secret.id !== id),
      now,
    );
  }

  withSecretEnd(id: string, end: Date | null, now: Date): Client {
    return this.withSecrets(
      this.secrets.map((secret) => (secret.id === id ? secret.withEnd(end) : secret)),
      now,
    );
  }

  /** Several steps of one change count as one. */
  ofVersion(version: number): Client {
    return new Client({ ...this, version });
  }

  private withSecrets(secrets: ClientSecret[], now: Date): Client {
    return new Client({ ...this, secrets, version: this.version + 1, updatedAt: now });
  }

  /** The public keys that were given by value and have not expired. */
  keys(now: Date): PublicJwk[] {
    return this.live(now).flatMap(({ jwk }) => jwk ?? []);
  }

  /** Addresses where the client publishes further keys. */
  jwksUrls(now: Date): string[] {
    return this.live(now).flatMap(({ url }) => url ?? []);
  }

  sharedSecrets(now: Date): ClientSecret[] {
    return this.live(now).filter(({ secretType }) => secretType === 'SharedSecret');
  }

  private live(now: Date): ClientSecret[] {
    return this.settings.requireClientSecret ? this.secrets.filter((secret) => secret.isLive(now)) : [];
  }

  /** The complete form, without the values of shared secrets and without tags, which are not part of the aggregate. */
  form(): ClientForm {
    const { clientId, clientName, clientType, enabled, settings } = this;
    const clientSecrets = this.secrets.map((secret) => secret.form());
    return { ...settings, clientId, clientName, clientType, enabled, clientTags: [], clientSecrets };
  }

  private lockProblems(asked: ClientForm): FieldProblem[] {
    if (this.clientType === 'Invalid') return [];
    const fixed = {
      clientType: asked.clientType !== this.clientType,
      requireClientSecret: asked.requireClientSecret !== this.settings.requireClientSecret,
    };
    return Object.entries(fixed).flatMap(([field, isChanged]) =>
      isChanged ? [{ field, messages: [message('client-locked-after-creation')] }] : [],
    );
  }

  /** A stored key that comes back without its value keeps it. */
  private withStoredKeys(forms: ClientSecretForm[]): ClientSecretForm[] {
    return forms.map((form) => {
      const stored = this.secrets.find(({ id }) => id === form.id)?.form();
      if (!stored || form.secretType !== 'JWK' || form.secret || form.secretUrl) return form;
      return { ...form, secret: stored.secret, secretUrl: stored.secretUrl };
    });
  }
}

/** Heard by every node when any client was added, changed or removed. */
export const clientsChanged = 'gatehouse_clients';

/** A value by which a client can be told from others. */
export type OwnedValue = { redirectUri: string } | { postLogoutRedirectUri: string } | { secretHash: string };

/** A value by which a secret or key that was removed from a client is known. */
export type RemovedValue = { secretHash: string } | { kid: string };

export interface RemovedCredential {
  description: string | null;
  removedAt: Date;
}

export abstract class Clients {
  /** Throws a conflict when the `client_id` is taken. */
  abstract add(client: Client): Promise<void>;
  /** Throws a conflict when the `client_id` is taken. */
  abstract change(client: Client): Promise<void>;
  abstract remove(client: Client): Promise<void>;
  /** Takes it out of the listing and of {@link findForChange}, until it is removed or {@link unhide | shown again}. */
  abstract hide(client: Client): Promise<void>;
  /** Returns whether it was enabled when it was hidden. */
  abstract unhide(client: Client): Promise<boolean>;
  /** Keeps others from changing it until the transaction ends. A hidden one is not found. */
  abstract findForChange(id: string): Promise<Client | undefined>;
  /** Like {@link findForChange}, also if it is hidden. */
  abstract findToEnd(id: string): Promise<Client | undefined>;
  abstract findByClientId(clientId: string): Promise<Client | undefined>;
  /** The clients of these ids that exist. */
  abstract ofIds(ids: readonly string[]): Promise<Client[]>;
  /** Client ids of about this length, or one of these texts in any case, and whether their clients are enabled. */
  abstract idsLike(length: number, texts: readonly string[]): Promise<{ clientId: string; enabled: boolean }[]>;
  /** Ids of up to three clients with this name, in any case. */
  abstract idsOfName(name: string): Promise<string[]>;
  /** Ids of up to three other clients that have this address, or this shared secret by its hash. */
  abstract otherOwners(of: OwnedValue, clientId: string): Promise<string[]>;
  /** The secret or key of this value that was removed last from the client with this `client_id`. */
  abstract removedCredential(clientId: string, of: RemovedValue): Promise<RemovedCredential | undefined>;
  /** Up to twenty keys of other clients that are registered by value under this key id. */
  abstract keysOfOthers(kid: string, clientId: string): Promise<{ clientId: string; jwk: PublicJwk }[]>;
  /** Replaces the tags of a client; throws when one of them does not exist. */
  abstract tag(client: Client, tagIds: string[]): Promise<void>;
  /** Remembers that a secret was used, at most once an hour and whatever becomes of the transaction at hand. */
  abstract noteUse(secretId: string): Promise<void>;
}

function problemsOf(
  form: ClientForm,
  mode: ClientFormMode,
  stored: readonly ClientSecret[],
  { environment, now }: ClientContext,
): FieldProblem[] {
  const storedForms = stored.map((secret) => secret.form());
  const problems = [
    ...clientFormProblems(form, mode, environment),
    ...identityProblems(form.clientSecrets, stored),
    ...secretEndProblems(form.clientSecrets, storedForms, now),
  ];
  return problems.length > 0 ? problems : keyProblems(form.clientSecrets);
}

function identityProblems(forms: readonly ClientSecretForm[], stored: readonly ClientSecret[]): FieldProblem[] {
  return forms.flatMap(({ id, secretType }, index): FieldProblem[] => {
    if (!id) return [];
    const secret = stored.find((candidate) => candidate.id === id);
    const isFirst = forms.findIndex((form) => form.id === id) === index;
    if (!secret || !isFirst) return [{ field: `clientSecrets.${index}.id`, messages: [message('secret-gone')] }];
    const isSame = secret.secretType === secretType;
    return isSame ? [] : [{ field: `clientSecrets.${index}.secretType`, messages: [invalidValue] }];
  });
}

function keyProblems(forms: readonly ClientSecretForm[]): FieldProblem[] {
  return forms.flatMap((form, index) => {
    const problem = unusableKeyProblem(form);
    return problem ? [{ field: `clientSecrets.${index}.secret`, messages: [problem] }] : [];
  });
}

/** The form as it may be answered: without shared secrets, and without tags, which are not part of the aggregate. */
function readable({ clientTags: _, clientSecrets, ...rest }: ClientForm): Omit<ClientForm, 'clientTags'> {
  return {
    ...rest,
    clientSecrets: clientSecrets.map(({ id, secretType, secret, secretUrl, description, expires }) => {
      const end = Date.parse(expires ?? '');
      return {
        id: id ?? null,
        secretType,
        secret: secretType === 'SharedSecret' ? null : (secret ?? null),
        secretUrl: secretUrl ?? null,
        description: description ?? null,
        expires: Number.isNaN(end) ? (expires ?? null) : new Date(end).toISOString(),
      };
    }),
  };
}

function refuse(problems: FieldProblem[]): void {
  if (problems.length > 0) throw Problem.invalid(problems);
}

function storedPart(
  form: ClientForm,
  stored: readonly ClientSecret[],
  { newId, hash }: ClientContext,
): Omit<State, 'id' | 'version' | 'createdAt' | 'updatedAt'> {
  const { clientId, clientName, clientType, enabled } = form;
  const secrets = form.clientSecrets.map((secret, position) => {
    const existing = stored.find(({ id }) => id === secret.id);
    return existing?.change(secret, position) ?? ClientSecret.create(secret, { id: newId(), position, hash });
  });
  return { clientId, clientName, clientType, enabled, settings: settingsOf(form), secrets };
}

function settingsOf(form: ClientForm): ClientSettings {
  const fields = Object.keys(defaultClientSettings()) as (keyof ClientSettings)[];
  return Object.fromEntries(fields.map((field) => [field, form[field]])) as unknown as ClientSettings;
}
