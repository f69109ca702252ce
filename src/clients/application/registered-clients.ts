import { Injectable } from '@nestjs/common';
import type { ClientSettings } from '../../contract/clients/client-settings.js';
import type { ClientType } from '../../contract/clients/clients.js';
import type { PublicJwk } from '../../contract/rules/clients/jwk.js';
import { mended, undamaged } from '../../contract/rules/damage.js';
import { nearest } from '../../contract/rules/nearest.js';
import { equalInConstantTime, Secrets } from '../../platform/crypto/secrets.js';
import { Cached } from '../../platform/database/cached.js';
import { Notifications } from '../../platform/database/notifications.js';
import { log } from '../../platform/logging/log.js';
import { type Client, Clients, clientsChanged, type OwnedValue, type RemovedCredential } from '../domain/client.js';
import type { ClientSecret } from '../domain/client-secret.js';

/** An enabled client, as the protocol needs it. */
export interface RegisteredClient {
  clientId: string;
  clientName: string;
  clientType: ClientType;
  settings: ClientSettings;
  /** Keys that were given by value. */
  keys: readonly PublicJwk[];
  /** Addresses of further keys. */
  jwksUrls: readonly string[];
  hasSharedSecret: boolean;
}

/** The credentials that explain a refused authentication: also of a disabled client, and expired ones. */
export interface RegisteredCredentials {
  enabled: boolean;
  isPublic: boolean;
  /** True if the client is held to the rules of a security profile. */
  isOfProfile: boolean;
  grantTypes: readonly string[];
  /** The expired ones as well. */
  credentials: readonly ClientSecret[];
  /** The shared secret that was presented, if it is one of the client's, expired or not. */
  presented: ClientSecret | undefined;
  /** The damage of the shared secret that was presented, in a clause that begins with `it`. */
  damage: string | undefined;
  /** The secret that was presented, or the key with the presented id, if it was removed from the client. */
  removed: RemovedCredential | undefined;
}

/** The credentials that a request presented. */
interface PresentedCredentials {
  secret?: string | undefined;
  /** The key id of its client assertion. */
  kid?: string | undefined;
}

/** The registered client that a request without one was probably for. */
export interface Resembling {
  isDisabled: boolean;
  nearest: string | undefined;
  /** The damage of the sent id, in a clause that begins with `it`; undefined if it is another text. */
  damage: string | undefined;
  /** Ids of the clients whose name was sent, in a list; undefined if none has it. */
  named: string | undefined;
}

/** A node's remark on one secret or key: days are shown, and each token request of each node would be a write. */
const noteUseEveryMs = 3_600_000;

/** Ids of one refused request that are looked for. */
const mostNamed = 4;

/** No registered id has other characters, and PostgreSQL refuses NUL and lone surrogates with an error. */
const registrable = /^[!-~]{1,200}$/;

/** The text without what PostgreSQL refuses, which no registered value has. */
function storable(text: string): string {
  return text.replace(/[\0\p{Cs}]/gu, '\uFFFD').slice(0, 2_000);
}

/** A client with its facts, which are good until one of its secrets expires. */
interface Known {
  client: Client;
  facts: RegisteredClient;
  factsUntil: number;
}

/** The clients that may take part in a protocol run: a disabled one is as unknown as one that never was. */
@Injectable()
export class RegisteredClients {
  private readonly known: Cached<Known>;
  private readonly noted = new Map<string, number>();

  constructor(
    private readonly clients: Clients,
    private readonly secrets: Secrets,
    notifications: Notifications,
  ) {
    this.known = new Cached(notifications, { channel: clientsChanged, load: (clientId) => this.load(clientId) });
  }

  /** The same object for as long as nothing about the client changes. */
  async findByClientId(clientId: string): Promise<RegisteredClient | undefined> {
    return this.atHand(clientId) ?? recent(await this.knownBy(clientId))?.facts;
  }

  /** The client from the cache, without waiting; undefined when it is not cached. */
  atHand(clientId: string): RegisteredClient | undefined {
    return recent(this.known.atHand(clientId))?.facts;
  }

  /** For an id without an enabled client: whether its client is disabled, or which other one was probably meant. */
  async resembling(clientId: string): Promise<Resembling> {
    const texts = [clientId, ...mended(clientId).map(({ text }) => text)].filter((text) => registrable.test(text));
    const ids = await this.clients.idsLike(clientId.length, texts);
    const others = ids.map((one) => one.clientId).filter((id) => id !== clientId);
    const { text, damage } = undamaged(clientId, others) ?? {};
    const near = text ?? (registrable.test(clientId) ? nearest(clientId, others) : undefined);
    const named = await this.clients.idsOfName(storable(clientId).trim());
    const ofName = named.length === 0 ? undefined : named.join(', ');
    return { isDisabled: others.length < ids.length, nearest: near, damage, named: ofName };
  }

  /**
   * Does the same work whether the client exists or not (security C-01), and compares with every secret in constant
   * time. A client at hand is not waited for.
   */
  verifySecret(clientId: string, presented: string): boolean | Promise<boolean> {
    const hash = this.secrets.hmac('client-secrets', presented);
    const known = this.known.atHand(clientId);
    return known
      ? this.isSecretOf(known, hash)
      : this.knownBy(clientId).then((loaded) => this.isSecretOf(loaded, hash));
  }

  /**
   * For refused requests only: the other clients that have this address or shared secret, by their ids in a list;
   * undefined if none has. It does the same work for every client id.
   */
  async otherOwnersOf(
    sent: { redirectUri: string } | { postLogoutRedirectUri: string } | { secret: string },
    clientId: string,
  ): Promise<string | undefined> {
    let of: OwnedValue;
    if ('secret' in sent) of = { secretHash: this.secrets.hmac('client-secrets', sent.secret) };
    else if ('redirectUri' in sent) of = { redirectUri: storable(sent.redirectUri) };
    else of = { postLogoutRedirectUri: storable(sent.postLogoutRedirectUri) };
    const ids = await this.clients.otherOwners(of, storable(clientId));
    return ids.length === 0 ? undefined : ids.join(', ');
  }

  /** For refused requests only: the keys of other clients that are registered by value under this key id. */
  keysOfOthers(kid: string, clientId: string): Promise<{ clientId: string; jwk: PublicJwk }[]> {
    return this.clients.keysOfOthers(storable(kid), storable(clientId));
  }

  /** For refused requests only: it does the same work for every client id. */
  async credentialsOf(
    clientId: string,
    { secret: presented = '', kid }: PresentedCredentials = {},
  ): Promise<RegisteredCredentials | undefined> {
    const hashes = [{ text: presented, damage: undefined }, ...mended(presented)].map(({ text, damage }) => ({
      hash: this.secrets.hmac('client-secrets', text),
      damage,
    }));
    const client = registrable.test(clientId) ? await this.clients.findByClientId(clientId) : undefined;
    const of = kid === undefined ? { secretHash: hashes[0]?.hash ?? '' } : { kid: storable(kid) };
    const removed = await this.clients.removedCredential(storable(clientId), of);
    if (!client) return undefined;
    const { enabled, settings, secrets } = client;
    const isHashOf =
      ({ hash }: { hash: string }) =>
      ({ secretHash }: ClientSecret) =>
        equalInConstantTime(secretHash ?? '', hash);
    return {
      enabled,
      isPublic: !settings.requireClientSecret,
      isOfProfile: settings.securityProfile !== 'none',
      grantTypes: settings.allowedGrantTypes,
      credentials: secrets,
      presented: hashes.slice(0, 1).flatMap((one) => secrets.find(isHashOf(one)) ?? [])[0],
      damage: hashes.find((one) => client.sharedSecrets(new Date()).some(isHashOf(one)))?.damage,
      removed,
    };
  }

  /** For refused requests only: the first of these ids that is registered, also of a disabled client. */
  async firstRegistered(ids: readonly string[]): Promise<string | undefined> {
    for (const id of ids.slice(0, mostNamed)) {
      if (registrable.test(id) && (await this.clients.findByClientId(id))) return id;
    }
    return undefined;
  }

  private isSecretOf(known: Known | undefined, hash: string): boolean {
    const matches = (known?.client.sharedSecrets(new Date()) ?? []).filter(({ secretHash }) =>
      equalInConstantTime(secretHash ?? '', hash),
    );
    for (const secret of matches) this.noteUse(secret);
    return matches.length > 0;
  }

  private knownBy(clientId: string): Promise<Known | undefined> {
    return registrable.test(clientId) ? this.known.get(clientId) : Promise.resolve(undefined);
  }

  private async load(clientId: string): Promise<Known | undefined> {
    const client = await this.clients.findByClientId(clientId);
    return client?.enabled ? { client, ...factsOf(client) } : undefined;
  }

  /**
   * The client has proven itself with the key of this id, which one of these addresses published unless it is stored
   * here.
   */
  noteKeyUse(clientId: string, { kid, urls }: { kid: string; urls: readonly string[] }): void {
    const secrets = this.known.atHand(clientId)?.client.secrets ?? [];
    const stored = secrets.filter(({ jwk }) => jwk?.kid === kid);
    const used = stored.length > 0 ? stored : secrets.filter(({ url }) => url !== null && urls.includes(url));
    for (const secret of used) this.noteUse(secret);
  }

  /** Not awaited: a sign-in must not fail, nor take longer, because of this record. */
  private noteUse({ id }: ClientSecret): void {
    const now = Date.now();
    if (now - (this.noted.get(id) ?? 0) < noteUseEveryMs) return;
    this.noted.set(id, now);
    this.clients.noteUse(id).catch((err: unknown) => log.debug({ err }, 'recording the use of a secret failed'));
  }
}

function recent(known: Known | undefined): Known | undefined {
  if (known && known.factsUntil <= Date.now()) Object.assign(known, factsOf(known.client));
  return known;
}

function factsOf(client: Client): Pick<Known, 'facts' | 'factsUntil'> {
  const { clientId, clientName, clientType, settings } = client;
  const now = new Date();
  const ends = client.secrets.flatMap(({ expiresAt }) => (expiresAt && expiresAt > now ? [expiresAt.getTime()] : []));
  return {
    facts: {
      clientId,
      clientName,
      clientType,
      settings,
      keys: client.keys(now),
      jwksUrls: client.jwksUrls(now),
      hasSharedSecret: client.sharedSecrets(now).length > 0,
    },
    factsUntil: Math.min(...ends, Number.POSITIVE_INFINITY),
  };
}
