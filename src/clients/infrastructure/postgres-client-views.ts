import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { ClientList, ClientListQuery, ClientSettings, ClientView } from '../../contract/clients.js';
import { defaultClientSettings } from '../../contract/rules/clients/client-fields.js';
import { expiringDays } from '../../contract/rules/clients/client-secrets.js';
import {
  type ClientType,
  type GrantType,
  grantTypes,
  type SecretState,
  type SecretType,
} from '../../contract/rules/clients/client-values.js';
import type { ClientTag } from '../../contract/tags.js';
import { Database } from '../../platform/database/database.js';
import { type Condition, PagedSearch, type Word, wordsOf } from '../../platform/database/paged-search.js';
import { ClientViews } from '../domain/client-views.js';

interface SecretRow {
  id: string;
  secretType: SecretType;
  jwk: object | null;
  url: string | null;
  description: string | null;
  expires: string | null;
  lastUsed: string | null;
}

interface Row {
  id: string;
  client_id: string;
  client_name: string;
  client_type: ClientType;
  enabled: boolean;
  version: number;
  settings: ClientSettings;
  tags: ClientTag[];
  secrets: SecretRow[];
}

/** No column that could give a shared secret away is read at all. */
const columns = `
  client.id, client_id, client_name, client_type, enabled, version, settings,
  coalesce((
    SELECT json_agg(json_build_object('id', tag.id, 'value', value, 'color', color) ORDER BY lower(value))
    FROM client_tag_link link JOIN tag ON tag.id = link.tag WHERE link.client = client.id), '[]') AS tags,
  coalesce((
    SELECT json_agg(json_build_object('id', secret.id, 'secretType', secret_type, 'jwk', jwk, 'url', url,
      'description', description, 'expires', expires_at, 'lastUsed', last_used_at) ORDER BY position)
    FROM client_secret secret WHERE secret.client = client.id), '[]') AS secrets`;

const sortKeys = { clientId: 'id_key', clientName: 'name_key', clientType: 'client_type', enabled: 'enabled' } as const;

/** The possible grant types of a client; the column `grant_types` has them in this order, a space after each. */
const grantTypeKinds: GrantType[][] = [['authorization_code'], ['client_credentials'], [...grantTypes]];

@Injectable()
export class PostgresClientViews extends ClientViews {
  private readonly clients: PagedSearch;

  constructor(private readonly database: Database) {
    super();
    const listing = { listing: 'client_listing', tally: 'client_tally', counted: 'clients' };
    this.clients = new PagedSearch(database, { name: 'client', ...listing });
  }

  override async list(query: ClientListQuery): Promise<ClientList> {
    const { sortColumn, searchTerm, ...asked } = query;
    const { rows, totalCount } = await this.clients.read<Row>({
      ...asked,
      columns,
      sortKey: sortKeys[sortColumn],
      kind: kindOf(query),
      further: [...tagsOf(query), ...typesOf(query), ...secretsOf(query)],
      words: await this.findingTags(wordsOf(searchTerm)),
    });
    return { clients: rows.map(view), totalCount };
  }

  override async find(id: string): Promise<ClientView | undefined> {
    // PostgreSQL answers a text that is no uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    const { rows } = await this.database.query<Row>(`SELECT ${columns} FROM client WHERE client.id = $1`, [id]);
    return rows.map(view)[0];
  }

  /** Tags are few, and their names are not copied to the clients that have them: each word also finds those. */
  private async findingTags(words: string[]): Promise<Word[]> {
    if (words.length === 0) return [];
    const { rows } = await this.database.query<{ word: string; keys: string[] }>(
      `SELECT word, array_agg(tag.id) AS keys FROM unnest($1::text[]) AS word
         JOIN tag ON strpos(lower(tag.value), lower(word)) > 0 GROUP BY word`,
      [words],
    );
    return words.map((text) => {
      const found = rows.find(({ word }) => word === text);
      return found ? { text, links: { column: 'tags', keys: found.keys } } : { text };
    });
  }

  override async count(): Promise<number> {
    const { rows } = await this.database.query<{ total: number }>(
      'SELECT coalesce(sum(clients), 0)::int AS total FROM client_tally',
    );
    return rows[0]?.total ?? 0;
  }
}

function kindOf({ isEnabled, grantTypes: wanted }: ClientListQuery): Condition[] {
  const conditions: Condition[] = [];
  if (new Set(isEnabled).size === 1) conditions.push((bind) => `enabled = ${bind(isEnabled[0] === 'true')}`);
  if (wanted.length > 0) {
    const kinds = grantTypeKinds.filter((kind) => kind.some((type) => wanted.includes(type)));
    const stored = kinds.map((kind) => kind.map((type) => `${type} `).join(''));
    conditions.push((bind) => `grant_types = ANY (${bind(stored)})`);
  }
  return conditions;
}

function tagsOf({ tags }: ClientListQuery): Condition[] {
  if (tags.length === 0) return [];
  return [(bind) => `tags && ${bind(tags)}::uuid[]`];
}

function typesOf({ clientTypes }: ClientListQuery): Condition[] {
  return clientTypes.length === 0 ? [] : [(bind) => `client_type = ANY (${bind(clientTypes)})`];
}

const secretConditions: Record<SecretState, string> = {
  expired: 'secret.expires_at <= now()',
  expiring: `secret.expires_at > now() AND secret.expires_at <= now() + interval '${expiringDays} days'`,
  unused: 'secret.last_used_at IS NULL',
};

function secretsOf({ secretStates }: ClientListQuery): Condition[] {
  if (secretStates.length === 0) return [];
  const wanted = secretStates.map((state) => `(${secretConditions[state]})`).join(' OR ');
  return [() => `EXISTS (SELECT FROM client_secret secret WHERE secret.client = client_listing.id AND (${wanted}))`];
}

function view(row: Row): ClientView {
  return {
    // A setting that is younger than the client has its default.
    ...defaultClientSettings(),
    ...row.settings,
    id: row.id,
    clientId: row.client_id,
    clientName: row.client_name,
    clientType: row.client_type,
    enabled: row.enabled,
    version: row.version,
    clientTags: row.tags,
    clientSecrets: row.secrets.map(({ id, secretType, jwk, url, description, expires, lastUsed }) => ({
      id,
      secretType,
      secret: jwk ? JSON.stringify(jwk) : null,
      secretUrl: url,
      description,
      expires: iso(expires),
      lastUsed: iso(lastUsed),
    })),
  };
}

function iso(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
