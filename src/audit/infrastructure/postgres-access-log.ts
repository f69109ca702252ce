import { Injectable } from '@nestjs/common';
import type { PatientSource } from '../../contract/audit/access-detail.js';
import { Database } from '../../platform/database/database.js';
import {
  AccessLog,
  type Consented,
  type ExportedAccess,
  type FoundEnd,
  type FoundRequest,
  type FoundSummary,
  type FoundVisit,
  type LogDays,
  type LogFilter,
  type LogPatient,
  type LogPlace,
  type VisitKey,
} from '../domain/access-log.js';
import type { FoundDecision } from '../domain/relationship-decision.js';
import { patientsOfEvent } from './audit-record-statements.js';

type Bind = (value: unknown) => string;
type Row<T> = T & { [column: string]: unknown };

/** A pause of that length ends a visit. */
const pause = "interval '10 minutes'";

const status = "(detail ->> 'status')::int";
const isRefused = `${status} IN (401, 403)`;

const verb = `
  CASE WHEN ${status} >= 400 THEN 'asked'
       WHEN detail ->> 'interaction' = 'create' OR (detail ->> 'interaction' = 'update' AND ${status} = 201) THEN 'added'
       WHEN detail ->> 'interaction' IN ('update', 'patch') THEN 'changed'
       WHEN detail ->> 'interaction' = 'delete' THEN 'deleted'
       ELSE 'saw' END`;

/** Events without numbers have the type of the request; the number is that of a request for one resource. */
const kindOfRequest = `
  CASE WHEN detail ->> 'resource' IS NULL THEN '{}'::jsonb
       ELSE jsonb_build_object(
         split_part(detail ->> 'resource', '/', 1),
         CASE WHEN ${status} < 400 AND strpos(detail ->> 'resource', '/') > 0
                   AND detail ->> 'interaction' IN ('read', 'vread', 'create', 'update', 'patch', 'delete') THEN 1 ELSE 0 END)
  END`;

@Injectable()
export class PostgresAccessLog extends AccessLog {
  constructor(private readonly database: Database) {
    super();
  }

  /** Requests are counted here: a visit can have a hundred thousand of them. */
  override async visits(
    of: LogPatient,
    filter: LogFilter,
    days: LogDays,
    { before, length }: { before?: LogPlace | undefined; length: number },
  ): Promise<FoundVisit[]> {
    const { bind, parameters } = statement();
    const visits = visitsOf(of, filter, days, bind);
    const page = before ? `WHERE (start, id) < (${bind(before.at)}, ${bind(before.id)})` : '';
    const { rows } = await this.database.query<Row<FoundVisit>>(
      `WITH ${visits},
       page AS (SELECT * FROM visit ${page} ORDER BY start DESC, id DESC LIMIT ${bind(length)}),
       kind_of_verb AS (
         SELECT page.id, verb, kind, sum(found::bigint) AS number
           FROM page JOIN access_of_visit ON visit_id = page.id CROSS JOIN LATERAL jsonb_each_text(kinds) AS each (kind, found)
          GROUP BY page.id, verb, kind),
       verb AS (SELECT id, verb, jsonb_object_agg(kind, number) AS kinds FROM kind_of_verb GROUP BY id, verb),
       -- Also a request of no kind was made.
       silent AS (SELECT DISTINCT visit_id AS id, verb FROM access_of_visit JOIN page ON visit_id = page.id),
       did AS (
         SELECT id, jsonb_object_agg(verb, coalesce(kinds, '{}')) AS did FROM silent LEFT JOIN verb USING (id, verb) GROUP BY id)
       SELECT page.id, start, "end", page.by, client_id AS "clientId", CASE WHEN page.by IN ('person', 'representative') THEN user_id END AS "personId", representation,
              requests, refused, failed, unattended, trial, export AS "exportId", launch, did
         FROM page JOIN did USING (id) ORDER BY start DESC, id DESC`,
      parameters,
    );
    return rows;
  }

  override async summary(of: LogPatient, filter: LogFilter, days: LogDays): Promise<FoundSummary> {
    const { bind, parameters } = statement();
    const visits = visitsOf(of, filter, days, bind);
    const { rows } = await this.database.query<Row<FoundSummary>>(
      `WITH ${visits}
       SELECT count(*) FILTER (WHERE answered)::int AS visits, count(*) FILTER (WHERE refused > 0)::int AS refused,
              count(*) FILTER (WHERE by = 'representative')::int AS family,
              coalesce(array_agg(DISTINCT client_id) FILTER (WHERE by IN ('app', 'service') AND client_id IS NOT NULL), '{}') AS "clientIds",
              coalesce(array_agg(DISTINCT user_id) FILTER (WHERE by = 'person'), '{}') AS "personIds",
              (SELECT coalesce(array_agg(DISTINCT kind), '{}')
                 FROM access_of_visit CROSS JOIN LATERAL jsonb_object_keys(kinds) AS each (kind)
                WHERE visit_id IN (SELECT id FROM visit)) AS kinds
         FROM visit`,
      parameters,
    );
    return rows[0] as FoundSummary;
  }

  override async endedAccesses(
    { accountId, onlyBy }: LogPatient,
    clientId: string | undefined,
    days: LogDays,
    { before, length }: { before?: LogPlace | undefined; length: number },
  ): Promise<FoundEnd[]> {
    if (onlyBy) return [];
    const { bind, parameters } = statement();
    const account = bind(accountId);
    const conditions = [
      "detail -> 'representation' IS NULL",
      "type IN ('app.revoked', 'permission.revoked', 'app.paused', 'app.resumed')",
      "outcome = 'success'",
      `(user_id = ${account} OR subject = ${account})`,
      ...conditionsOf(days, bind),
      ...(clientId === undefined ? [] : [`client_id = ${bind(clientId)}`]),
      ...(before ? [`(recorded_at, id) < (${bind(before.at)}, ${bind(before.id)})`] : []),
    ];
    const { rows } = await this.database.query<Row<FoundEnd>>(
      `SELECT id, recorded_at AS at, type, client_id AS "clientId", user_id IS NOT DISTINCT FROM ${account} AS "byPatient",
              detail ->> 'receiptId' AS "receiptId"
         FROM audit_event WHERE ${conditions.join(' AND ')} ORDER BY recorded_at DESC, id DESC LIMIT ${bind(length)}`,
      parameters,
    );
    return rows;
  }

  override async decisions(
    relationships: readonly string[],
    days: LogDays,
    { before, length }: { before?: LogPlace | undefined; length: number },
  ): Promise<FoundDecision[]> {
    const { bind, parameters } = statement();
    const conditions = [
      `subject = ANY (${bind(relationships)}::text[])`,
      "outcome = 'success'",
      // An approval that waits for a second one, and an end that came after another one, decide nothing.
      `(type = 'representation.decided' AND (detail ->> 'status' IN ('active', 'declined') OR detail ->> 'by' = 'server')
        OR type = 'representation.changed' AND detail ->> 'decision' IN ('level', 'confirm', 'agreement')
        OR type = 'representation.ended' AND detail ->> 'before' IS NULL)`,
      ...conditionsOf(days, bind),
      ...(before ? [`(recorded_at, id) < (${bind(before.at)}, ${bind(before.id)})`] : []),
    ];
    const { rows } = await this.database.query<Row<FoundDecision>>(
      `SELECT id, recorded_at AS at, subject AS relationship, type, user_id AS "userId", detail ->> 'decision' AS decision,
              detail ->> 'status' AS status, detail ->> 'reason' AS reason, detail ->> 'by' AS by, detail ->> 'level' AS level
         FROM audit_event WHERE ${conditions.join(' AND ')} ORDER BY recorded_at DESC, id DESC LIMIT ${bind(length)}`,
      parameters,
    );
    return rows;
  }

  override async requests(
    of: LogPatient,
    visit: VisitKey,
    { after, length }: { after?: LogPlace | undefined; length: number },
  ): Promise<FoundRequest[]> {
    const { bind, parameters } = statement();
    const conditions = [
      ...ofVisit(of, visit, bind),
      ...(after ? [`(recorded_at, id) > (${bind(after.at)}, ${bind(after.id)})`] : []),
    ];
    const { rows } = await this.database.query<Row<FoundRequest>>(
      `SELECT id, recorded_at AS at, ${verb} AS verb, detail ->> 'interaction' AS interaction, ${kindsFor(of, bind)} AS kinds,
              ${status} AS status
         FROM audit_event WHERE ${conditions.join(' AND ')} ORDER BY recorded_at, id LIMIT ${bind(length)}`,
      parameters,
    );
    return rows;
  }

  override async patientSource(of: LogPatient, visit: VisitKey): Promise<PatientSource | undefined> {
    const { bind, parameters } = statement();
    const { rows } = await this.database.query<{ source: PatientSource | null }>(
      `SELECT DISTINCT CASE WHEN detail ->> 'patient' = ${bind(of.patient)} THEN detail -> 'patientSource' END AS source
         FROM audit_event WHERE ${ofVisit(of, visit, bind).join(' AND ')} LIMIT 2`,
      parameters,
    );
    return rows.length === 1 ? (rows[0]?.source ?? undefined) : undefined;
  }

  override async representation(of: LogPatient, visit: VisitKey): Promise<string | undefined> {
    const { bind, parameters } = statement();
    const { rows } = await this.database.query<{ id: string | null }>(
      `SELECT detail ->> 'representation' AS id FROM audit_event WHERE ${ofVisit(of, visit, bind).join(' AND ')}
        ORDER BY recorded_at DESC LIMIT 1`,
      parameters,
    );
    return rows[0]?.id ?? undefined;
  }

  override async eventIds(of: LogPatient, filter: LogFilter, days: LogDays): Promise<string[]> {
    const { bind, parameters } = statement();
    const visits = visitsOf(of, filter, days, bind);
    const { rows } = await this.database.query<{ id: string }>(
      `WITH ${visits}
       SELECT id FROM access_of_visit WHERE visit_id IN (SELECT id FROM visit) ORDER BY at DESC, id DESC`,
      parameters,
    );
    return rows.map(({ id }) => id);
  }

  override async events(of: LogPatient, ids: readonly string[], days: LogDays): Promise<ExportedAccess[]> {
    const { bind, parameters } = statement();
    const conditions = [`id = ANY (${bind(ids)}::bigint[])`, ...conditionsOf(days, bind)];
    const { rows } = await this.database.query<Row<ExportedAccess>>(
      `SELECT id, ${bind(of.patient)}::text AS patient, recorded_at AS "recordedAt", ${accessor(of, bind)} AS by, user_id AS "userId", client_id AS "clientId",
              correlation_id AS "correlationId", detail, ${verb} AS verb, ${kindsFor(of, bind)} AS kinds
         FROM audit_event WHERE ${conditions.join(' AND ')} ORDER BY recorded_at DESC, id DESC`,
      parameters,
    );
    return rows;
  }

  override async oldest(): Promise<Date | undefined> {
    const { rows } = await this.database.query<{ at: Date }>(
      'SELECT recorded_at AS at FROM audit_event ORDER BY recorded_at LIMIT 1',
    );
    return rows[0]?.at;
  }

  override async lastConsent(
    { accountId, clientId, representation }: Consented,
    before: Date,
  ): Promise<Date | undefined> {
    const { rows } = await this.database.query<{ at: Date }>(
      `SELECT recorded_at AS at FROM audit_event
        WHERE type = 'consent.given' AND user_id = $1 AND client_id = $2 AND recorded_at <= $3
          AND detail ->> 'representation' IS NOT DISTINCT FROM $4
        ORDER BY recorded_at DESC LIMIT 1`,
      [accountId, clientId, before, representation ?? null],
    );
    return rows[0]?.at;
  }
}

/**
 * `access_of_visit`: the accesses of these days, each with its visit, which its first access names; `visit`: the visits
 * that the filter permits. A visit ends at midnight, and a bulk export is one visit.
 */
function visitsOf(of: LogPatient, { show, clientId, personId, kind }: LogFilter, days: LogDays, bind: Bind): string {
  const visit = 'PARTITION BY user_id, client_id, tenant, export, day';
  const only = [
    ...(clientId === undefined ? [] : [`client_id = ${bind(clientId)}`]),
    ...(personId === undefined ? [] : [`user_id = ${bind(personId)}`]),
  ];
  const having = [
    ...(show === 'refused' ? ['bool_or(is_refused)'] : []),
    ...(show === 'family' ? ["by = 'representative'"] : []),
    ...(show === 'apps' ? ["by IN ('app', 'service')"] : []),
    ...(show === 'staff' ? ["by = 'person'"] : []),
    ...(kind === undefined ? [] : [`bool_or(${hasKind(bind(kind))})`]),
  ];
  return `
    access AS (
      SELECT id, recorded_at AS at, user_id, client_id, ${accessor(of, bind)} AS by, detail ->> 'tenant' AS tenant,
             detail ->> 'export' AS export, width_bucket(recorded_at, ${bind(days.begins)}::timestamptz[]) AS day,
             ${verb} AS verb, ${status} AS status, ${isRefused} AS is_refused, detail -> 'part' IS NULL AS is_request,
             detail ->> 'launch' AS launch, detail -> 'unattended' IS NOT NULL AS unattended,
             detail -> 'trial' IS NOT NULL AS trial, detail ->> 'representation' AS representation,
             ${kindsFor(of, bind)} AS kinds
        FROM audit_event WHERE ${[...ofPatient(of, bind), ...conditionsOf(days, bind), ...only].join(' AND ')}),
    begun AS (
      SELECT *, export IS NULL AND at - lag(at) OVER (${visit} ORDER BY at, id) >= ${pause} AS begins FROM access),
    numbered AS (
      SELECT *, count(*) FILTER (WHERE begins) OVER (${visit} ORDER BY at, id) AS number FROM begun),
    access_of_visit AS (
      SELECT *, first_value(id) OVER (${visit}, number ORDER BY at, id) AS visit_id FROM numbered),
    visit AS (
      SELECT visit_id AS id, by, user_id, client_id, export, min(at) AS start, max(at) AS "end",
             count(*) FILTER (WHERE is_request)::int AS requests, count(*) FILTER (WHERE is_refused)::int AS refused,
             count(*) FILTER (WHERE status >= 400 AND NOT is_refused)::int AS failed, bool_or(status < 400) AS answered,
             bool_and(unattended) AS unattended, bool_and(trial) AS trial,
             (array_agg(launch ORDER BY at DESC) FILTER (WHERE launch IS NOT NULL))[1] AS launch,
             (array_agg(representation ORDER BY at DESC))[1] AS representation
        FROM access_of_visit GROUP BY visit_id, by, user_id, client_id, export
       ${having.length > 0 ? `HAVING ${having.join(' AND ')}` : ''})`;
}

function accessor({ accountId, onlyBy }: LogPatient, bind: Bind): string {
  if (onlyBy) return "'app'::text";
  return `
    CASE WHEN user_id IS NULL THEN 'service' WHEN detail -> 'representation' IS NOT NULL THEN 'representative'
         WHEN user_id = ${bind(accountId)} THEN 'app' ELSE 'person' END`;
}

function ofPatient({ accountId, patient, tenants, hidesRepresentatives, onlyBy }: LogPatient, bind: Bind): string[] {
  const named = tenants.filter((tenant) => tenant !== null);
  const isNone = tenants.includes(null) ? "detail ->> 'tenant' IS NULL OR " : '';
  return [
    "type = 'record.accessed'",
    `${patientsOfEvent} @> to_jsonb(${bind(patient)}::text)`,
    // Said twice, the planner expects few events, and does not read the index of times besides, which grows with the
    // table.
    `${patientsOfEvent} @> to_jsonb(${bind(patient)}::varchar)`,
    `(${isNone}detail ->> 'tenant' = ANY (${bind(named)}::text[]))`,
    ...(hidesRepresentatives ? ["detail -> 'representation' IS NULL"] : []),
    ...(onlyBy ? [`user_id = ${bind(accountId)}`, `detail ->> 'representation' = ANY (${bind(onlyBy)}::text[])`] : []),
  ];
}

/** The accesses of a visit to this patient's data. */
function ofVisit(of: LogPatient, { by, clientId, personId, exportId, start, end }: VisitKey, bind: Bind): string[] {
  const userId = by === 'app' ? of.accountId : by === 'service' ? undefined : personId;
  return [
    ...ofPatient(of, bind),
    `recorded_at >= ${bind(start)} AND recorded_at <= ${bind(end)}`,
    `client_id IS NOT DISTINCT FROM ${bind(clientId)}::text`,
    `user_id IS NOT DISTINCT FROM ${bind(userId)}::text`,
    `detail ->> 'export' IS NOT DISTINCT FROM ${bind(exportId)}::text`,
  ];
}

function conditionsOf({ begins, end }: LogDays, bind: Bind): string[] {
  return [`recorded_at >= ${bind(begins[0])}`, `recorded_at < ${bind(end)}`];
}

/** The number of resources of this patient in an event, by kind. */
function kindsFor({ patient }: LogPatient, bind: Bind): string {
  const place = `array_position(ARRAY(SELECT jsonb_array_elements_text(detail -> 'patients')), ${bind(patient)}) - 1`;
  return `coalesce(detail -> 'seen' -> (${place}), ${kindOfRequest})`;
}

/** A type has its categories. */
function hasKind(kind: string): string {
  return `EXISTS (SELECT FROM jsonb_object_keys(kinds) AS one WHERE one = ${kind} OR split_part(one, '/', 1) = ${kind})`;
}

function statement() {
  const parameters: unknown[] = [];
  return { parameters, bind: (value: unknown) => `$${parameters.push(value)}` };
}
