import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { AccountLinks, type LinkOrigin, type LinkPurpose } from '../domain/account-link.js';

@Injectable()
export class PostgresAccountLinks extends AccountLinks {
  constructor(private readonly database: Database) {
    super();
  }

  override async replace(link: Parameters<AccountLinks['replace']>[0]): Promise<string | undefined> {
    const { accountId, purpose, tokenHash, mailId, seconds, origin, handedOver } = link;
    const { rows } = await this.database.query<{ mailId: string }>(
      'DELETE FROM account_link WHERE account_id = $1 AND purpose = $2 RETURNING mail_id AS "mailId"',
      [accountId, purpose],
    );
    await this.database.query(
      `INSERT INTO account_link (account_id, purpose, token_hash, mail_id, expires_at, client_id, request_hash, handed_over)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), $6, $7, $8)`,
      [accountId, purpose, tokenHash, mailId, seconds, origin?.clientId, origin?.requestHash, handedOver],
    );
    return rows[0]?.mailId;
  }

  override async findByPurpose(
    accountId: string,
    purpose: LinkPurpose,
  ): Promise<{ mailId: string; expiresAt: Date } | undefined> {
    const { rows } = await this.database.query<{ mailId: string; expiresAt: Date }>(
      `SELECT mail_id AS "mailId", expires_at AS "expiresAt" FROM account_link
        WHERE account_id = $1 AND purpose = $2`,
      [accountId, purpose],
    );
    return rows[0];
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

  override async originOf(accountId: string, purpose: LinkPurpose): Promise<LinkOrigin | undefined> {
    const { rows } = await this.database.query<LinkOrigin>(
      `SELECT client_id AS "clientId", request_hash AS "requestHash" FROM account_link
        WHERE account_id = $1 AND purpose = $2 AND request_hash IS NOT NULL`,
      [accountId, purpose],
    );
    return rows[0];
  }

  override async use(
    accountId: string,
    purpose: LinkPurpose,
    tokenHash: string,
  ): Promise<{ handedOver: boolean } | undefined> {
    const { rows } = await this.database.query<{ handedOver: boolean }>(
      `DELETE FROM account_link
        WHERE account_id = $1 AND purpose = $2 AND token_hash = $3 AND expires_at > now()
        RETURNING handed_over AS "handedOver"`,
      [accountId, purpose, tokenHash],
    );
    return rows[0];
  }

  override async mailsOf(accountId: string): Promise<string[]> {
    const { rows } = await this.database.query<{ mailId: string }>(
      'SELECT mail_id AS "mailId" FROM account_link WHERE account_id = $1',
      [accountId],
    );
    return rows.map(({ mailId }) => mailId);
  }

  override async removeAll(accountId: string): Promise<void> {
    await this.database.query('DELETE FROM account_link WHERE account_id = $1', [accountId]);
  }
}
