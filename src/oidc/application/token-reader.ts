import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { splitScopes } from '../../contract/rules/scopes/smart-scope.js';
import { permittedText } from '../../contract/rules/scopes/taken-back.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import {
  type AccessTokenFacts,
  AccessTokens,
  type MissingScope,
  type RefusedToken,
  type TokenCheck,
  type UnknownToken,
} from '../domain/access-tokens.js';
import { belongsTo } from '../domain/membership.js';
import { followsProfile, isBoundAsNeeded } from '../engine/clients/security-profile.js';
import { RequestedBases } from '../engine/shared/requested-base.js';
import { AccessTokenLookup, type Token } from '../engine/tokens/access-token-lookup.js';
import { DpopProofs } from '../engine/tokens/dpop-proofs.js';

/**
 * Reads access tokens of both formats and checks that grant, client and user still exist, the user in the token's
 * tenant.
 */
@Injectable()
export class TokenReader implements AccessTokens {
  /**
   * By the content of a self-contained token, which is one object for as long as the token is remembered (decision
   * 0052).
   */
  private readonly known = new WeakMap<Token, { facts: AccessTokenFacts; narrowedTo: string | undefined }>();

  constructor(
    private readonly lookup: AccessTokenLookup,
    private readonly bases: RequestedBases,
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly proofs: DpopProofs,
  ) {}

  async verify(token: string, { graceSeconds = 0, proven }: TokenCheck = {}): Promise<AccessTokenFacts | undefined> {
    // Checked before the token: an invalid proof is reported in any case, as by the engine.
    const proof = proven && (await this.proofs.verify(token, proven));
    const found = await this.lookup.findByValue(token, graceSeconds);
    // A bound token has a proof by its key, and any other token has none.
    if (!found?.clientId || found.jkt !== proof?.thumbprint) return undefined;
    const client = await this.clients.findByClientId(found.clientId);
    if (!client || !isBoundAsNeeded(found, client.settings, proof)) return undefined;
    if (proof && followsProfile(client.settings)) this.proofs.assertNonce(proof);
    if (proof && !(await this.proofs.use(proof))) return undefined;
    const account = found.accountId === undefined ? undefined : await this.accounts.findById(found.accountId);
    const base = this.bases.byUrl(found.aud);
    if (found.accountId !== undefined && !(account && base && belongsTo(account, base))) return undefined;
    const use = await this.lookup.useOf(found);
    const { launchId, isUnattended = false, narrowedTo, patientSource } = use ?? {};
    const own = account?.fhirUser ?? use?.representative;
    const fhirUser = own === undefined ? undefined : `${base?.url}/${own}`;
    const { narrowedTo: before, facts: known } = this.known.get(found) ?? {};
    const isSame = known?.launchId === launchId && known?.isUnattended === isUnattended && before === narrowedTo;
    if (known && isSame && known.fhirUser === fhirUser) return known;
    const { scope = '' } = found;
    const facts = factsOf(found, {
      ...{ clientId: found.clientId, fhirUser, launchId, isUnattended, patientSource },
      scopes: splitScopes(narrowedTo === undefined ? scope : permittedText(scope, narrowedTo)),
    });
    this.known.set(found, { facts, narrowedTo });
    return facts;
  }

  async describeRefused(token: string, proof?: string): Promise<RefusedToken | undefined> {
    const found = await this.lookup.refused.describeRefused(token);
    if (!found) return undefined;
    const { clientId, accountId, audience, jkt, ...facts } = found;
    const [client, account] = await Promise.all([
      this.clients.findByClientId(clientId),
      accountId === undefined ? undefined : this.accounts.findById(accountId),
    ]);
    const base = this.bases.byUrl(audience);
    const isElsewhere = account && base && !belongsTo(account, base);
    return {
      ...{ ...facts, clientId, accountId, audience },
      client: client ? 'enabled' : (await this.clients.resembling(clientId)).isDisabled ? 'disabled' : 'gone',
      account: accountId !== undefined && !account ? 'gone' : isElsewhere ? 'other-tenant' : 'usable',
      lacksBinding: client !== undefined && !isBoundAsNeeded({ jkt }, client.settings),
      proofFault: proof === undefined || jkt === undefined ? undefined : await this.faultOf(proof, jkt),
    };
  }

  /** Undefined for a proof that cannot be read, too, which was refused before. */
  private faultOf(proof: string, jkt: string): Promise<string | undefined> {
    return this.proofs.faultFor(proof, jkt).catch(() => undefined);
  }

  describeMissing(scope: string, facts: AccessTokenFacts): Promise<MissingScope> {
    return this.lookup.refused.remedies.forScope(scope, facts);
  }

  describeUnknown(token: string): Promise<UnknownToken> {
    return this.lookup.refused.describeUnknown(token);
  }

  renewedNonce(proof: string): string | undefined {
    return this.proofs.renewedNonce(proof);
  }

  launchOf(grantId: string): Promise<string | undefined> {
    return this.lookup.refused.launchOf(grantId);
  }
}

function factsOf(
  { jti, accountId, grantId, aud, extra = {}, exp = 0 }: Token,
  now: Pick<AccessTokenFacts, 'clientId' | 'launchId' | 'isUnattended' | 'patientSource' | 'scopes'> & {
    fhirUser: string | undefined;
  },
): AccessTokenFacts {
  const { patient, encounter, representation, acr, auth_time: authTime } = extra as Record<string, string | undefined>;
  return Object.freeze({
    ...now,
    scopes: Object.freeze(now.scopes),
    id: jti,
    accountId,
    grantId,
    audience: String(aud),
    patient,
    encounter,
    representation,
    acr,
    authTime: authTime === undefined ? undefined : Number(authTime),
    expiresAt: exp,
  });
}
