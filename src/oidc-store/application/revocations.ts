import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';

/** What must still stand for a self-contained token to be good. */
export interface Standing {
  tokenId: string;
  clientId: string;
  /** Absent for client_credentials. */
  grantId?: string;
  /** Seconds since 1970. */
  issuedAt: number;
}

/**
 * How authorizations end. Every method is one statement or a few in the caller's transaction, so that what dies together
 * dies at once: the grant, its codes and tokens, and the answers kept for a lost refresh.
 */
@Injectable()
export class Revocations {
  constructor(private readonly database: Database) {}

  async revokeGrant(grantId: string): Promise<void> {
    await this.database.query('DELETE FROM oidc_record WHERE grant_id = $1', [grantId]);
    await this.database.query('DELETE FROM refresh_answer WHERE grant_id = $1', [grantId]);
  }

  /** Everything one person granted to one app; says whether there was anything. */
  async revokeApp(accountId: string, clientId: string): Promise<boolean> {
    return this.revokeWhere('account_id = $1 AND client_id = $2', [accountId, clientId]);
  }

  /** Everything of a client that is disabled or deleted, tokens that are stored nowhere included. */
  async revokeClient(clientId: string): Promise<void> {
    await this.revokeWhere('client_id = $1', [clientId]);
    await this.database.query(
      `INSERT INTO client_revocation (client_id, revoked_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (client_id) DO UPDATE SET revoked_at = excluded.revoked_at`,
      [clientId],
    );
  }

  /** Sessions, grants and tokens of an account. */
  async revokeAccount(accountId: string): Promise<void> {
    await this.revokeWhere('account_id = $1', [accountId]);
  }

  /** A single self-contained token, until it would have expired anyway. */
  async revokeToken(tokenId: string, expiresAt: number): Promise<void> {
    await this.database.query(
      `INSERT INTO revoked_token (id_hash, expires_at) VALUES ($1, to_timestamp($2) + interval '10 minutes')
       ON CONFLICT DO NOTHING`,
      [sha256(tokenId), expiresAt],
    );
  }

  /** Whether nothing has ended what the token stands on. */
  async stands({ tokenId, clientId, grantId, issuedAt }: Standing): Promise<boolean> {
    const { rows } = await this.database.query<{ stands: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM revoked_token WHERE id_hash = $1)
          AND NOT EXISTS (SELECT FROM client_revocation WHERE client_id = $2 AND revoked_at >= to_timestamp($4))
          AND ($3::text IS NULL OR EXISTS (
            SELECT FROM oidc_record WHERE model = 'Grant' AND grant_id = $3 AND expires_at > now())) AS stands`,
      [sha256(tokenId), clientId, grantId ?? null, issuedAt],
    );
    return rows[0]?.stands === true;
  }

  private async revokeWhere(condition: string, parameters: string[]): Promise<boolean> {
    await this.database.query(
      `DELETE FROM refresh_answer WHERE grant_id IN (SELECT grant_id FROM oidc_record WHERE ${condition})`,
      parameters,
    );
    const { rowCount } = await this.database.query(`DELETE FROM oidc_record WHERE ${condition}`, parameters);
    return (rowCount ?? 0) > 0;
  }
}
