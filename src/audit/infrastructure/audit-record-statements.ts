import { launchIdLength } from '../../contract/activity/reference.js';
import type { EventFilter, EventPage, SearchedFor } from '../domain/audit-event.js';

export type Bind = (value: unknown) => string;

const uuid = "'^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'";

/** Ids of accounts and clients are text in the record, which holds other texts, too. */
const asId = (column: string) => `CASE WHEN ${column} ~ ${uuid} THEN ${column}::uuid END`;

export const columns = `
  event.id::text AS id, event.recorded_at AS at, event.type, event.outcome, event.user_id AS "userId",
  actor.full_name AS "userName", actor.user_type AS "userType", event.client_id AS "clientId",
  client.client_name AS "clientName", client.id AS "clientRecordId", event.subject, object.full_name AS "subjectName",
  object.user_type AS "subjectType", event.address, event.correlation_id AS "correlationId", event.detail`;

/** A client that has another client id by now is found by its record, where the event names that. */
export const joins = `
  LEFT JOIN account AS actor ON actor.id = ${asId('event.user_id')}
  LEFT JOIN account AS object ON object.id = ${asId('event.subject')}
  LEFT JOIN LATERAL (
    SELECT * FROM client WHERE client.client_id = event.client_id OR client.id = ${asId('event.subject')}
     ORDER BY client.id = ${asId('event.subject')} DESC NULLS LAST LIMIT 1) AS client ON true`;

export function statement() {
  const parameters: unknown[] = [];
  return { parameters, bind: (value: unknown) => `$${parameters.push(value)}` };
}

export function orderOf({ newestFirst }: Pick<EventPage, 'newestFirst'>, of = ''): string {
  const direction = newestFirst ? 'DESC' : 'ASC';
  return `ORDER BY ${of}recorded_at ${direction}, ${of}id ${direction}`;
}

/**
 * Ids and times of the first events that the filter permits. Each word, person and type of a search is read by an index
 * in the order of the record as far as the limit, so that the time does not grow with the size of the record.
 */
export function foundEvents(
  filter: EventFilter,
  page: EventPage,
  bind: Bind,
  partitions: readonly Partition[],
): string {
  const { after, newestFirst } = page;
  const order = `${orderOf(page)} LIMIT ${bind(page.length)}`;
  const place = (at: string, id: string) =>
    `recorded_at ${newestFirst ? '<=' : '>='} ${at} AND (recorded_at, id) ${newestFirst ? '<' : '>'} (${at}, ${id})`;
  const since = after ? [place(`${bind(after.at)}::timestamptz`, `${bind(after.id)}::bigint`)] : [];
  const residual = [...since, ...conditionsOf(filter, bind)];
  const read = (...conditions: string[]) => {
    const permitted = ['true', ...conditions, ...residual];
    if (filter.patient !== undefined) return byPartition(page, partitions, permitted, bind);
    return `SELECT id, recorded_at FROM audit_event WHERE ${permitted.join(' AND ')} ${order}`;
  };
  const each = (keys: string, condition: string) =>
    `SELECT found.* FROM (${keys}) AS keys (key) CROSS JOIN LATERAL (${read(condition)}) AS found`;
  const branches = branchesOf(filter, bind, read, each).map((one) => `(${one})`);
  return `SELECT id, recorded_at FROM (${branches.join(' UNION ')}) AS found ${order}`;
}

/** Partitions that can have events a filter permits, the newest first; see the view `audit_partition`. */
export const partitionsOf = `
  SELECT from_at::text AS "from", to_at::text AS "to" FROM audit_partition
   WHERE from_at <= clock_timestamp() AND to_at > coalesce($1::timestamptz, '-infinity') AND from_at < coalesce($2::timestamptz, 'infinity')
   ORDER BY from_at DESC`;

/** Bounds in time, as text of PostgreSQL. */
export interface Partition {
  from: string;
  to: string;
}

/**
 * The events of a patient, partition by partition until there are enough. PostgreSQL would read the record backwards
 * until it has a page, which the sum keeps it from. The bounds are known when it plans: of unknown ones it believes
 * that they select little, and reads the index of times of the whole month.
 */
function byPartition(
  { newestFirst, length }: EventPage,
  partitions: readonly Partition[],
  permitted: string[],
  bind: Bind,
): string {
  const direction = newestFirst ? 'DESC' : 'ASC';
  const limit = `LIMIT ${bind(length)}`;
  const inOrder = newestFirst ? partitions : partitions.toReversed();
  const reads = inOrder.map(({ from, to }) => {
    const within = [`recorded_at >= ${bind(from)}::timestamptz`, `recorded_at < ${bind(to)}::timestamptz`];
    return `(SELECT id, recorded_at FROM audit_event WHERE ${[...within, ...permitted].join(' AND ')}
       ORDER BY recorded_at + interval '0' ${direction}, id ${direction} ${limit})`;
  });
  const none = `SELECT id, recorded_at FROM audit_event WHERE ${['false', ...permitted].join(' AND ')}`;
  return `SELECT id, recorded_at FROM (${reads.join(' UNION ALL ') || none}) AS found ${limit}`;
}

type Read = (...conditions: string[]) => string;
type Each = (keys: string, condition: string) => string;

function branchesOf(filter: EventFilter, bind: Bind, read: Read, each: Each): string[] {
  const { accountId, anyOf, types } = filter;
  if (anyOf) return searched(anyOf, bind, read, each);
  if (accountId !== undefined) {
    const id = bind(accountId);
    return [read(`user_id = ${id}`), read(`subject = ${id}`)];
  }
  if (filter.administrators) {
    return [each("SELECT id::text FROM account WHERE user_type = 'Admin'", 'user_id = key')];
  }
  // Accesses are nearly all events. The other types have an index of their own.
  if (types && !types.includes('record.accessed') && !isNarrow(filter)) {
    return [each(`SELECT unnest(${bind(types)}::text[])`, 'type = key')];
  }
  return [read()];
}

/** True if another index than that of types leads to fewer events. */
function isNarrow({ clientId, patient, launch, addresses, correlationId }: EventFilter): boolean {
  return [clientId, patient, launch, addresses, correlationId].some((one) => one !== undefined);
}

function searched({ entry, launch, clientIds, objects }: SearchedFor, bind: Bind, read: Read, each: Each): string[] {
  const keys = `SELECT unnest(${bind(objects)}::text[])`;
  return [
    each(`SELECT unnest(${bind(clientIds)}::text[])`, 'client_id = key'),
    each(keys, 'user_id = key'),
    each(keys, 'subject = key'),
    ...(entry === undefined ? [] : [read(`id = ${bind(entry)}::bigint`)]),
    ...(launch === undefined ? [] : [read(ofLaunch(launch, bind))]),
  ];
}

function conditionsOf(filter: EventFilter, bind: Bind): string[] {
  const { types, patient, tenant, kind, launch, accountId, anyOf } = filter;
  const equal = (column: string, value: unknown) => (value === undefined ? [] : [`${column} = ${bind(value)}`]);
  return [
    ...(types ? [`type = ANY (${bind(types)}::text[])`] : []),
    ...(types && !types.includes('record.accessed') ? ["type <> 'record.accessed'"] : []),
    ...equal('outcome', filter.outcome),
    ...(accountId !== undefined && anyOf ? [`${bind(accountId)} IN (user_id, subject)`] : []),
    ...equal('client_id', filter.clientId),
    ...(filter.addresses ? [`address = ANY (${bind(filter.addresses)}::text[])`] : []),
    ...equal('correlation_id', filter.correlationId),
    ...(filter.administrators && (accountId !== undefined || anyOf)
      ? ["user_id IN (SELECT id::text FROM account WHERE user_type = 'Admin')"]
      : []),
    ...(patient === undefined
      ? []
      : [`type = 'record.accessed' AND ${patientsOfEvent} @> to_jsonb(${bind(patient)}::text)`]),
    ...(tenant === null ? ["detail ->> 'tenant' IS NULL"] : equal("detail ->> 'tenant'", tenant)),
    ...(kind === undefined ? [] : [`type = 'record.accessed' AND ${hasKind(bind(kind))}`]),
    ...(launch === undefined ? [] : [ofLaunch(launch, bind)]),
    ...(filter.from ? [`recorded_at >= ${bind(filter.from)}`] : []),
    ...(filter.to ? [`recorded_at < ${bind(filter.to)}`] : []),
  ];
}

/** The type of the resource that was asked for, or the types of those that were answered: `Type` or `Type/category`. */
function hasKind(kind: string): string {
  return `(lower(split_part(detail ->> 'resource', '/', 1)) = lower(${kind}) OR EXISTS (
    SELECT FROM jsonb_array_elements(CASE jsonb_typeof(detail -> 'seen') WHEN 'array' THEN detail -> 'seen' ELSE '[]' END) AS seen,
           jsonb_object_keys(seen) AS seen_kind
     WHERE lower(split_part(seen_kind, '/', 1)) = lower(${kind})))`;
}

/** Ids have twelve letters, none of which comes after Z in any collation of the database. */
function ofLaunch(prefix: string, bind: Bind): string {
  const launch = "detail ->> 'launch'";
  return `${launch} >= ${bind(prefix)} AND ${launch} <= ${bind(prefix.padEnd(launchIdLength, 'Z'))}`;
}

/**
 * SQL for the patients of a `record.accessed` event, as a JSON array or, in events of earlier versions, one string. The
 * index has the same expression; `… @> '"id"'::jsonb` finds the events of a patient in either form.
 */
export const patientsOfEvent = "coalesce(detail -> 'patients', detail -> 'patient')";
