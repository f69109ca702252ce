import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { stopsInvited } from '../../contract/rules/users/sign-in-obstacles.js';
import type { UserSignIn } from '../../contract/users/helpdesk.js';
import { AccountSessions } from '../../oidc-store/infrastructure/account-sessions.js';
import { PasskeyRegistry } from '../../passkeys/application/passkey-registry.js';
import { Config } from '../../platform/config/config.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import { SignInDiagnosis } from './sign-in-diagnosis.js';

/** The sign-in of a user as administrators see it: no health data, no network address, no place. */
@Injectable()
export class UserHelp {
  constructor(
    private readonly diagnosis: SignInDiagnosis,
    private readonly sessions: AccountSessions,
    private readonly factors: TwoFactorProofs,
    private readonly passkeys: PasskeyRegistry,
    private readonly clients: RegisteredClients,
    private readonly config: Config,
  ) {}

  async describe(id: string): Promise<UserSignIn> {
    const obstacles = await this.diagnosis.forUser(id);
    const factor = await this.factors.describe(id);
    return {
      obstacles,
      canCopyInvitation:
        this.config.email.smtp === undefined && obstacles.some(({ code }) => stopsInvited.includes(code)),
      sessions: await this.sessionsOf(id),
      secondFactor: factor
        ? { since: factor.enabledAt.toISOString(), recoveryCodesLeft: factor.recoveryCodesLeft }
        : null,
      passkeys: (await this.passkeys.describe(id)).length,
      hasPassword: await this.passkeys.hasPassword(id),
    };
  }

  private async sessionsOf(id: string): Promise<UserSignIn['sessions']> {
    const sessions = await this.sessions.list(id);
    return Promise.all(
      sessions.map(async ({ uid, browser, signedInAt, lastUsedAt, clientIds }) => ({
        id: uid,
        browser,
        signedIn: signedInAt.toISOString(),
        lastUsed: lastUsedAt.toISOString(),
        apps: await Promise.all(
          clientIds.map(async (one) => (await this.clients.findByClientId(one))?.clientName ?? one),
        ),
      })),
    );
  }
}
