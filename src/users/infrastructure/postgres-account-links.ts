import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { AccountLinks, type LinkPurpose } from '../domain/account-link.js';

@Injectable()
export class PostgresAccountLinks extends AccountLinks {
  constructor(private readonly database: Database) {
    super();
  }

  override async replace(link: Parameters<AccountLinks['replace']>[0]): Promise<string | undefined> {
    const { accountId, purpose, tokenHash, mailId, seconds } = link;
    const { rows } = await this.database.query<{ mailId: string }>(
      'DELETE FROM account_link WHERE account_id = $1 AND purpose = $2 RETURNING mail_id AS "mailId"',
      [accountId, purpose],
    );
    await this.database.query(
      `INSERT INTO account_link (account_id, purpose, token_hash, mail_id, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [accountId, purpose, tokenHash, mailId, seconds],
    );
    return rows[0]?.mailId;
  }

  override async startTime(mailId: string, secondsOf: Record<LinkPurpose, number>): Promise<void> {
    await this.database.query(
      `UPDATE account_link SET expires_at = now() + make_interval(secs => ($2::jsonb ->> purpose)::float8)
        WHERE mail_id = $1`,
      [mailId, secondsOf],
    );
  }

  override async isOpen(accountId: string, purpose: LinkPurpose, tokenHash: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `SELECT FROM account_link
        WHERE account_id = $1 AND purpose = $2 AND token_hash = $3 AND expires_at > now()`,
      [accountId, purpose, tokenHash],
    );
    return rowCount === 1;
  }

  override async use(accountId: string, purpose: LinkPurpose, tokenHash: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `DELETE FROM account_link
        WHERE account_id = $1 AND purpose = $2 AND token_hash = $3 AND expires_at > now()`,
      [accountId, purpose, tokenHash],
    );
    return rowCount === 1;
  }

  override async removeAll(accountId: string): Promise<void> {
    await this.database.query('DELETE FROM account_link WHERE account_id = $1', [accountId]);
  }
}
