import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { ClientList, ClientListQuery, ClientSettings, ClientView } from '../../contract/clients.js';
import { defaultClientSettings } from '../../contract/rules/client-fields.js';
import type { ClientType, SecretType } from '../../contract/rules/client-values.js';
import type { ClientTag } from '../../contract/tags.js';
import { Database } from '../../platform/database/database.js';

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

const sortExpressions = {
  clientId: 'lower(client_id)',
  clientName: 'lower(client_name)',
  clientType: 'client_type',
  enabled: 'enabled',
} as const;

/** Clients as lists and forms see them, straight from the tables. */
@Injectable()
export class ClientViews {
  constructor(private readonly database: Database) {}

  async list(query: ClientListQuery): Promise<ClientList> {
    const { page, pageSize, sortColumn, sortDirection, searchTerm } = query;
    const { condition, parameters } = filterOf(query);
    const direction = sortDirection === 1 ? 'DESC' : 'ASC';
    const { rows } = await this.database.query<Row & { total: number }>(
      // A search reads all rows anyway; left the choice, PostgreSQL may do so through the sort index, in random order.
      // The page is cut out before tags and secrets are collected for its rows.
      `WITH matching AS ${searchTerm ? '' : 'NOT'} MATERIALIZED (
         SELECT id, ${sortExpressions[sortColumn]} AS sort_key FROM client WHERE ${condition})
       SELECT total, ${columns}
       FROM (SELECT count(*)::int AS total FROM matching) AS counted
       LEFT JOIN (
         SELECT id, sort_key FROM matching ORDER BY sort_key ${direction}, id ${direction}
         LIMIT ${pageSize} OFFSET $${parameters.length + 1}) AS page ON true
       LEFT JOIN client ON client.id = page.id
       ORDER BY page.sort_key ${direction}, page.id ${direction}`,
      [...parameters, (page - 1) * pageSize],
    );
    // Beyond the last page there is one row that holds nothing but the total.
    return { clients: rows.filter(({ id }) => id !== null).map(view), totalCount: rows[0]?.total ?? 0 };
  }

  async find(id: string): Promise<ClientView | undefined> {
    // PostgreSQL answers a text that is no uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    const { rows } = await this.database.query<Row>(`SELECT ${columns} FROM client WHERE client.id = $1`, [id]);
    return rows.map(view)[0];
  }

  async count(): Promise<number> {
    const { rows } = await this.database.query<{ total: number }>('SELECT count(*)::int AS total FROM client');
    return rows[0]?.total ?? 0;
  }
}

/** `strpos` takes the search term literally: `%` and `_` are ordinary characters. */
function filterOf(query: ClientListQuery): { condition: string; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = ['true'];
  if (new Set(query.isEnabled).size === 1) conditions.push(`enabled = ${bind(query.isEnabled[0] === 'true')}`);
  if (query.grantTypes.length > 0) conditions.push(`settings -> 'allowedGrantTypes' ?| ${bind(query.grantTypes)}`);
  if (query.tags.length > 0) {
    conditions.push(
      `EXISTS (SELECT FROM client_tag_link link WHERE link.client = client.id AND link.tag = ANY (${bind(query.tags)}))`,
    );
  }
  const term = query.searchTerm.trim();
  if (term !== '') conditions.push(`strpos(search_text, lower(${bind(term)})) > 0`);
  return { condition: conditions.join(' AND '), parameters };
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
