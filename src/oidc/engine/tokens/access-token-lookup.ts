import { Injectable } from '@nestjs/common';
import { PausedApps } from '../../../oidc-store/infrastructure/paused-apps.js';
import { PresentedRecords } from '../../../oidc-store/infrastructure/presented-records.js';
import { type GrantUse, Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import type { RefusedToken } from '../../domain/access-tokens.js';
import { Engine } from '../shared/engine.js';
import { JwtAccessTokens } from './jwt-access-tokens.js';

export interface Token {
  jti: string;
  clientId?: string;
  accountId?: string;
  grantId?: string;
  scope?: string;
  aud?: unknown;
  exp?: number;
  /** Thumbprint of the key that the token is bound to. */
  jkt?: string;
  extra?: Record<string, unknown>;
}

/** Finds access tokens of either format by their value. */
@Injectable()
export class AccessTokenLookup {
  constructor(
    private readonly engine: Engine,
    private readonly jwts: JwtAccessTokens,
    private readonly records: PresentedRecords,
    private readonly revocations: Revocations,
    private readonly paused: PausedApps,
  ) {}

  /**
   * Undefined for a token that is unknown, expired or revoked, or whose user has paused the app; a self-contained one
   * lives for `graceSeconds` longer.
   */
  async findByValue(token: string, graceSeconds: number): Promise<Token | undefined> {
    const found = await (this.jwts.isJwt(token) ? this.jwts.read(token, graceSeconds) : this.findStored(token));
    return found && (await this.paused.isPaused(found.accountId, found.clientId)) ? undefined : found;
  }

  /** The current use of a token that was found. */
  async useOf({ grantId }: Token): Promise<GrantUse | undefined> {
    return grantId === undefined ? undefined : this.revocations.useOf(grantId);
  }

  /** The content of a token that was issued here, though it may have expired or ended since. */
  async describeRefused(token: string): Promise<Omit<RefusedToken, 'isClientGone' | 'isAccountGone'> | undefined> {
    const found = await this.findIssued(token);
    if (!found) return undefined;
    const { issuedAt, tokenId, ...facts } = found;
    const { accountId, clientId, grantId } = facts;
    const [end, isPaused] = await Promise.all([
      this.records.endOf({ grantId, tokenId, clientId, issuedAt }),
      this.paused.isPaused(accountId, clientId),
    ]);
    return { ...facts, end, isPaused };
  }

  /** For refused requests only: id of the launch that a Grant belongs to. */
  launchOf(grantId: string): Promise<string | undefined> {
    return this.records.launchOf(grantId);
  }

  private async findIssued(token: string) {
    if (!this.jwts.isJwt(token)) {
      const stored = await this.records.accessToken(token);
      return stored && { ...stored, tokenId: token };
    }
    const found = await this.jwts.findByValue(token, Number.POSITIVE_INFINITY);
    if (!found) return undefined;
    const { clientId, accountId, grantId, aud: audience, exp: expiresAt, iat: issuedAt, jti: tokenId, jkt } = found;
    return { clientId, accountId, grantId, audience, expiresAt, issuedAt, tokenId, isBound: jkt !== undefined };
  }

  private async findStored(token: string): Promise<Token | undefined> {
    const { AccessToken, ClientCredentials, Grant } = this.engine.provider;
    const byPerson = await AccessToken.find(token);
    if (!byPerson) return (await ClientCredentials.find(token)) as Token | undefined;
    if (byPerson.grantId === undefined || !(await Grant.find(byPerson.grantId))) return undefined;
    return byPerson as Token;
  }
}
