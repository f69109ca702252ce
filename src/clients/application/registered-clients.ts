import { Injectable } from '@nestjs/common';
import type { ClientSettings, ClientType } from '../../contract/clients.js';
import type { PublicJwk } from '../../contract/rules/jwk.js';
import { equalInConstantTime, Secrets } from '../../platform/crypto/secrets.js';
import { log } from '../../platform/logging/log.js';
import { type Client, Clients } from '../domain/client.js';
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

const noteUseEveryMs = 60_000;

/** The clients that may take part in a protocol run: a disabled one is as unknown as one that never was. */
@Injectable()
export class RegisteredClients {
  constructor(
    private readonly clients: Clients,
    private readonly secrets: Secrets,
  ) {}

  async find(clientId: string): Promise<RegisteredClient | undefined> {
    const client = await this.findEnabled(clientId);
    if (!client) return undefined;
    const { clientName, clientType, settings } = client;
    const now = new Date();
    return {
      clientId,
      clientName,
      clientType,
      settings,
      keys: client.keys(now),
      jwksUrls: client.jwksUrls(now),
      hasSharedSecret: client.sharedSecrets(now).length > 0,
    };
  }

  /** Does the same work whether the client exists or not (security C-01), and compares with every secret in constant time. */
  async verifySecret(clientId: string, presented: string): Promise<boolean> {
    const hash = this.secrets.hmac('client-secrets', presented);
    const now = new Date();
    const client = await this.findEnabled(clientId);
    const matches = (client?.sharedSecrets(now) ?? []).filter(({ secretHash }) =>
      equalInConstantTime(secretHash ?? '', hash),
    );
    for (const secret of matches) this.noteUse(secret, now);
    return matches.length > 0;
  }

  private async findEnabled(clientId: string): Promise<Client | undefined> {
    // No registered id has other characters, and PostgreSQL refuses NUL and lone surrogates with an error.
    if (!/^[!-~]{1,200}$/.test(clientId)) return undefined;
    const client = await this.clients.findByClientId(clientId);
    return client?.enabled ? client : undefined;
  }

  /** Nobody waits for it: a sign-in must not fail, nor take longer, because of a remark. */
  private noteUse(secret: ClientSecret, now: Date): void {
    if (secret.lastUsedAt && now.getTime() - secret.lastUsedAt.getTime() < noteUseEveryMs) return;
    this.clients.noteUse(secret).catch((err: unknown) => log.debug({ err }, 'the use of a secret was not noted'));
  }
}
