import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type ManagedKind, type ObjectMark, ObjectMarks } from '../domain/object-marks.js';

/** The number is arbitrary, but every process must use the same one. */
const applyLock = 4_712_080;

@Injectable()
export class PostgresObjectMarks extends ObjectMarks {
  constructor(private readonly database: Database) {
    super();
  }

  async markOf(kind: ManagedKind, id: string): Promise<ObjectMark | undefined> {
    const { rows } = await this.database.query<{ enabled: boolean | null }>(
      `SELECT enabled FROM managed_object WHERE ${kind} = $1`,
      [id],
    );
    return rows[0];
  }

  async ofKind(kind: ManagedKind): Promise<Map<string, ObjectMark>> {
    const { rows } = await this.database.query<{ id: string; enabled: boolean | null }>(
      `SELECT ${kind} AS id, enabled FROM managed_object WHERE ${kind} IS NOT NULL`,
    );
    return new Map(rows.map(({ id, enabled }) => [id, { enabled }]));
  }

  async put(kind: ManagedKind, id: string, { enabled }: ObjectMark): Promise<void> {
    await this.database.query(
      `INSERT INTO managed_object (${kind}, enabled) VALUES ($1, $2)
         ON CONFLICT (${kind}) DO UPDATE SET enabled = excluded.enabled, applied_at = now()`,
      [id, enabled],
    );
  }

  async remove(kind: ManagedKind, id: string): Promise<boolean> {
    const { rowCount } = await this.database.query(`DELETE FROM managed_object WHERE ${kind} = $1`, [id]);
    return rowCount === 1;
  }

  async removeAll(): Promise<number> {
    return (await this.database.query('DELETE FROM managed_object')).rowCount ?? 0;
  }

  async lockForApply(): Promise<boolean> {
    const { rows } = await this.database.query<{ isLocked: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS "isLocked"',
      [applyLock],
    );
    return rows[0]?.isLocked === true;
  }
}
