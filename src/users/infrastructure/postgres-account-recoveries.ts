import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { AccountRecoveries, type AccountRecovery, readyDays } from '../domain/account-recovery.js';

const columns = 'requested_at AS "requestedAt", ready_at AS "readyAt"';
const isWaiting = `ready_at > now() - make_interval(days => ${readyDays})`;

type Row = AccountRecovery & { [column: string]: unknown };

@Injectable()
export class PostgresAccountRecoveries extends AccountRecoveries {
  constructor(private readonly database: Database) {
    super();
  }

  override async begin(accountId: string, hours: number): Promise<AccountRecovery & { isNew: boolean }> {
    const { rows } = await this.database.query<Row>(
      `INSERT INTO account_recovery (account_id, requested_at, ready_at)
       VALUES ($1, date_trunc('milliseconds', now()), now() + make_interval(hours => $2))
       ON CONFLICT (account_id) DO UPDATE
         SET requested_at = excluded.requested_at, ready_at = excluded.ready_at, link_sent_at = NULL
         WHERE NOT (account_recovery.${isWaiting})
       RETURNING ${columns}`,
      [accountId, hours],
    );
    const begun = rows[0];
    const known = begun ?? (await this.findByAccount(accountId));
    if (!known) throw new Error('the conflicting recovery is gone');
    return { ...known, isNew: begun !== undefined };
  }

  override async findByAccount(accountId: string): Promise<AccountRecovery | undefined> {
    const { rows } = await this.database.query<Row>(
      `SELECT ${columns} FROM account_recovery WHERE account_id = $1 AND ${isWaiting}`,
      [accountId],
    );
    return rows[0];
  }

  override async takeReady(accountId: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `DELETE FROM account_recovery WHERE account_id = $1 AND ready_at <= now() AND ${isWaiting}`,
      [accountId],
    );
    return rowCount === 1;
  }

  override async withdraw(accountId: string, requestedAt?: Date): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `DELETE FROM account_recovery
        WHERE account_id = $1 AND requested_at = coalesce($2::timestamptz, requested_at) AND ${isWaiting}`,
      [accountId, requestedAt],
    );
    return rowCount === 1;
  }

  override async due(limit: number): Promise<string[]> {
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT account_id AS id FROM account_recovery
        WHERE ready_at <= now() AND link_sent_at IS NULL AND ${isWaiting} ORDER BY ready_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  override async takeDue(accountId: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `UPDATE account_recovery SET link_sent_at = now()
        WHERE account_id = $1 AND ready_at <= now() AND link_sent_at IS NULL AND ${isWaiting}`,
      [accountId],
    );
    return rowCount === 1;
  }

  override async removeOver(): Promise<void> {
    await this.database.query(`DELETE FROM account_recovery WHERE NOT (${isWaiting})`);
  }
}
