import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

/** A browser session of a signed-in user. */
export interface AccountSession {
  uid: string;
  signedInAt: Date;
  lastUsedAt: Date;
}

/** Lists and ends all browser sessions of an account. */
@Injectable()
export class AccountSessions {
  constructor(private readonly database: Database) {}

  /** Sessions of the account, the last used first. */
  async list(accountId: string): Promise<AccountSession[]> {
    const { rows } = await this.database.query<AccountSession & { [column: string]: unknown }>(
      `SELECT uid, to_timestamp((payload ->> 'loginTs')::float8) AS "signedInAt", last_used_at AS "lastUsedAt"
         FROM oidc_record WHERE model = 'Session' AND account_id = $1 AND expires_at > now()
        ORDER BY last_used_at DESC`,
      [accountId],
    );
    return rows;
  }
}
