import type { PatientSource } from '../../contract/audit/access-detail.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Cached } from '../../platform/database/cached.js';
import type { Database } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/database/notifications.js';

/** Channels by which the nodes are told of ends. */
export const grantsEnded = 'gatehouse_grants';
export const tokensRevoked = 'gatehouse_tokens';
export const clientsRevoked = 'gatehouse_client_revocations';
export const sessionsEnded = 'gatehouse_sessions';

/** References that must still be valid for a self-contained token to be valid. */
export interface TokenReferences {
  tokenId: string;
  clientId: string;
  /** Absent for client_credentials. */
  grantId?: string;
  /** Seconds since 1970. */
  issuedAt: number;
}

/** The use of a token, for the record of accesses. */
export interface GrantUse {
  /** Id of the launch that the grant belongs to. */
  launchId: string | undefined;
  /** True if the grant outlives sessions (`offline_access`), and the user has none now. */
  isUnattended: boolean;
  /** All scopes of a grant that has lost some since it was stored: its access tokens permit nothing else. */
  narrowedTo: string | undefined;
  /** The way in which the patient in context was found, where it is not the user. */
  patientSource: PatientSource | undefined;
  /** Id of the relationship by which the user acts for the patient. */
  representation: string | undefined;
  /** The resource that a user without a record is for the patient, `RelatedPerson/{id}` or `Person/{id}`. */
  representative: string | undefined;
}

/** Sessions begin and are prolonged without a notification: this is how late that is known. */
const sessionsAgeMs = 10_000;

interface CachedGrant {
  until: number;
  launchId: string | null;
  /** The account of a grant that outlives sessions. */
  accountId: string | null;
  /** All scopes of a grant that has lost some. */
  narrowedTo: string | null;
  patientSource: PatientSource | null;
  representation: string | null;
  representative: string | null;
}

/** The validity of tokens, which each node caches and drops when any node ends it. */
export class TokenValidity {
  private readonly grants: Cached<CachedGrant>;
  private readonly tokens: Cached<{ revoked: boolean }>;
  private readonly clients: Cached<{ revokedAt: number }>;
  /** By account: when the last of its sessions ends. */
  private readonly sessions: Cached<{ until: number }>;

  constructor(
    private readonly database: Database,
    notifications: Notifications,
  ) {
    this.grants = new Cached(notifications, { channel: grantsEnded, load: (id) => this.loadGrant(id) });
    this.tokens = new Cached(notifications, { channel: tokensRevoked, load: (id) => this.loadToken(id) });
    this.clients = new Cached(notifications, { channel: clientsRevoked, load: (id) => this.loadClient(id) });
    this.sessions = new Cached(notifications, {
      channel: sessionsEnded,
      load: (id) => this.loadSessions(id),
      maxAgeMs: sessionsAgeMs,
    });
  }

  /** True if no revocation applies to the token. What is cached is not waited for. */
  isUnrevoked(token: TokenReferences): boolean | Promise<boolean> {
    const client = this.clients.atHand(token.clientId);
    if (!client) return this.clients.get(token.clientId).then((loaded) => this.isUnrevokedFor(token, loaded));
    return this.isUnrevokedFor(token, client);
  }

  private isUnrevokedFor(
    { tokenId, grantId, issuedAt }: TokenReferences,
    client: { revokedAt: number } | undefined,
  ): boolean | Promise<boolean> {
    if (client && client.revokedAt >= issuedAt) return false;
    if (grantId === undefined) {
      const id = sha256(tokenId);
      const token = this.tokens.atHand(id);
      return token ? !token.revoked : this.tokens.get(id).then((loaded) => loaded?.revoked !== true);
    }
    // Revoking one token of a grant ends the grant.
    const grant = this.grants.atHand(grantId);
    return grant ? isOpen(grant) : this.grants.get(grantId).then((loaded) => loaded !== undefined && isOpen(loaded));
  }

  /** The current use of the tokens of this grant. A cached answer costs no statement. */
  async useOf(grantId: string): Promise<GrantUse> {
    const grant = this.grants.atHand(grantId) ?? (await this.grants.get(grantId));
    const { launchId, accountId = null, narrowedTo, patientSource, representation, representative } = grant ?? {};
    const sessions =
      accountId === null ? undefined : (this.sessions.atHand(accountId) ?? (await this.sessions.get(accountId)));
    return {
      launchId: launchId ?? undefined,
      isUnattended: sessions !== undefined && !isOpen(sessions),
      narrowedTo: narrowedTo ?? undefined,
      patientSource: patientSource ?? undefined,
      representation: representation ?? undefined,
      representative: representative ?? undefined,
    };
  }

  private async loadGrant(grantId: string): Promise<CachedGrant | undefined> {
    const { rows } = await this.database.query<CachedGrant & { [column: string]: unknown }>(
      `SELECT extract(epoch FROM expires_at)::float8 AS until, payload ->> 'launchId' AS "launchId",
              payload -> 'patientSource' AS "patientSource", payload -> 'representation' ->> 'id' AS representation,
              payload -> 'representation' ->> 'fhirUser' AS representative,
              CASE WHEN payload ->> 'sessionUid' IS NULL THEN account_id END AS "accountId",
              CASE WHEN payload ? 'narrowed' THEN payload -> 'openid' ->> 'scope' END AS "narrowedTo" FROM oidc_record
        WHERE model = 'Grant' AND grant_id = $1 AND expires_at > now()`,
      [grantId],
    );
    return rows[0];
  }

  private async loadSessions(accountId: string): Promise<{ until: number }> {
    const { rows } = await this.database.query<{ until: number | null }>(
      `SELECT extract(epoch FROM max(expires_at))::float8 AS until FROM oidc_record
        WHERE model = 'Session' AND account_id = $1`,
      [accountId],
    );
    return { until: rows[0]?.until ?? 0 };
  }

  private async loadToken(idHash: string): Promise<{ revoked: boolean }> {
    const { rowCount } = await this.database.query('SELECT FROM revoked_token WHERE id_hash = $1', [idHash]);
    return { revoked: rowCount === 1 };
  }

  private async loadClient(clientId: string): Promise<{ revokedAt: number }> {
    const { rows } = await this.database.query<{ revokedAt: number }>(
      'SELECT extract(epoch FROM revoked_at)::float8 AS "revokedAt" FROM client_revocation WHERE client_id = $1',
      [clientId],
    );
    return rows[0] ?? { revokedAt: 0 };
  }
}

function isOpen(grant: { until: number }): boolean {
  return grant.until > Date.now() / 1000;
}
