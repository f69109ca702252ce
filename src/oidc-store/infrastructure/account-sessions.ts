import { Injectable } from '@nestjs/common';
import type { BrowserFamily } from '../../contract/users/account.js';
import { Database } from '../../platform/database/database.js';

/** A browser session of a signed-in user. */
export interface AccountSession {
  uid: string;
  signedInAt: Date;
  lastUsedAt: Date;
  browser: BrowserFamily;
  /** The apps that it has signed in to. */
  clientIds: string[];
}

/** Lists and ends all browser sessions of an account. */
@Injectable()
export class AccountSessions {
  constructor(private readonly database: Database) {}

  /** Sessions of the account, the last used first. */
  async list(accountId: string): Promise<AccountSession[]> {
    const { rows } = await this.database.query<AccountSession & { [column: string]: unknown }>(
      `SELECT uid, to_timestamp((payload ->> 'loginTs')::float8) AS "signedInAt", last_used_at AS "lastUsedAt",
              coalesce(payload -> 'family', '{"name": null, "system": null}') AS browser,
              ARRAY(SELECT jsonb_object_keys(payload -> 'authorizations') ORDER BY 1) AS "clientIds"
         FROM oidc_record WHERE model = 'Session' AND account_id = $1 AND expires_at > now()
        ORDER BY last_used_at DESC`,
      [accountId],
    );
    return rows;
  }
}
