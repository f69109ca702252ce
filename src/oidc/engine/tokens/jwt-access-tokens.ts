import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import Provider from 'oidc-provider';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Config } from '../../../platform/config/config.js';
import { isBoundAsNeeded } from '../clients/security-profile.js';
import { KeyRing } from '../keys/key-ring.js';
import { gatehouseClient } from '../shared/engine-models.js';
import type { AudienceState, RequestedBases } from '../shared/requested-base.js';
import { narrow, type Scoped } from './narrowed-scopes.js';
import { type SessionBound, whileSessionLives } from './session-binding.js';
import { type JwtAccessToken, VerifiedTokens } from './verified-tokens.js';

/**
 * The engine refuses to look up a JWT where it expects an opaque token (which has no dots); behind this mark it sees
 * none.
 */
const mark = '~';
const looksLikeJwt = /^~?[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Hides a JWT in the `token` parameter of introspection and revocation, which must support both formats (RFC 7662, RFC
 * 7009).
 */
export function hideStructure(token: string): string {
  return token.includes('.') ? mark + token : token;
}

@Injectable()
export class JwtAccessTokens {
  private readonly verified: VerifiedTokens;

  constructor(
    private readonly revocations: Revocations,
    private readonly ring: KeyRing,
    config: Config,
  ) {
    this.verified = new VerifiedTokens(config.server.issuer);
  }

  /** Sets the keys to verify with from now on. */
  useKeys(keys: JWK[]): void {
    this.verified.useKeys(keys);
  }

  isJwt(token: string): boolean {
    return looksLikeJwt.test(token);
  }

  /**
   * Reads a token; undefined unless this portal issued it and it is neither expired (`graceSeconds` past `exp`) nor
   * revoked.
   */
  async read(token: string, graceSeconds: number): Promise<JwtAccessToken | undefined> {
    const found = await this.findByValue(token, graceSeconds);
    return found && (await this.isUnrevoked(found)) ? found : undefined;
  }

  /** As {@link read}, for a caller that then asks whether the token {@link isUnrevoked}. */
  findByValue(marked: string, graceSeconds = 0): JwtAccessToken | undefined | Promise<JwtAccessToken | undefined> {
    const token = marked.startsWith(mark) ? marked.slice(1) : marked;
    return this.verified.findByValue(token, graceSeconds) ?? this.findAgain(token, graceSeconds);
  }

  /** True if no revocation applies to the token. */
  isUnrevoked({ jti, clientId, grantId, iat }: JwtAccessToken): boolean | Promise<boolean> {
    return this.revocations.isUnrevoked({ tokenId: jti, clientId, grantId, issuedAt: iat });
  }

  /** Another node may have rotated the keys first; the result reaches {@link useKeys}. */
  private async findAgain(token: string, graceSeconds: number): Promise<JwtAccessToken | undefined> {
    if (!this.verified.namesUnknownKey(token)) return undefined;
    await this.ring.reload();
    return this.verified.findByValue(token, graceSeconds);
  }
}

/** Makes the engine find self-contained tokens like its own, and userinfo accept tokens for the FHIR bases. */
export function installJwtAccessTokens(
  provider: Provider,
  jwts: JwtAccessTokens,
  revocations: Revocations,
  bases: RequestedBases,
): void {
  for (const model of [provider.AccessToken, provider.ClientCredentials] as const) {
    const byPerson = model === provider.AccessToken;
    const findStored = model.find.bind(model);
    const find = async (value: string, options?: { ignoreExpiration?: boolean }) => {
      const token = (
        jwts.isJwt(value)
          ? await instanceOf(value)
          : await inSession(await findStored(value, { ...options, ignoreSessionBinding: true } as never))
      ) as ({ aud?: unknown } & Scoped) | undefined;
      const { ctx } = Provider;
      if (!(await isOfProfile(provider, token as { clientId?: string; jkt?: string } | undefined))) return undefined;
      await narrow(token, revocations);
      // The engine would refuse userinfo for a token with an audience.
      if (token && ctx?.oidc.route === 'userinfo' && bases.byUrl(token.aud)) {
        (ctx.state as AudienceState).audience = String(token.aud);
        Object.assign(token, { aud: undefined });
      }
      return token;
    };
    const inSession = (token: unknown) => whileSessionLives(provider, token as SessionBound | undefined);
    const instanceOf = async (value: string) => {
      const read = await jwts.findByValue(value);
      if (!read || (read.grantId !== undefined) !== byPerson || !(await jwts.isUnrevoked(read))) return undefined;
      const token = new model({ ...read, kind: byPerson ? 'AccessToken' : 'ClientCredentials' } as never);
      token.destroy = () => revocations.revokeToken(read.jti, read.exp, 'ended-by-app');
      return token;
    };
    Object.defineProperty(model, 'find', { value: find });
  }
}

/** False for a token from before its client followed the profile; it can still be revoked. */
async function isOfProfile(provider: Provider, token?: { clientId?: string; jkt?: string }): Promise<boolean> {
  if (!token || token.jkt !== undefined || Provider.ctx?.oidc.route === 'revocation') return true;
  const client = await provider.Client.find(String(token.clientId));
  return client === undefined || isBoundAsNeeded(token, gatehouseClient(client).settings);
}
