import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

/** A browser in which somebody is signed in. */
export interface AccountSession {
  uid: string;
  signedInAt: Date;
  lastUsedAt: Date;
}

/** All the browsers that one person is signed in with. */
@Injectable()
export class AccountSessions {
  constructor(private readonly database: Database) {}

  /** The one that was used last comes first. */
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
