import { Injectable } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { mended } from '../../../contract/rules/damage.js';
import { PausedApps } from '../../../oidc-store/infrastructure/paused-apps.js';
import { PresentedRecords } from '../../../oidc-store/infrastructure/presented-records.js';
import { Config } from '../../../platform/config/config.js';
import type { RefusedToken, UnknownToken } from '../../domain/access-tokens.js';
import { ScopeRemedies } from '../authorization/scope-remedies.js';
import { JwtAccessTokens } from './jwt-access-tokens.js';
import { RepresentedTokens } from './represented-tokens.js';

/** A mended JWT costs a verification. */
const mostJwts = 6;
const kinds = { AuthorizationCode: 'code', RefreshToken: 'refresh token' } as const;

/** Without what depends on the registration, the account and the proof. */
type DescribedToken = Omit<RefusedToken, 'client' | 'account' | 'lacksBinding' | 'proofFault'> & {
  jkt: string | undefined;
};

/** Describes a refused access token, whether or not it was issued here. For refused requests only. */
@Injectable()
export class PresentedTokens {
  constructor(
    private readonly jwts: JwtAccessTokens,
    private readonly records: PresentedRecords,
    private readonly paused: PausedApps,
    readonly remedies: ScopeRemedies,
    private readonly represented: RepresentedTokens,
    private readonly config: Config,
  ) {}

  /** The content of a token that was issued here, though it may have expired or ended since. */
  async describeRefused(token: string): Promise<DescribedToken | undefined> {
    const found = await this.findIssued(token);
    if (!found) return undefined;
    const { issuedAt, tokenId, ...facts } = found;
    const { accountId, clientId, grantId } = facts;
    const [end, isPaused, heldReason] = await Promise.all([
      this.records.endOf({ grantId, tokenId, clientId, issuedAt }),
      this.paused.isPaused(accountId, clientId, () => this.represented.representationOf(grantId)),
      this.represented.reasonFor(grantId),
    ]);
    return { ...facts, end, isPaused, heldReason, isBound: facts.jkt !== undefined };
  }

  /** Describes a text that {@link describeRefused} does not know. */
  async describeUnknown(sent: string): Promise<UnknownToken> {
    const texts = mended(sent);
    const issued = await this.records.issuedAmong([sent, ...texts.map(({ text }) => text)]);
    const damageOf = (text: string) => texts.find((one) => one.text === text)?.damage;
    if (issued) {
      const { clientId, model } = issued;
      const launchId = issued.launchId ?? undefined;
      if (model === 'AuthorizationCode' || model === 'RefreshToken') return { clientId, launchId, kind: kinds[model] };
      return { clientId, launchId, kind: 'damaged', fault: damageOf(issued.text) ?? '' };
    }
    for (const { text, damage } of texts.filter((one) => this.jwts.isJwt(one.text)).slice(0, mostJwts)) {
      const found = await this.jwts.findByValue(text, Number.POSITIVE_INFINITY);
      if (found) return this.ofGrant({ clientId: found.clientId, kind: 'damaged', fault: damage }, found.grantId);
    }
    return this.describeJwt(sent);
  }

  /** Id of the launch that a Grant belongs to. */
  launchOf(grantId: string): Promise<string | undefined> {
    return this.records.launchOf(grantId);
  }

  /** A JWT that was not proven: its own words, which name a client or an issuer. */
  private async describeJwt(sent: string): Promise<UnknownToken> {
    const jwt = readJwt(sent);
    if (!jwt) return { kind: 'unknown' };
    const { typ, claims } = jwt;
    const { iss, aud, client_id: clientId, grant } = claims;
    if (iss !== this.config.server.issuer) {
      return typeof iss === 'string' ? { kind: 'foreign', issuer: iss } : { kind: 'unknown' };
    }
    if (typ !== 'at+jwt') return { kind: 'id_token', clientId: typeof aud === 'string' ? aud : undefined };
    const fault = 'its signature does not fit its content';
    const changed = { kind: 'changed', fault, clientId: typeof clientId === 'string' ? clientId : undefined } as const;
    return this.ofGrant(changed, typeof grant === 'string' ? grant : undefined);
  }

  private async ofGrant(token: UnknownToken, grantId: string | undefined): Promise<UnknownToken> {
    return { ...token, launchId: grantId === undefined ? undefined : await this.records.launchOf(grantId) };
  }

  private async findIssued(token: string) {
    if (!this.jwts.isJwt(token)) {
      const stored = await this.records.accessToken(token);
      return stored && { ...stored, tokenId: token };
    }
    const found = await this.jwts.findByValue(token, Number.POSITIVE_INFINITY);
    if (!found) return undefined;
    const { clientId, accountId, grantId, aud: audience, exp: expiresAt, iat: issuedAt, jti: tokenId, jkt } = found;
    return { clientId, accountId, grantId, audience, expiresAt, issuedAt, tokenId, jkt };
  }
}

function readJwt(text: string): { typ: string | undefined; claims: JWTPayload } | undefined {
  try {
    return { typ: decodeProtectedHeader(text).typ, claims: decodeJwt(text) };
  } catch {
    return undefined;
  }
}
