import { Injectable } from '@nestjs/common';
import { gatewayPrefix } from '../../contract/activity/gateway/gateway-causes.js';
import { type LaunchDay, type LaunchOutcome, launchOutcomes } from '../../contract/activity.js';
import { codeSeconds } from '../../contract/rules/lifetime.js';
import { Database, sqlState } from '../../platform/database/database.js';
import { Prepared } from '../../platform/database/statement-group.js';
import {
  type Launch,
  Launches,
  type LaunchFilter,
  type LaunchPage,
  leftAfterMinutes,
  leftInAnyCaseAfterMinutes,
  type NotedLaunch,
  type RefusalsOfCause,
} from '../domain/launch.js';

type Bind = (value: unknown) => string;

const leftAfter = `now() - interval '${leftAfterMinutes} minutes'`;
const leftInAnyCaseAfter = `now() - interval '${leftInAnyCaseAfterMinutes} minutes'`;

/**
 * No token request has come with the code: its entry would have decided. The time is that of the code, whichever node
 * sweeps it.
 */
const codeHasEnded = `(entries -> 'code-issued' ->> 'last')::float8 < (extract(epoch FROM now()) - ${codeSeconds}) * 1000`;

/**
 * Conditions of the outcomes, of which one holds. Each names one value of the column, by which every index of launches
 * is ordered.
 */
const conditionsOfOutcome: Record<LaunchOutcome, string[]> = {
  completed: ["outcome = 'completed'"],
  refused: ["outcome = 'refused'"],
  failed: ["outcome = 'failed'"],
  declined: ["outcome = 'declined'"],
  left: [
    `outcome = 'open' AND started_at >= ${leftInAnyCaseAfter} AND last_at >= ${leftAfter} AND ${codeHasEnded}`,
    `outcome = 'open' AND started_at < ${leftInAnyCaseAfter}`,
    `outcome = 'open' AND started_at >= ${leftInAnyCaseAfter} AND last_at < ${leftAfter}`,
  ],
  open: [
    `outcome = 'open' AND started_at >= ${leftInAnyCaseAfter} AND last_at >= ${leftAfter} AND (${codeHasEnded}) IS NOT TRUE`,
  ],
};
const stored = "'{completed,refused,failed,declined,open}'::text[]";

const columns = `
  launch.id, launch.kind, launch.started_at AS "startedAt", launch.cause, launch.entries,
  CASE WHEN ${conditionsOfOutcome.left.join(' OR ')} THEN 'left' ELSE launch.outcome END AS outcome,
  launch.client_id AS "clientId", client.client_name AS "clientName", client.id AS "clientRecordId",
  CASE WHEN client.id IS NOT NULL THEN jsonb_build_object('clientType', client.client_type,
    'requireClientSecret', client.settings -> 'requireClientSecret') END AS "clientForm",
  ended.cause AS "endedBy", ended.ended_at AS "endedAt",
  launch.account_id AS "accountId", account.full_name AS "personName", account.user_type AS "userType"`;

/** The ids of accounts are text here, so that nothing but an insert can go wrong with one. */
const joins = `
  LEFT JOIN client ON client.client_id = launch.client_id
  LEFT JOIN account ON account.id = CASE WHEN launch.account_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    THEN launch.account_id::uuid END
  LEFT JOIN LATERAL (
    SELECT one.cause, one.ended_at FROM ended_access one WHERE one.model = 'Grant' AND one.launch_id = launch.id
     ORDER BY one.ended_at DESC LIMIT 1) AS ended ON true`;

/**
 * Bytes of a stored row from which on it gets no further entry of that kind: each cause still has its first, and
 * counts.
 */
const largestEntries = 16 * 1024;

/** Rows are locked in the order of their ids, so that the statements of two nodes cannot deadlock. */
const decidesNothing = `(excluded.outcome = 'open'
  OR starts_with(coalesce(excluded.cause, ''), '${gatewayPrefix}') AND launch.outcome <> 'open')`;
const upsert = new Prepared(`
  INSERT INTO launch (id, kind, client_id, account_id, code_hash, started_at, last_at, outcome, cause, entries)
  SELECT id, kind, "clientId", "accountId", "codeHash", to_timestamp("startedAt" / 1000), to_timestamp("lastAt" / 1000),
         outcome, cause, entries
    FROM jsonb_to_recordset($1::jsonb) AS noted (id text, kind text, "clientId" text, "accountId" text, "codeHash" text,
      "startedAt" float8, "lastAt" float8, outcome text, cause text, entries jsonb)
   ORDER BY id
  ON CONFLICT (id) DO UPDATE SET
    client_id = coalesce(excluded.client_id, launch.client_id),
    account_id = coalesce(excluded.account_id, launch.account_id),
    code_hash = coalesce(excluded.code_hash, launch.code_hash),
    last_at = greatest(launch.last_at, excluded.last_at),
    outcome = CASE WHEN ${decidesNothing} THEN launch.outcome ELSE excluded.outcome END,
    cause = CASE WHEN ${decidesNothing} OR excluded.outcome = 'declined' AND launch.outcome = 'declined'
                 THEN launch.cause ELSE excluded.cause END,
    entries = merge_launch_entries(launch.entries, CASE WHEN pg_column_size(launch.entries) < ${largestEntries}
      THEN excluded.entries
      ELSE coalesce((SELECT jsonb_object_agg(key, entry) FROM jsonb_each(excluded.entries) AS noted (key, entry)
                      WHERE launch.entries ? key OR strpos(key, chr(10)) = 0
                         OR key = excluded.cause AND launch.outcome = 'open'), '{}') END)`);

@Injectable()
export class PostgresLaunches extends Launches {
  constructor(private readonly database: Database) {
    super();
  }

  async store(launches: readonly (NotedLaunch & { id: string })[]): Promise<Error | undefined> {
    try {
      await this.database.outsideTransaction(() => this.database.query(upsert, [JSON.stringify(launches)]));
      return undefined;
    } catch (error) {
      if (!isOfContent(error)) throw error;
      return error as Error;
    }
  }

  /** The first rows of each outcome are read in the order of an index, so its time does not grow with their number. */
  override async list(filter: LaunchFilter, page: LaunchPage): Promise<Launch[]> {
    const { outcomes, newestFirst, offset, length, after } = page;
    const { bind, parameters } = statement();
    const order = (id: string) =>
      `ORDER BY started_at ${newestFirst ? 'DESC' : ''}, ${id} ${newestFirst ? 'DESC' : ''}`;
    const most = bind(offset + length);
    const rest =
      after &&
      `(launch.started_at, launch.id) ${newestFirst ? '<' : '>'} (${bind(after.startedAt)}, ${bind(after.id)})`;
    const parts = sources(filter, outcomes.length > 0 ? outcomes : launchOutcomes, bind, (conditions) => {
      const of = `SELECT id, started_at FROM launch WHERE ${conditions}${rest ? ` AND ${rest}` : ''}`;
      return `${of} ${order('id')} LIMIT ${most}`;
    });
    const { rows } = await this.database.query<Launch & Row>(
      `WITH page AS (
         SELECT id FROM (${parts}) AS found
         ${order('id')} LIMIT ${bind(length)} OFFSET ${bind(offset)})
       SELECT ${columns} FROM page JOIN launch ON launch.id = page.id ${joins} ${order('launch.id')}`,
      parameters,
    );
    return rows;
  }

  override async count(filter: LaunchFilter, most: number): Promise<Record<LaunchOutcome, number>> {
    const { bind, parameters } = statement();
    const counts = launchOutcomes.map((outcome) => `${countStatement(filter, [outcome], most, bind)} AS "${outcome}"`);
    const { rows } = await this.database.query<Record<LaunchOutcome, number>>(
      `SELECT ${counts.join(', ')}`,
      parameters,
    );
    return rows[0] as Record<LaunchOutcome, number>;
  }

  override async total(filter: LaunchFilter, outcomes: readonly LaunchOutcome[], most: number): Promise<number> {
    const { bind, parameters } = statement();
    const { rows } = await this.database.query<{ total: number }>(
      `SELECT ${countStatement(filter, outcomes, most, bind)} AS total`,
      parameters,
    );
    return rows[0]?.total ?? 0;
  }

  override async findByPrefix(idPrefix: string): Promise<Launch | undefined> {
    const { bind, parameters } = statement();
    const { rows } = await this.database.query<Launch & Row>(
      `SELECT ${columns} FROM launch ${joins} WHERE ${beginsWith(idPrefix, bind)} ORDER BY launch.started_at DESC LIMIT 1`,
      parameters,
    );
    return rows[0];
  }

  override async days(count: number): Promise<LaunchDay[]> {
    const { rows } = await this.database.query<LaunchDay & Row>(
      `SELECT to_char(today - ago, 'YYYY-MM-DD') AS day, coalesce(completed, 0) AS completed, coalesce(refused, 0) AS refused
         FROM (SELECT (now() AT TIME ZONE 'UTC')::date AS today) AS at
        CROSS JOIN generate_series(0, $1::int - 1) AS ago
         LEFT JOIN launch_tally ON launch_tally.day = today - ago
        ORDER BY ago DESC`,
      [count],
    );
    return rows;
  }

  override async refusals(clientId: string, since: Date): Promise<RefusalsOfCause[]> {
    const { rows } = await this.database.query<RefusalsOfCause & Row>(
      `SELECT cause_code AS cause, count(*)::int AS count, (array_agg(id ORDER BY started_at DESC, id DESC))[1] AS "lastId"
         FROM launch WHERE client_id = $1 AND kind = 'launch' AND outcome IN ('refused', 'failed') AND cause_code IS NOT NULL
          AND started_at >= $2
        GROUP BY cause_code`,
      [clientId, since],
    );
    return rows;
  }

  override async refusedServices(clientId: string, since: Date): Promise<Launch[]> {
    const { rows } = await this.database.query<Launch & Row>(
      `SELECT ${columns} FROM launch ${joins}
        WHERE launch.client_id = $1 AND launch.kind IN ('service', 'unknown') AND launch.cause_code IS NOT NULL AND launch.started_at >= $2
        ORDER BY launch.started_at DESC LIMIT 500`,
      [clientId, since],
    );
    return rows;
  }

  override async emptiedSearches(clientId: string, since: Date, most: number): Promise<number> {
    const { bind, parameters } = statement();
    const limit = bind(most);
    const found = sources({ clientId, from: since }, launchOutcomes, bind, (conditions) => {
      return `SELECT entries FROM launch WHERE ${conditions} ORDER BY started_at DESC LIMIT ${limit}`;
    });
    const { rows } = await this.database.query<{ count: number }>(
      `SELECT coalesce(sum((entries -> 'gateway-search-emptied' ->> 'count')::int), 0)::int AS count FROM (${found}) AS found`,
      parameters,
    );
    return rows[0]?.count ?? 0;
  }

  override async countOfCause({ clientId, cause }: Pick<Launch, 'clientId' | 'cause'>, since: Date): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM launch
        WHERE cause_code = split_part($1, E'\\n', 1) AND started_at >= $2
          AND ${clientId === null ? '$3::text IS NULL AND client_id IS NULL' : "client_id = $3 AND kind IN ('launch', 'service', 'unknown')"}`,
      [cause, since, clientId],
    );
    return rows[0]?.count ?? 0;
  }

  /** Rows that a node is writing are left for the next time. */
  override async removeBefore(time: Date, most: number): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM launch WHERE id IN (
         SELECT id FROM launch WHERE outcome = ANY (${stored}) AND started_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [time, most],
    );
    return rowCount ?? 0;
  }
}

interface Row {
  [column: string]: unknown;
}

/** Counts the launches of these outcomes as far as `most`. */
function countStatement(filter: LaunchFilter, outcomes: readonly LaunchOutcome[], most: number, bind: Bind): string {
  const limit = bind(most);
  // The order has the index read, and not the table, as far as the limit.
  const found = sources(filter, outcomes, bind, (conditions) => {
    return `SELECT started_at FROM launch WHERE ${conditions} ORDER BY started_at DESC LIMIT ${limit}`;
  });
  return `(SELECT count(*)::int FROM (SELECT FROM (${found}) AS found LIMIT ${limit}) AS counted)`;
}

/**
 * All that the filter permits of these outcomes: the first rows of each outcome, and of each app and person that was
 * searched, which `read` selects in the order of an index.
 */
function sources(
  { anyOf, ...filter }: LaunchFilter,
  outcomes: readonly LaunchOutcome[],
  bind: Bind,
  read: (conditions: string) => string,
): string {
  const conditions = conditionsOf(filter, bind);
  const clientIds = anyOf && `${bind(anyOf.clientIds)}::text[]`;
  const accountIds = anyOf && `${bind(anyOf.accountIds)}::text[]`;
  const part = (...of: string[]) => read([...of, ...conditions].join(' AND '));
  const each = (keys: string, found: string) =>
    `SELECT found.* FROM unnest(${keys}) AS key CROSS JOIN LATERAL (${found}) AS found`;
  return outcomes
    .flatMap((outcome) => conditionsOfOutcome[outcome])
    .flatMap((outcome) => {
      if (!clientIds || !accountIds) return [part(outcome)];
      const isOfNone = `(launch.client_id = ANY (${clientIds})) IS NOT TRUE`;
      return [
        each(clientIds, part('launch.client_id = key', outcome)),
        each(accountIds, part('launch.account_id = key', outcome, isOfNone)),
      ];
    })
    .map((one) => `(${one})`)
    .join(' UNION ALL ');
}

function conditionsOf({ clientId, accountId, cause, from, to, idPrefix }: LaunchFilter, bind: Bind): string[] {
  return [
    ...(clientId === undefined ? [] : [`launch.client_id = ${bind(clientId)}`]),
    ...(accountId === undefined ? [] : [`launch.account_id = ${bind(accountId)}`]),
    ...(cause === undefined ? [] : [`launch.cause_code = ${bind(cause)}`]),
    ...(from === undefined ? [] : [`launch.started_at >= ${bind(from)}`]),
    ...(to === undefined ? [] : [`launch.started_at < ${bind(to)}`]),
    ...(idPrefix === undefined ? [] : [beginsWith(idPrefix, bind)]),
  ];
}

/** `~` comes after every letter of an id. */
function beginsWith(prefix: string, bind: Bind): string {
  return `launch.id >= ${bind(prefix)} AND launch.id < ${bind(`${prefix}~`)}`;
}

function statement() {
  const parameters: unknown[] = [];
  return { parameters, bind: (value: unknown) => `$${parameters.push(value)}` };
}

/** SQLSTATE classes 22 (data), 23 (constraint) and 54 (limit): the same statement fails again. */
function isOfContent(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? '');
}
