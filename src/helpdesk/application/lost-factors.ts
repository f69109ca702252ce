import { Injectable } from '@nestjs/common';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { PasskeyRegistry } from '../../passkeys/application/passkey-registry.js';
import { Audit } from '../../platform/audit/audit.js';
import { LostTwoFactor } from '../../two-factor/application/lost-two-factor.js';
import { SecurityNotices } from '../../users/application/security-notices.js';

/** The end of everything that an account has beside a password, since its user has lost it all. */
@Injectable()
export class LostFactors {
  constructor(
    private readonly passkeys: PasskeyRegistry,
    private readonly twoFactor: LostTwoFactor,
    private readonly revocations: Revocations,
    private readonly audit: Audit,
    private readonly notices: SecurityNotices,
  ) {}

  /** Also ends the sessions of the account; in the caller's transaction. */
  async removeAll(accountId: string): Promise<void> {
    const passkeys = await this.passkeys.removeAll(accountId);
    const hadTwoFactor = await this.twoFactor.remove(accountId);
    await this.revocations.endSessions(accountId, undefined, 'ended-by-sign-in-methods');
    const detail = { by: 'command', passkeys };
    await this.audit.record({ type: 'two-factor.reset', outcome: 'success', subject: accountId, detail });
    if (passkeys > 0 || hadTwoFactor) await this.notices.send(accountId, { name: 'two-factor-reset' });
  }
}
