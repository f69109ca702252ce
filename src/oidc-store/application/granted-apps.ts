import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

export interface GrantedApp {
  clientId: string;
  /** All scopes that a live grant gives it, separated by blanks. */
  scope: string;
  created: Date;
  expires: Date;
}

/** The apps that hold a live grant of a person. */
@Injectable()
export class GrantedApps {
  constructor(private readonly database: Database) {}

  async ofAccount(accountId: string): Promise<GrantedApp[]> {
    const { rows } = await this.database.query<GrantedApp & { [column: string]: unknown }>(
      `SELECT client_id AS "clientId", coalesce(string_agg(payload -> 'openid' ->> 'scope', ' '), '') AS scope,
              min(created_at) AS created, max(expires_at) AS expires
         FROM oidc_record WHERE model = 'Grant' AND account_id = $1 AND expires_at > now()
        GROUP BY client_id`,
      [accountId],
    );
    return rows;
  }
}
