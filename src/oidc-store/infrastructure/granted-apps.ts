import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

interface GrantedApp {
  clientId: string;
  /** All scopes of the client's live grants, separated by blanks. */
  scope: string;
  created: Date;
  expires: Date;
  /** Time of the last code or stored token that was issued under such a grant. */
  lastUsed: Date;
}

/** The clients that hold a live grant of a user. */
@Injectable()
export class GrantedApps {
  constructor(private readonly database: Database) {}

  async ofAccount(accountId: string): Promise<GrantedApp[]> {
    const { rows } = await this.database.query<GrantedApp & { [column: string]: unknown }>(
      `SELECT client_id AS "clientId",
              coalesce(string_agg(payload -> 'openid' ->> 'scope', ' ') FILTER (WHERE model = 'Grant'), '') AS scope,
              min(created_at) FILTER (WHERE model = 'Grant') AS created,
              max(expires_at) FILTER (WHERE model = 'Grant') AS expires,
              max(created_at) AS "lastUsed"
         FROM oidc_record
        WHERE account_id = $1 AND expires_at > now()
          AND model IN ('Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken')
        GROUP BY client_id HAVING bool_or(model = 'Grant')`,
      [accountId],
    );
    return rows;
  }
}
