import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { AuditState, AuditVerification } from '../../contract/audit.js';
import { mostProblemsKept } from '../../contract/audit.js';
import { Database } from '../../platform/database/database.js';
import { AuditVerifications } from '../domain/audit-verification.js';

/** Names of rows in `readiness_note`; the readiness report and `audit verify` know the second one. */
const underWay = 'audit-verification';
const ended = 'audit-verified';
/** A node tells of its progress much more often. */
const longestSilence = "interval '90 seconds'";

interface StateRow {
  seal: string | null;
  sealedAt: string | null;
  startedAt: string | null;
  by: string | null;
  state: AuditVerification['state'];
  done: number;
  total: number;
  endedAt: string | null;
  endedBy: string | null;
  count: number | null;
  problems: string[] | null;
  [column: string]: unknown;
}

const iso = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

@Injectable()
export class PostgresAuditVerifications extends AuditVerifications {
  constructor(private readonly database: Database) {
    super();
  }

  override async state(): Promise<AuditState> {
    const { rows } = await this.database.query<StateRow>(
      `SELECT seal.number::text AS seal, ${iso('seal.sealed_at')} AS "sealedAt",
              ${iso('run.noted_at')} AS "startedAt", coalesce(starter.full_name, run.detail ->> 'service') AS by, (run.detail ->> 'done')::int AS done,
              (run.detail ->> 'total')::int AS total,
              CASE WHEN run.detail ->> 'state' = 'done' THEN 'done'
                   WHEN (run.detail ->> 'heardAt')::timestamptz < now() - ${longestSilence} THEN 'broken-off'
                   ELSE 'running' END AS state,
              ${iso('last.noted_at')} AS "endedAt", coalesce(verifier.full_name, last.detail ->> 'service') AS "endedBy",
              (last.detail ->> 'problems')::int AS count, last.detail -> 'list' AS problems
         FROM (SELECT) AS one
         LEFT JOIN (SELECT number, sealed_at FROM audit_seal ORDER BY number DESC LIMIT 1) AS seal ON true
         LEFT JOIN readiness_note AS run ON run.name = $1
         LEFT JOIN account AS starter ON starter.id = run.account_id
         LEFT JOIN readiness_note AS last ON last.name = $2
         LEFT JOIN account AS verifier ON verifier.id = last.account_id`,
      [underWay, ended],
    );
    const [row] = rows as [StateRow];
    const { seal, sealedAt, startedAt, by, state, done, total, endedAt, endedBy, count, problems } = row;
    return {
      lastSeal: seal && sealedAt ? { number: seal, at: sealedAt } : null,
      verification: startedAt ? { startedAt, by, state, doneSeals: done, totalSeals: total } : null,
      lastVerified: endedAt ? { at: endedAt, by: endedBy, count: count ?? 0, problems: problems ?? [] } : null,
    };
  }

  /** The row is locked while it is decided, so that of several administrators one begins. */
  override async begin(actor: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `INSERT INTO readiness_note AS note (name, account_id, detail)
       SELECT $1, (SELECT id FROM account WHERE id = $2), jsonb_build_object('state', 'running', 'done', 0, 'heardAt', now(),
                'total', (SELECT count(*) FROM audit_seal), 'service', $3::text)
       ON CONFLICT (name) DO UPDATE SET noted_at = now(), account_id = excluded.account_id, detail = excluded.detail
        WHERE note.detail ->> 'state' = 'done'`,
      [underWay, ...idsOf(actor)],
    );
    return rowCount === 1;
  }

  override async progress(doneSeals: number): Promise<void> {
    await this.database.query(
      `UPDATE readiness_note SET detail = detail || jsonb_build_object('done', $2::int, 'heardAt', now())
        WHERE name = $1 AND detail ->> 'state' = 'running'`,
      [underWay, doneSeals],
    );
  }

  override async end(actor: string, { seals, problems }: { seals: number; problems: string[] }): Promise<void> {
    await this.database.query(
      `UPDATE readiness_note SET detail = detail || jsonb_build_object('state', 'done', 'done', $2::int) WHERE name = $1`,
      [underWay, seals],
    );
    const [accountId, service] = idsOf(actor);
    const detail = { problems: problems.length, list: problems.slice(0, mostProblemsKept), service };
    await this.database.query(
      `INSERT INTO readiness_note (name, account_id, detail) SELECT $1, (SELECT id FROM account WHERE id = $2), $3
       ON CONFLICT (name) DO UPDATE
         SET noted_at = excluded.noted_at, account_id = excluded.account_id, detail = excluded.detail`,
      [ended, accountId, JSON.stringify(detail)],
    );
  }
}

/** A service has no account, and PostgreSQL answers a text that is not a uuid with an error. */
function idsOf(actor: string): [accountId: string, service: null] | [accountId: null, service: string] {
  return isUUID(actor, 'all') ? [actor, null] : [null, actor];
}
