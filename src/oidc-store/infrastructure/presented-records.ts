import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';

/** A code or refresh token that was presented, and the launch that it belongs to. */
export interface PresentedRecord {
  /** False when the record was removed, after its end or with its grant: then only its launch is known. */
  isStored: boolean;
  clientId: string | null;
  redirectUri: string | null;
  hasChallenge: boolean;
  isConsumed: boolean;
  /** In seconds since its end; negative while it lives. */
  expiredSince: number;
  /** In seconds. */
  lifetime: number;
  launchId: string | null;
}

/** An access token that was presented. */
interface PresentedToken {
  clientId: string;
  /** Absent for a service. */
  accountId: string | undefined;
  grantId: string | undefined;
  audience: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

/** Codes and refresh tokens of refused requests: unlike the engine, this also finds those that were used or have expired. */
@Injectable()
export class PresentedRecords {
  constructor(private readonly database: Database) {}

  /** One statement, for refused requests only. A code whose record is gone is found by its launch. */
  async find(model: 'AuthorizationCode' | 'RefreshToken', value: string): Promise<PresentedRecord | undefined> {
    return (await this.database.query<PresentedRecord>(lookup, [model, sha256(value)])).rows[0];
  }

  /** An access token that is stored here, also an expired one until it is removed. */
  async accessToken(value: string): Promise<PresentedToken | undefined> {
    const { rows } = await this.database.query<PresentedToken>(lookupToken, [sha256(value)]);
    const [row] = rows;
    if (!row) return undefined;
    const { accountId, grantId, ...rest } = row;
    return { ...rest, accountId: accountId ?? undefined, grantId: grantId ?? undefined };
  }

  /** Id of the launch of a Grant that is stored here. */
  async launchOf(grantId: string): Promise<string | undefined> {
    const { rows } = await this.database.query<{ launchId: string | null }>(
      "SELECT payload ->> 'launchId' AS \"launchId\" FROM oidc_record WHERE model = 'Grant' AND id_hash = $1",
      [sha256(grantId)],
    );
    return rows[0]?.launchId ?? undefined;
  }
}

const lookupToken = `
  SELECT client_id AS "clientId", account_id AS "accountId", payload ->> 'grantId' AS "grantId",
         coalesce(payload ->> 'aud', '') AS audience, extract(epoch FROM expires_at)::float8 AS "expiresAt"
    FROM oidc_record WHERE model IN ('AccessToken', 'ClientCredentials') AND id_hash = $1`;

const lookup = `
  SELECT true AS "isStored", record.client_id AS "clientId", record.payload ->> 'redirectUri' AS "redirectUri",
         record.payload ? 'codeChallenge' AS "hasChallenge", record.consumed_at IS NOT NULL AS "isConsumed",
         extract(epoch FROM now() - record.expires_at)::float8 AS "expiredSince",
         extract(epoch FROM record.expires_at - record.created_at)::float8 AS lifetime,
         held.payload ->> 'launchId' AS "launchId"
    FROM oidc_record record LEFT JOIN oidc_record held ON held.model = 'Grant' AND held.grant_id = record.grant_id
   WHERE record.model = $1 AND record.id_hash = $2
  UNION ALL
  SELECT false, client_id, NULL, false, entries ? 'tokens-issued',
         extract(epoch FROM now())::float8 - coalesce((entries -> 'code-issued' ->> 'last')::float8 / 1000, 0) - 60, 60, id
    FROM launch WHERE $1 = 'AuthorizationCode' AND code_hash = $2
   ORDER BY 1 DESC LIMIT 1`;
