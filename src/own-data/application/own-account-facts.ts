import { Injectable } from '@nestjs/common';
import type { OwnData, OwnDataRelationships } from '../../contract/own-record/own-data.js';
import type { OwnRelationship } from '../../contract/representation.js';
import { levelInWords } from '../../contract/rules/representation/kind-words.js';
import { AccountSessions } from '../../oidc-store/infrastructure/account-sessions.js';
import { PasskeyRegistry } from '../../passkeys/application/passkey-registry.js';
import { Config } from '../../platform/config/config.js';
import { OwnRelationshipList } from '../../representation/application/own-relationships.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import { OwnDetails } from '../../users/application/own-details.js';

type Facts = Pick<
  OwnData,
  'issuer' | 'account' | 'twoFactor' | 'recoveryCodesLeft' | 'passkeys' | 'sessions' | 'representation'
> & {
  fhirUser: string | undefined;
  acting: ActingFor;
};

/** The patients for whom the user acts or acted. */
export interface ActingFor {
  /** By the id of the relationship. */
  patients: ReadonlyMap<string, { patient: string }>;
  /** Ids of relationships that the user may not know of any more. */
  hidden: readonly string[];
}

/** The account, its second factor and its sessions, as they are in the file of the own data. */
@Injectable()
export class OwnAccountFacts {
  constructor(
    private readonly details: OwnDetails,
    private readonly factors: TwoFactorProofs,
    private readonly passkeys: PasskeyRegistry,
    private readonly sessions: AccountSessions,
    private readonly relationships: OwnRelationshipList,
    private readonly config: Config,
  ) {}

  async ofAccount(accountId: string, sessionUid: string): Promise<Facts> {
    const user = await this.details.describe(accountId);
    const { id, fullName, email, emailConfirmed, userType, claims, standardClaims, issuer, subject, createdAt } = user;
    const twoFactor = await this.factors.describe(accountId);
    const sessions = await this.sessions.list(accountId);
    return {
      fhirUser: user.fhirUser,
      acting: await this.relationships.actingFor(accountId),
      issuer: this.config.server.issuer,
      account: {
        ...{ id, fullName, email, emailConfirmed, userType },
        language: user.locale ?? null,
        claims: [...claims],
        providerClaims: standardClaims,
        provider: issuer !== null && subject !== null ? { issuer, subject } : null,
        hasPassword: await this.passkeys.hasPassword(accountId),
        createdAt: createdAt.toISOString(),
      },
      ...(this.config.representation && { representation: await this.representation(accountId) }),
      twoFactor: twoFactor ? { ...twoFactor, enabledAt: twoFactor.enabledAt.toISOString() } : null,
      recoveryCodesLeft: (await this.factors.recoveryCodesLeft(accountId)) ?? null,
      passkeys: await this.passkeys.describe(accountId),
      sessions: sessions.map(({ uid, signedInAt, lastUsedAt, browser }) => ({
        browser,
        signedIn: signedInAt.toISOString(),
        lastUsed: lastUsedAt.toISOString(),
        current: uid === sessionUid,
      })),
    };
  }
  private async representation(accountId: string): Promise<OwnDataRelationships> {
    const { lookedAfter, helpers, ...rest } = await this.relationships.list(accountId);
    const inWords = (cards: OwnRelationship[]) =>
      cards.map((card) => ({ ...card, level: { ...card.level, inWords: levelInWords(card.level) } }));
    return { lookedAfter: inWords(lookedAfter), helpers: inWords(helpers), ...rest };
  }
}
