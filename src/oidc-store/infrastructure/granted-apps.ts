import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

interface GrantedApp {
  clientId: string;
  /** Id of the relationship by which the user acts for a patient; null for the own record. */
  representation: string | null;
  /** All scopes of the client's live grants, separated by blanks. */
  scope: string;
  created: Date;
  expires: Date;
  /** Time of the last code or stored token that was issued under such a grant. */
  lastUsed: Date;
}

/** The clients that hold a live grant of a user, for each patient for whom the user acts. */
@Injectable()
export class GrantedApps {
  constructor(private readonly database: Database) {}

  async ofAccount(accountId: string): Promise<GrantedApp[]> {
    const { rows } = await this.database.query<GrantedApp & { [column: string]: unknown }>(
      `WITH live AS (
         SELECT grant_id, payload -> 'representation' ->> 'id' AS representation FROM oidc_record
          WHERE model = 'Grant' AND account_id = $1 AND expires_at > now())
       SELECT client_id AS "clientId", representation,
              coalesce(string_agg(payload -> 'openid' ->> 'scope', ' ') FILTER (WHERE model = 'Grant'), '') AS scope,
              min(created_at) FILTER (WHERE model = 'Grant') AS created,
              max(expires_at) FILTER (WHERE model = 'Grant') AS expires,
              max(created_at) AS "lastUsed"
         FROM oidc_record JOIN live USING (grant_id)
        WHERE account_id = $1 AND expires_at > now()
          AND model IN ('Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken')
        GROUP BY client_id, representation HAVING bool_or(model = 'Grant')`,
      [accountId],
    );
    return rows;
  }
}
