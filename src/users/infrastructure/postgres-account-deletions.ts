import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';
import { type AccountDeletion, AccountDeletions } from '../domain/account-deletion.js';
import { usersChanged } from '../domain/user.js';

const columns = 'requested_at AS "requestedAt", due_at AS "dueAt"';

type Row = AccountDeletion & { [column: string]: unknown };

@Injectable()
export class PostgresAccountDeletions extends AccountDeletions {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {
    super();
  }

  override async add(accountId: string, days: number): Promise<AccountDeletion> {
    const { rows } = await this.database.query<Row>(
      `INSERT INTO account_deletion (account_id, requested_at, due_at)
       VALUES ($1, date_trunc('milliseconds', now()), now() + make_interval(days => $2))
       ON CONFLICT (account_id) DO UPDATE SET account_id = excluded.account_id RETURNING ${columns}`,
      [accountId, days],
    );
    const [deletion] = rows;
    if (!deletion) throw new Error('an inserted row was not returned');
    // From now on the account is locked.
    await this.notifications.send(usersChanged, accountId);
    return deletion;
  }

  override async findByAccount(accountId: string): Promise<AccountDeletion | undefined> {
    const { rows } = await this.database.query<Row>(`SELECT ${columns} FROM account_deletion WHERE account_id = $1`, [
      accountId,
    ]);
    return rows[0];
  }

  override async withdraw(accountId: string, requestedAt: Date): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'DELETE FROM account_deletion WHERE account_id = $1 AND requested_at = $2',
      [accountId, requestedAt],
    );
    return rowCount === 1;
  }

  override async takeDue(accountId: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'DELETE FROM account_deletion WHERE account_id = $1 AND due_at <= now()',
      [accountId],
    );
    return rowCount === 1;
  }

  override async due(limit: number): Promise<string[]> {
    const { rows } = await this.database.query<{ id: string }>(
      'SELECT account_id AS id FROM account_deletion WHERE due_at <= now() ORDER BY due_at LIMIT $1',
      [limit],
    );
    return rows.map(({ id }) => id);
  }
}
