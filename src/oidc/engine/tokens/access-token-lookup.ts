import { Injectable } from '@nestjs/common';
import { PausedApps } from '../../../oidc-store/infrastructure/paused-apps.js';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import type { GrantUse } from '../../../oidc-store/infrastructure/token-validity.js';
import { Engine } from '../shared/engine.js';
import { JwtAccessTokens } from './jwt-access-tokens.js';
import { PresentedTokens } from './presented-tokens.js';

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
    private readonly presented: PresentedTokens,
    private readonly revocations: Revocations,
    private readonly paused: PausedApps,
  ) {}

  /**
   * Undefined for a token that is unknown, expired or revoked, or whose user has paused the app; a self-contained one
   * lives for `graceSeconds` longer.
   */
  async findByValue(token: string, graceSeconds: number): Promise<Token | undefined> {
    const found = await (this.jwts.isJwt(token) ? this.jwts.read(token, graceSeconds) : this.findStored(token));
    if (!found) return undefined;
    const isPaused = await this.paused.isPaused(found.accountId, found.clientId, () => this.representationOf(found));
    return isPaused ? undefined : found;
  }

  /** The current use of a token that was found. */
  async useOf({ grantId }: Token): Promise<GrantUse | undefined> {
    return grantId === undefined ? undefined : this.revocations.useOf(grantId);
  }

  private async representationOf(token: Token): Promise<string | undefined> {
    return (await this.useOf(token))?.representation;
  }

  /** For refused requests only. */
  get refused(): PresentedTokens {
    return this.presented;
  }

  private async findStored(token: string): Promise<Token | undefined> {
    const { AccessToken, ClientCredentials, Grant } = this.engine.provider;
    const byPerson = await AccessToken.find(token);
    if (!byPerson) return (await ClientCredentials.find(token)) as Token | undefined;
    if (byPerson.grantId === undefined || !(await Grant.find(byPerson.grantId))) return undefined;
    return byPerson as Token;
  }
}
