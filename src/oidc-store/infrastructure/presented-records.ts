import { Injectable } from '@nestjs/common';
import type { AccessEnd, EndCode } from '../../contract/activity/end-causes.js';
import { codeSeconds } from '../../contract/rules/lifetime.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';

/** A code or refresh token that was presented, and the launch that it belongs to. */
export interface PresentedRecord {
  /** False when the record was removed, after its end or with its grant: then only its launch is known. */
  isStored: boolean;
  clientId: string | null;
  redirectUri: string | null;
  /** PKCE challenge of a stored code; null if it has none. */
  challenge: string | null;
  isConsumed: boolean;
  /** True while its grant is stored and has not expired. */
  hasGrant: boolean;
  /** In seconds since its end; negative while it lives. */
  expiredSince: number;
  /** In seconds. */
  lifetime: number;
  launchId: string | null;
  /** Thumbprint of the key that it is bound to (RFC 9449); null if it is bound to none, or was removed. */
  jkt: string | null;
  /** The end of the access that it belongs to; null without a record of it. */
  endedBy: EndCode | null;
  endedAt: Date | null;
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
  /** The same; undefined for a token whose access has ended. */
  issuedAt: number | undefined;
  /** Thumbprint of the key that it is bound to (RFC 9449). */
  jkt: string | undefined;
}

/** A text that was issued here as a code or a token. */
export interface IssuedText {
  text: string;
  model: 'AuthorizationCode' | 'RefreshToken' | 'AccessToken' | 'ClientCredentials';
  clientId: string;
  /** Null for a service, and for a grant that has ended. */
  launchId: string | null;
}

/** The references of an access token to what can have ended. */
export interface IssuedToken {
  grantId: string | undefined;
  /** `jti` of a self-contained token, or the token itself. */
  tokenId: string | undefined;
  clientId: string;
  /** Seconds since 1970. */
  issuedAt: number | undefined;
}

/**
 * Codes and refresh tokens of refused requests: unlike the engine, this also finds those that were used or have
 * expired.
 */
@Injectable()
export class PresentedRecords {
  constructor(private readonly database: Database) {}

  /**
   * One statement, for refused requests only. A code whose record is gone is found by its launch, a refresh token by
   * the hash that is kept of it.
   */
  async findByValue(model: 'AuthorizationCode' | 'RefreshToken', value: string): Promise<PresentedRecord | undefined> {
    return (await this.database.query<PresentedRecord>(lookup, [model, sha256(value)])).rows[0];
  }

  /** The first of these texts that is a code or a token of the client, and what it is. */
  async firstOf(
    texts: readonly string[],
    clientId: string,
  ): Promise<{ text: string; model: 'AuthorizationCode' | 'RefreshToken' | 'AccessToken' } | undefined> {
    const hashes = texts.map((text) => sha256(text));
    const { rows } = await this.database.query<{
      model: 'AuthorizationCode' | 'RefreshToken' | 'AccessToken';
      hash: string;
    }>(
      `SELECT model, id_hash AS hash FROM oidc_record
        WHERE model IN ('AuthorizationCode', 'RefreshToken', 'AccessToken') AND id_hash = ANY ($1) AND client_id = $2
        ORDER BY array_position($1, id_hash) LIMIT 1`,
      [hashes, clientId],
    );
    return rows.map(({ model, hash }) => ({ model, text: texts[hashes.indexOf(hash)] ?? '' }))[0];
  }

  /** The first of these texts that is a code or a token of any client, and the launch that it belongs to. */
  async issuedAmong(texts: readonly string[]): Promise<IssuedText | undefined> {
    const hashes = texts.map((text) => sha256(text));
    const { rows } = await this.database.query<Omit<IssuedText, 'text'> & { hash: string }>(
      `SELECT record.model, record.id_hash AS hash, record.client_id AS "clientId", held.payload ->> 'launchId' AS "launchId"
         FROM oidc_record record LEFT JOIN oidc_record held ON held.model = 'Grant' AND held.grant_id = record.grant_id
        WHERE record.model IN ('AuthorizationCode', 'RefreshToken', 'AccessToken', 'ClientCredentials')
          AND record.id_hash = ANY ($1)
        ORDER BY array_position($1, record.id_hash) LIMIT 1`,
      [hashes],
    );
    return rows.map(({ hash, ...rest }) => ({ ...rest, text: texts[hashes.indexOf(hash)] ?? '' }))[0];
  }

  /** An access token that is stored here, also an expired one until it is removed, and one whose access has ended. */
  async accessToken(value: string): Promise<PresentedToken | undefined> {
    const { rows } = await this.database.query<PresentedToken>(lookupToken, [sha256(value)]);
    const [row] = rows;
    if (!row) return undefined;
    const { accountId, grantId, issuedAt, jkt, ...rest } = row;
    return {
      ...rest,
      accountId: accountId ?? undefined,
      grantId: grantId ?? undefined,
      issuedAt: issuedAt ?? undefined,
      jkt: jkt ?? undefined,
    };
  }

  /** Id of the launch of a Grant that is stored here, or has ended. */
  async launchOf(grantId: string): Promise<string | undefined> {
    const { rows } = await this.database.query<{ launchId: string | null }>(
      `SELECT payload ->> 'launchId' AS "launchId" FROM oidc_record WHERE model = 'Grant' AND id_hash = $1
       UNION ALL
       SELECT launch_id FROM ended_access WHERE model = 'Grant' AND id_hash = $1 LIMIT 1`,
      [sha256(grantId)],
    );
    return rows[0]?.launchId ?? undefined;
  }

  /**
   * The end of an access token that has not expired: the end of its grant or of the token, that of all access of its
   * client after it was issued, or that of the session which it lasts as long as. Undefined if no record says it.
   */
  async endOf({ grantId, tokenId, clientId, issuedAt }: IssuedToken): Promise<AccessEnd | undefined> {
    const { rows } = await this.database.query<{ by: EndCode; at: Date }>(lookupEnd, [
      sha256(grantId ?? ''),
      sha256(tokenId ?? ''),
      sha256(clientId),
      issuedAt ?? 0,
    ]);
    return rows[0];
  }
}

const lookupToken = `
  SELECT client_id AS "clientId", account_id AS "accountId", payload ->> 'grantId' AS "grantId",
         coalesce(payload ->> 'aud', '') AS audience, extract(epoch FROM expires_at)::float8 AS "expiresAt",
         extract(epoch FROM created_at)::float8 AS "issuedAt", payload ->> 'jkt' AS jkt
    FROM oidc_record WHERE model IN ('AccessToken', 'ClientCredentials') AND id_hash = $1
  UNION ALL
  SELECT client_id, NULL, grant_id, coalesce(audience, ''), extract(epoch FROM token_expires_at)::float8, NULL, NULL
    FROM ended_access WHERE model IN ('AccessToken', 'ClientCredentials') AND id_hash = $1 AND token_expires_at IS NOT NULL`;

const lookupEnd = `
  SELECT cause AS by, ended_at AS at FROM ended_access
   WHERE (model = 'Grant' AND id_hash = $1) OR (model IN ('AccessToken', 'ClientCredentials') AND id_hash = $2)
      OR (model = 'Client' AND id_hash = $3 AND ended_at >= to_timestamp($4::float8))
   ORDER BY model = 'Grant' DESC, ended_at DESC LIMIT 1`;

/** True of a code or token that lasts no longer than a session which has ended by itself. */
const hasOutlivedSession = `record.payload ->> 'expiresWithSession' = 'true' AND NOT EXISTS (
  SELECT FROM oidc_record session WHERE session.model = 'Session' AND session.uid = record.payload ->> 'sessionUid'
     AND session.expires_at > now())`;

const lookup = `
  SELECT true AS "isStored", 0 AS rank, record.client_id AS "clientId", record.payload ->> 'redirectUri' AS "redirectUri",
         record.payload ->> 'codeChallenge' AS challenge, record.consumed_at IS NOT NULL AS "isConsumed",
         coalesce(held.expires_at > now(), false) AS "hasGrant",
         extract(epoch FROM now() - record.expires_at)::float8 AS "expiredSince",
         extract(epoch FROM record.expires_at - record.created_at)::float8 AS lifetime,
         held.payload ->> 'launchId' AS "launchId",
         coalesce(record.payload ->> 'jkt', record.payload ->> 'dpopJkt') AS jkt,
         CASE WHEN ${hasOutlivedSession} THEN 'ended-with-session-expiry' END AS "endedBy",
         CASE WHEN ${hasOutlivedSession} THEN now() END AS "endedAt"
    FROM oidc_record record LEFT JOIN oidc_record held ON held.model = 'Grant' AND held.grant_id = record.grant_id
   WHERE record.model = $1 AND record.id_hash = $2
  UNION ALL
  SELECT false, 1, launch.client_id, NULL, NULL, entries ? 'tokens-issued', false,
         extract(epoch FROM now())::float8 - coalesce((entries -> 'code-issued' ->> 'last')::float8 / 1000, 0) - ${codeSeconds}, ${codeSeconds}, id,
         NULL, ended.cause, ended.ended_at
    FROM launch LEFT JOIN ended_access ended ON ended.model = 'Grant' AND ended.launch_id = launch.id
   WHERE $1 = 'AuthorizationCode' AND code_hash = $2
  UNION ALL
  SELECT false, 2, token.client_id, NULL, NULL, false, false,
         extract(epoch FROM now() - token.token_expires_at)::float8, 0, held.launch_id, NULL, token.cause, token.ended_at
    FROM ended_access token LEFT JOIN ended_access held ON held.model = 'Grant' AND held.grant_id = token.grant_id
   WHERE token.model = $1 AND token.id_hash = $2
   ORDER BY rank LIMIT 1`;
