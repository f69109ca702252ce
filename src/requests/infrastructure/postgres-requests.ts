import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import {
  type HospitalRequest,
  type NewRequest,
  type RequestChange,
  type RequestFilter,
  type RequestStatus,
  Requests,
} from '../domain/request.js';

type Row = Omit<HospitalRequest, 'tenant'> & { tenant: string };

const columns = {
  status: 'status',
  note: 'note',
  firstApproval: 'first_approval',
  decidedBy: 'decided_by',
  decidedAt: 'decided_at',
  relationshipId: 'relationship_id',
  dueAt: 'due_at',
  content: 'content',
} as const satisfies Record<keyof RequestChange, string>;
const json: ReadonlySet<string> = new Set(['firstApproval', 'decidedBy', 'content']);

const selected = `id, reference, kind, account_id AS "accountId", tenant, asker_name AS "askerName",
  patient_name AS "patientName", version, asked_at AS "askedAt",
  ${Object.entries(columns)
    .map(([member, column]) => `${column} AS "${member}"`)
    .join(', ')}`;
const openState = "status IN ('waiting', 'more-needed')";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

@Injectable()
export class PostgresRequests extends Requests {
  constructor(private readonly database: Database) {
    super();
  }

  async lockAsker(accountId: string): Promise<void> {
    await this.database.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  }

  async add(request: NewRequest, days: number): Promise<HospitalRequest> {
    const [added] = await this.insert(request, days, '');
    if (!added) throw new Error('the request was not stored');
    return added;
  }

  async addQuestion(request: NewRequest, days: number): Promise<HospitalRequest | undefined> {
    const [added] = await this.insert(request, days, 'ON CONFLICT DO NOTHING');
    return added;
  }

  async findById(id: string): Promise<HospitalRequest | undefined> {
    return uuid.test(id) ? (await this.find('id = $1', [id]))[0] : undefined;
  }

  ofAccount(accountId: string): Promise<HospitalRequest[]> {
    return this.find('account_id = $1 ORDER BY asked_at DESC, id', [accountId]);
  }

  async list({ isOpen, searchTerm, page, pageSize }: RequestFilter) {
    const words = searchTerm
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
    const state = isOpen ? openState : `NOT ${openState}`;
    const where = `${state} AND lower(asker_name || ' ' || patient_name || ' ' || reference) LIKE ALL ($1)`;
    const order = isOpen ? 'due_at, id' : 'decided_at DESC NULLS LAST, id';
    const counted = await this.database.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM request WHERE ${where}`,
      [words],
    );
    const requests = await this.find(`${where} ORDER BY ${order} LIMIT $2 OFFSET $3`, [
      words,
      pageSize,
      (page - 1) * pageSize,
    ]);
    return { requests, totalCount: counted.rows[0]?.total ?? 0 };
  }

  async count(): Promise<{ open: number; late: number }> {
    const { rows } = await this.database.query<{ open: number; late: number }>(
      `SELECT count(*)::int AS open, (count(*) FILTER (WHERE status = 'waiting' AND due_at < now()))::int AS late FROM request
        WHERE ${openState}`,
    );
    return rows[0] ?? { open: 0, late: 0 };
  }

  async decided() {
    const { rows } = await this.database.query<{
      approved: number;
      declined: number;
      cancelled: number;
      usualHours: number | null;
    }>(
      `SELECT (count(*) FILTER (WHERE status IN ('approved', 'in-error')))::int AS approved,
              (count(*) FILTER (WHERE status = 'declined'))::int AS declined,
              (count(*) FILTER (WHERE status = 'cancelled'))::int AS cancelled,
              round(extract(epoch FROM percentile_cont(0.5) WITHIN GROUP (ORDER BY decided_at - asked_at)
                FILTER (WHERE status <> 'cancelled')) / 3600)::int AS "usualHours"
         FROM request WHERE NOT ${openState} AND decided_at > now() - interval '30 days'`,
    );
    return rows[0] ?? { approved: 0, declined: 0, cancelled: 0, usualHours: null };
  }

  async countOpen(accountId: string): Promise<number> {
    const { rows } = await this.database.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM request WHERE account_id = $1 AND ${openState}`,
      [accountId],
    );
    return rows[0]?.total ?? 0;
  }

  async purge(most: number): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM request WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM request WHERE NOT ${openState} AND decided_at < now() -
           CASE WHEN status IN ('approved', 'in-error') THEN interval '10 years' ELSE interval '1 year' END
          LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [most],
    );
    return rowCount ?? 0;
  }

  async change(
    id: string,
    { status, version }: { status: readonly RequestStatus[]; version?: number | undefined },
    change: RequestChange,
  ): Promise<HospitalRequest | undefined> {
    const members = Object.keys(change) as (keyof RequestChange)[];
    const set = members.map((member, index) => `${columns[member]} = $${index + 4}`);
    const { rows } = await this.database.query<Row>(
      `UPDATE request SET ${[...set, 'version = version + 1'].join(', ')}
        WHERE id = $1 AND status = ANY ($2) AND ($3::integer IS NULL OR version = $3) RETURNING ${selected}`,
      [id, status, version ?? null, ...members.map((member) => stored(member, change[member]))],
    );
    return rows.map(requestOf)[0];
  }

  private async insert(request: NewRequest, days: number, onConflict: string): Promise<HospitalRequest[]> {
    const { id, reference, kind, accountId, relationshipId, tenant = '', askerName, patientName, content } = request;
    const { rows } = await this.database.query<Row>(
      `INSERT INTO request (id, reference, kind, account_id, relationship_id, tenant, asker_name, patient_name,
         content, due_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(days => $10)) ${onConflict}
       RETURNING ${selected}`,
      [
        ...[id, reference, kind, accountId, relationshipId, tenant, askerName, patientName],
        ...[JSON.stringify(content), days],
      ],
    );
    return rows.map(requestOf);
  }

  private async find(condition: string, parameters: unknown[]): Promise<HospitalRequest[]> {
    const { rows } = await this.database.query<Row>(`SELECT ${selected} FROM request WHERE ${condition}`, parameters);
    return rows.map(requestOf);
  }
}

function requestOf({ tenant, ...row }: Row): HospitalRequest {
  return { ...row, tenant: tenant === '' ? undefined : tenant };
}

function stored(member: keyof RequestChange, value: unknown): unknown {
  return json.has(member) && value !== null ? JSON.stringify(value) : value;
}
