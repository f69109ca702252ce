import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { launchOutcomes } from '../../contract/activity.js';
import type { ClientFilter } from '../../contract/clients/bulk.js';
import type { ClientImpact } from '../../contract/clients/client-changes.js';
import type { ClientSettings } from '../../contract/clients/client-settings.js';
import type { ClientList, ClientListQuery, ClientView, ListedClient } from '../../contract/clients/clients.js';
import type { ClientTag } from '../../contract/clients/tags.js';
import type { FoundClient } from '../../contract/palette.js';
import { type ClientType, grantTypes, type SecretFilter, type SecretType } from '../../contract/rules/client-values.js';
import { defaultClientSettings } from '../../contract/rules/clients/client-fields.js';
import { expiringDays, unusedDays } from '../../contract/rules/clients/client-secrets.js';
import { Database } from '../../platform/database/database.js';
import { type Condition, PagedSearch, textOf, type Word, wordsOf } from '../../platform/database/paged-search.js';
import { type ClientMatches, ClientViews } from '../domain/client-views.js';

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
  managed: boolean;
}

interface ImpactRow extends Pick<ClientImpact, 'people' | 'tokens' | 'hasMoreTokens' | 'launches'> {
  clients: number;
  records: number;
  [column: string]: unknown;
}

/** Grants and tokens that end with a client are counted up to these numbers: an app may have a million. */
const countedRecords = 10_000;
const countedLaunches = 1_000;

/** No column that could give a shared secret away is read at all. */
const columns = `
  client.id, client_id, client_name, client_type, enabled, version, settings,
  coalesce((
    SELECT json_agg(json_build_object('id', tag.id, 'value', value, 'color', color) ORDER BY lower(value))
    FROM client_tag_link link JOIN tag ON tag.id = link.tag WHERE link.client = client.id), '[]') AS tags,
  coalesce((
    SELECT json_agg(json_build_object('id', secret.id, 'secretType', secret_type, 'jwk', jwk, 'url', url,
      'description', description, 'expires', expires_at, 'lastUsed', last_used_at) ORDER BY position)
    FROM client_secret secret WHERE secret.client = client.id), '[]') AS secrets,
  EXISTS (SELECT FROM managed_object WHERE managed_object.client = client.id) AS managed`;

/** Refreshes are noted in the launch that they belong to: the latest use is among those of the last launches. */
const comparedLaunches = 100;
const lastUsed = `greatest(
  (SELECT max(last_used_at) FROM client_secret secret WHERE secret.client = client.id),
  (SELECT max(last_at) FROM (
     SELECT last_at FROM launch
      WHERE launch.client_id = client.client_id AND outcome = 'completed' AND kind <> 'trial'
      ORDER BY started_at DESC, id DESC LIMIT ${comparedLaunches}) AS last)) AS "lastUsed"`;

/** False for a client whose deletion can still be undone. */
const isShown = 'NOT EXISTS (SELECT FROM client_deletion deletion WHERE deletion.client = client.id)';

const sortKeys = { clientId: 'id_key', clientName: 'name_key', clientType: 'client_type', enabled: 'enabled' } as const;

/** Every combination of grant types; the column `grant_types` has them in this order, a space after each. */
const grantTypeKinds = Array.from({ length: 2 ** grantTypes.length }, (_, bits) =>
  grantTypes.filter((_, place) => (bits >> place) % 2 === 1),
);

@Injectable()
export class PostgresClientViews extends ClientViews {
  private readonly clients: PagedSearch;

  constructor(private readonly database: Database) {
    super();
    const listing = { listing: 'client_listing', tally: 'client_tally', counted: 'clients' };
    this.clients = new PagedSearch(database, { name: 'client', ...listing });
  }

  override async list(query: ClientListQuery): Promise<ClientList> {
    const { withLastUsed, sortColumn, searchTerm, ...asked } = query;
    const { rows, totalCount } = await this.clients.read<Row & { lastUsed?: Date | null }>({
      ...asked,
      columns: withLastUsed === 'true' ? `${columns}, ${lastUsed}` : columns,
      sortKey: sortKeys[sortColumn],
      ...conditionsOf(query),
      words: await this.findingTags(wordsOf(searchTerm)),
    });
    return { clients: rows.map(listedClient), totalCount };
  }

  override async ids(filter: ClientFilter, most: number): Promise<string[]> {
    const words = await this.findingTags(wordsOf(filter.searchTerm));
    const order = { sortKey: sortKeys.clientId, sortDirection: 0 } as const;
    return this.clients.readIds({ ...conditionsOf(filter), ...order, words }, most);
  }

  override async search(term: string, most: number): Promise<ClientMatches> {
    const words = await this.findingTags(wordsOf(term));
    const [first] = words;
    if (!first) return { clients: [], redirectUris: [] };
    const find = (fits: Condition, rank: Condition) =>
      this.clients.bestMatches<FoundClient & Matching>({
        ...{ columns: foundColumns, kind: [], words, sortKey: sortKeys.clientName, most, fits: [fits], rank },
      });
    const [named, returning] = await Promise.all([
      find(namedBy(words), (bind) => {
        const begin = `without_accents(lower(${bind(first.text)}))`;
        const name = 'without_accents(name_key)';
        return `CASE WHEN without_accents(id_key) = ${begin} THEN 0 WHEN starts_with(${name}, ${begin}) THEN 1
          WHEN strpos(${name}, ' ' || ${begin}) > 0 THEN 2 ELSE 3 END`;
      }),
      // The shortest has least besides the words.
      find(someOf(redirectUris, words), (bind) => `(SELECT min(length(one)) ${matching(redirectUris, words)(bind)})`),
    ]);
    return {
      clients: named.map(({ redirectUris: _, ...client }) => client),
      redirectUris: returning
        .flatMap(({ redirectUris, ...client }) => bestUris(redirectUris, words).map((uri) => ({ uri, client })))
        .slice(0, most),
    };
  }

  override async clientIdsNamed(name: string): Promise<{ byId: string[]; byName: string[] }> {
    const { rows } = await this.database.query<{ clientId: string; isById: boolean }>(
      `(SELECT client_id AS "clientId", true AS "isById" FROM client
         WHERE lower(client_id) = lower($1) OR id = $2::uuid ORDER BY client_id = $1 DESC LIMIT 10)
       UNION ALL
       (SELECT client_id, false FROM client_listing listing JOIN client ON client.id = listing.id
         WHERE name_key = lower($1) LIMIT 10)`,
      [name, isUUID(name, 'all') ? name : null],
    );
    const of = (byId: boolean) => rows.filter(({ isById }) => isById === byId).map(({ clientId }) => clientId);
    return { byId: of(true), byName: of(false) };
  }

  override async ofIds(ids: readonly string[]): Promise<ClientView[]> {
    const { rows } = await this.database.query<Row>(
      `SELECT ${columns} FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, place)
         JOIN client ON client.id = wanted.id WHERE ${isShown} ORDER BY place`,
      [ids],
    );
    return rows.map(view);
  }

  override async findById(id: string): Promise<ClientView | undefined> {
    // PostgreSQL answers a text that is not a uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    const { rows } = await this.database.query<Row>(
      `SELECT ${columns} FROM client WHERE client.id = $1 AND ${isShown}`,
      [id],
    );
    return rows.map(view)[0];
  }

  override async existingTags(ids: readonly string[]): Promise<string[]> {
    const { rows } = await this.database.query<{ id: string }>('SELECT id FROM tag WHERE id = ANY ($1::uuid[])', [ids]);
    return rows.map(({ id }) => id);
  }

  /** Tags are few, and their names are not copied to the clients that have them: each word also finds those. */
  private async findingTags(words: string[]): Promise<Word[]> {
    if (words.length === 0) return [];
    const { rows } = await this.database.query<{ word: string; keys: string[] }>(
      `SELECT word, array_agg(tag.id) AS keys FROM unnest($1::text[]) AS word
         JOIN tag ON strpos(without_accents(lower(tag.value)), without_accents(lower(word))) > 0 GROUP BY word`,
      [words],
    );
    return words.map((text) => {
      const found = rows.find(({ word }) => word === text);
      return found ? { text, links: { column: 'tags', keys: found.keys } } : { text };
    });
  }

  override async impact(ids: readonly string[]): Promise<ClientImpact | undefined> {
    const { rows } = await this.database.query<ImpactRow>(
      `WITH asked AS MATERIALIZED (
         SELECT client_id, settings ->> 'accessTokenType' = 'Jwt' AS self_contained FROM client
          WHERE id = ANY ($1) AND ${isShown}),
       -- A plan by client: with a limit, the planner may read the whole table instead.
       access AS (
         SELECT one.* FROM asked, LATERAL (
           SELECT model, account_id, consumed_at FROM oidc_record record
            WHERE record.client_id = asked.client_id AND expires_at > now() LIMIT $2) AS one LIMIT $2),
       started AS (
         SELECT FROM asked, LATERAL (
           SELECT FROM launch WHERE launch.client_id = asked.client_id AND outcome = ANY ($3) AND kind <> 'trial'
              AND started_at > now() - interval '30 days' LIMIT $4) AS one LIMIT $4)
       SELECT (SELECT count(*)::int FROM asked) AS clients,
              coalesce((SELECT bool_or(self_contained) FROM asked), false) AS "hasMoreTokens",
              (SELECT count(*)::int FROM access) AS records,
              (SELECT count(DISTINCT account_id)::int FROM access) AS people,
              (SELECT count(*)::int FROM access
                WHERE model IN ('AccessToken', 'RefreshToken') AND consumed_at IS NULL) AS tokens,
              (SELECT count(*)::int FROM started) AS launches`,
      [ids, countedRecords + 1, launchOutcomes, countedLaunches + 1],
    );
    const [row] = rows;
    if (!row?.clients) return undefined;
    const { people, tokens, hasMoreTokens, records, launches } = row;
    return {
      people,
      tokens,
      hasMoreTokens,
      isAtLeast: records > countedRecords,
      launches: Math.min(launches, countedLaunches),
      launchesAreAtLeast: launches > countedLaunches,
    };
  }

  override async count(): Promise<number> {
    const { rows } = await this.database.query<{ total: number }>(
      'SELECT coalesce(sum(clients), 0)::int AS total FROM client_tally',
    );
    return rows[0]?.total ?? 0;
  }
}

const foundColumns = `client.id, client_id AS "clientId", client_name AS "clientName", enabled,
  EXISTS (SELECT FROM client_secret secret WHERE secret.client = client.id AND secret_type = 'SharedSecret') AS "hasSharedSecret",
  coalesce(settings -> 'redirectUris', '[]') AS "redirectUris"`;

interface Matching {
  redirectUris: string[];
  [column: string]: unknown;
}

const redirectUris = "jsonb_array_elements_text(client.settings -> 'redirectUris')";
const about = "(VALUES (client.settings ->> 'description'), (client.settings ->> 'legalCompanyName'))";

/** The texts of the client's settings in which a word is. */
const matching =
  (texts: string, words: Word[]): Condition =>
  (bind) =>
    `FROM client, LATERAL ${texts} AS texts (one) WHERE client.id = client_listing.id
       AND (${words.map((word) => `strpos(without_accents(lower(one)), ${textOf(word)(bind)}) > 0`).join(' OR ')})`;

const someOf =
  (texts: string, words: Word[]): Condition =>
  (bind) =>
    `EXISTS (SELECT ${matching(texts, words)(bind)})`;

/** A word is in the name, the id, the description, the company or a tag, and not in redirect URIs alone. */
const namedBy =
  (words: Word[]): Condition =>
  (bind) => {
    const keys = words.map(
      (word) => `strpos(without_accents(id_key || E'\\n' || name_key), ${textOf(word)(bind)}) > 0`,
    );
    const tags = words.flatMap(({ links }) => (links ? [`tags && ${bind(links.keys)}::uuid[]`] : []));
    return `(${[...keys, ...tags, someOf(about, words)(bind)].join(' OR ')})`;
  };

/** The URIs in which most of the words occur, the shortest first. */
function bestUris(uris: string[], words: Word[]): string[] {
  const hitsOf = (uri: string) => words.filter(({ text }) => uri.toLowerCase().includes(text.toLowerCase())).length;
  const most = Math.max(...uris.map(hitsOf));
  return uris.filter((uri) => hitsOf(uri) === most).sort((one, other) => one.length - other.length);
}

const conditionsOf = (filter: ClientFilter) => ({
  kind: kindOf(filter),
  further: [...tagsOf(filter), ...typesOf(filter), ...secretsOf(filter), ...accessOf(filter)],
});

function kindOf({ isEnabled, grantTypes: wanted }: ClientFilter): Condition[] {
  const conditions: Condition[] = [];
  if (new Set(isEnabled).size === 1) conditions.push((bind) => `enabled = ${bind(isEnabled[0] === 'true')}`);
  if (wanted.length > 0) {
    const kinds = grantTypeKinds.filter((kind) => kind.some((type) => wanted.includes(type)));
    const stored = kinds.map((kind) => kind.map((type) => `${type} `).join(''));
    conditions.push((bind) => `grant_types = ANY (${bind(stored)})`);
  }
  return conditions;
}

function tagsOf({ tags }: ClientFilter): Condition[] {
  if (tags.length === 0) return [];
  return [(bind) => `tags && ${bind(tags)}::uuid[]`];
}

function typesOf({ clientTypes }: ClientFilter): Condition[] {
  return clientTypes.length === 0 ? [] : [(bind) => `client_type = ANY (${bind(clientTypes)})`];
}

/** Access that the settings of a client permit (`rules/clients/client-permissions.ts`). */
function accessOf({ permissions, subjects }: ClientFilter): Condition[] {
  return [permissions, subjects].flatMap((wanted) =>
    wanted.length === 0
      ? []
      : [
          (bind) => `EXISTS (SELECT FROM client
             WHERE client.id = client_listing.id AND client_access(settings, client_type) && ${bind(wanted)}::text[])`,
        ],
  );
}

/** Each is about one secret, and `idle` about all secrets of its client. */
const secretConditions: Record<SecretFilter, string> = {
  expired: 'secret.expires_at <= now()',
  expiring: `secret.expires_at > now() AND secret.expires_at <= now() + interval '${expiringDays} days'`,
  unused: 'secret.last_used_at IS NULL',
  idle: `NOT EXISTS (SELECT FROM client WHERE client.id = secret.client AND client.created_at > now() - interval '${unusedDays} days')
    AND NOT EXISTS (SELECT FROM client_secret other
                     WHERE other.client = secret.client AND other.last_used_at > now() - interval '${unusedDays} days')`,
};

function secretsOf({ secretStates }: ClientFilter): Condition[] {
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
    ...(row.managed && { managed: true as const }),
  };
}

function listedClient({ lastUsed, ...row }: Row & { lastUsed?: Date | null }): ListedClient {
  return { ...view(row), ...(lastUsed !== undefined && { lastUsed: lastUsed?.toISOString() ?? null }) };
}

function iso(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
