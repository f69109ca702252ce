import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

export interface GrantedApp {
  clientId: string;
  /** All scopes that a live grant gives it, separated by blanks. */
  scope: string;
  created: Date;
  expires: Date;
  /** When it last got something under such a grant: a code, or a token that is stored. */
  lastUsed: Date;
}

/** The apps that hold a live grant of a person. */
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
