import { EntitySchema } from 'typeorm';
import type { ClientSettings } from '../../contract/clients/client-settings.js';
import { defaultClientSettings } from '../../contract/rules/clients/client-fields.js';
import { Client } from '../domain/client.js';
import { ClientSecret } from '../domain/client-secret.js';

/** The column that ties a secret to its client; the domain needs no way back. */
type SecretRow = ClientSecret & { client: Client };

export const clientSecretSchema = new EntitySchema<SecretRow>({
  name: 'ClientSecret',
  target: ClientSecret,
  tableName: 'client_secret',
  columns: {
    id: { type: 'uuid', primary: true },
    position: { type: 'int' },
    secretType: { type: 'text', name: 'secret_type' },
    secretHash: { type: 'text', name: 'secret_hash', nullable: true },
    jwk: { type: 'jsonb', nullable: true },
    url: { type: 'text', nullable: true },
    description: { type: 'text', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at', nullable: true },
    // Written apart from the form, so that saving the form cannot set it back.
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', nullable: true, update: false },
  },
  relations: {
    client: {
      type: 'many-to-one',
      target: 'Client',
      inverseSide: 'secrets',
      joinColumn: { name: 'client' },
      nullable: false,
      orphanedRowAction: 'delete',
    },
  },
});

export const clientSchema = new EntitySchema<Client>({
  name: 'Client',
  target: Client,
  tableName: 'client',
  columns: {
    id: { type: 'uuid', primary: true },
    clientId: { type: 'text', name: 'client_id' },
    clientName: { type: 'text', name: 'client_name' },
    clientType: { type: 'text', name: 'client_type' },
    enabled: { type: 'boolean' },
    version: { type: 'int' },
    settings: {
      type: 'jsonb',
      // A setting that is younger than the client has its default.
      transformer: {
        from: (stored: Partial<ClientSettings>): ClientSettings => ({ ...defaultClientSettings(), ...stored }),
        to: (settings: ClientSettings) => settings,
      },
    },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
  relations: {
    secrets: { type: 'one-to-many', target: 'ClientSecret', inverseSide: 'client', cascade: true },
  },
});
