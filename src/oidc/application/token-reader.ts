import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { type AccessTokenFacts, AccessTokens, type TokenCheck } from '../domain/access-tokens.js';
import { belongsTo } from '../domain/membership.js';
import { RequestedBases } from '../engine/shared/requested-base.js';
import { AccessTokenLookup, type Token } from '../engine/tokens/access-token-lookup.js';
import { type Proven, proofSeconds, verifyProof } from '../engine/tokens/dpop-proof.js';

/**
 * Reads access tokens of both formats and checks that grant, client and user still exist, the user in the token's
 * tenant.
 */
@Injectable()
export class TokenReader implements AccessTokens {
  constructor(
    private readonly lookup: AccessTokenLookup,
    private readonly bases: RequestedBases,
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly records: OidcRecords,
  ) {}

  async verify(token: string, { graceSeconds = 0, proven }: TokenCheck = {}): Promise<AccessTokenFacts | undefined> {
    // Checked before the token: an invalid proof is reported in any case, as by the engine.
    const proof = proven && (await verifyProof(token, proven));
    const found = await this.lookup.find(token, graceSeconds);
    if (!found?.clientId || !(await this.isHeldByRightHands(found, proof))) return undefined;
    if (!(await this.clients.find(found.clientId))) return undefined;
    const account = found.accountId === undefined ? undefined : await this.accounts.find(found.accountId);
    const base = this.bases.byUrl(found.aud);
    if (found.accountId !== undefined && !(account && base && belongsTo(account, base))) return undefined;
    const { patient, encounter } = (found.extra ?? {}) as Record<string, string | undefined>;
    return {
      id: found.jti,
      clientId: found.clientId,
      accountId: found.accountId,
      grantId: found.grantId,
      scopes: (found.scope ?? '').split(' ').filter(Boolean),
      audience: String(found.aud),
      patient,
      encounter,
      fhirUser: account?.fhirUser === undefined ? undefined : `${base?.url}/${account.fhirUser}`,
      expiresAt: found.exp ?? 0,
    };
  }

  /** True if a bound token has a fresh proof by its key, used once, and any other token has none. */
  private async isHeldByRightHands({ jkt }: Token, proof?: Proven): Promise<boolean> {
    if (jkt === undefined || proof === undefined) return jkt === undefined && proof === undefined;
    return proof.thumbprint === jkt && this.records.insertOnce('DPoP', `${jkt}\n${proof.jti}`, 2 * proofSeconds);
  }
}
