import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { message } from '../../contract/messages/message.js';
import { Database, sqlState } from '../../platform/database/database.js';
import { wordsOf } from '../../platform/database/paged-search.js';
import { Problem } from '../../platform/errors.js';
import { AuditRecord, type EventFilter, type EventPage, type RecordedEvent } from '../domain/audit-event.js';
import {
  columns,
  foundEvents,
  joins,
  orderOf,
  type Partition,
  partitionsOf,
  statement,
} from './audit-record-statements.js';

/** Below the limit of all statements, whose end says that the database is busy. */
const pageMs = 4_000;
const countMs = 1_500;

/** Reading the same again within this time is not recorded again. */
const sameReading = "interval '10 minutes'";

@Injectable()
export class PostgresAuditRecord extends AuditRecord {
  constructor(private readonly database: Database) {
    super();
  }

  override async page(filter: EventFilter, page: EventPage): Promise<RecordedEvent[]> {
    const { bind, parameters } = statement();
    const sql = `
      WITH page AS MATERIALIZED (${foundEvents(filter, page, bind, await this.partitions(filter))})
      SELECT ${columns} FROM page JOIN audit_event AS event ON event.id = page.id AND event.recorded_at = page.recorded_at
        ${joins} ${orderOf(page, 'event.')}`;
    try {
      return await this.queryWithin<RecordedEvent>(pageMs, sql, parameters);
    } catch (error) {
      if (!isTooSlow(error)) throw error;
      throw Problem.invalid([{ field: 'from', messages: [message('audit-search-too-slow')] }]);
    }
  }

  override async count(filter: EventFilter, most: number): Promise<number | null> {
    const { bind, parameters } = statement();
    const page = { newestFirst: true, length: most, after: undefined };
    const found = foundEvents(filter, page, bind, await this.partitions(filter));
    try {
      const rows = await this.queryWithin<{ count: number }>(
        countMs,
        `SELECT count(*)::int AS count FROM (${found}) AS counted`,
        parameters,
      );
      return rows[0]?.count ?? 0;
    } catch (error) {
      if (!isTooSlow(error)) throw error;
      return null;
    }
  }

  override async findById(id: string): Promise<RecordedEvent | undefined> {
    const { rows } = await this.database.query<RecordedEvent & Row>(
      `SELECT ${columns} FROM audit_event AS event ${joins} WHERE event.id = $1`,
      [id],
    );
    return rows[0];
  }

  override async names(accountId: string | undefined, clientId: string | undefined) {
    const { rows } = await this.database.query<{ person: string | null; client: string | null }>(
      `SELECT (SELECT full_name FROM account WHERE id = $1::uuid) AS person,
              (SELECT client_name FROM client WHERE client_id = $2) AS client`,
      [isUUID(accountId, 'all') ? accountId : null, clientId ?? null],
    );
    const { person, client } = rows[0] ?? {};
    return { ...(person && { person }), ...(client && { client }) };
  }

  override async administratorsNamed(searchTerm: string, most: number): Promise<string[]> {
    const { bind, parameters } = statement();
    const words = wordsOf(searchTerm).map((word) => `strpos(search_text, lower(${bind(word)})) > 0`);
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT id::text AS id FROM account WHERE ${["user_type = 'Admin'", ...words].join(' AND ')} LIMIT ${bind(most)}`,
      parameters,
    );
    return rows.map(({ id }) => id);
  }

  override async wasReadBy(userId: string, what: object): Promise<boolean> {
    const { rows } = await this.database.query<{ known: boolean }>(
      `SELECT EXISTS (
         SELECT FROM audit_event WHERE user_id = $1 AND recorded_at > now() - ${sameReading} AND type = 'audit.read'
            AND detail = $2::jsonb) AS known`,
      [userId, JSON.stringify(what)],
    );
    return rows[0]?.known === true;
  }

  /** Only a search by patient reads partition by partition. */
  private async partitions({ patient, from, to }: EventFilter): Promise<Partition[]> {
    if (patient === undefined) return [];
    const { rows } = await this.database.query<Partition & Row>(partitionsOf, [from ?? null, to ?? null]);
    return rows;
  }

  /** The planner knows the values of the statement, and the database ends it after this time. */
  private queryWithin<R>(ms: number, sql: string, parameters: unknown[]): Promise<R[]> {
    return this.database.transaction(async () => {
      await this.database.query(`SET LOCAL statement_timeout = ${ms}`);
      const { rows } = await this.database.query<R & Row>(sql, parameters);
      return rows;
    });
  }
}

interface Row {
  [column: string]: unknown;
}

/** SQLSTATE of a statement that was ended after its time. */
function isTooSlow(error: unknown): boolean {
  return sqlState(error) === '57014';
}
