import { Injectable } from '@nestjs/common';
import type { OwnRecoveryFacts } from '../../contract/users/passkeys.js';
import { Database } from '../../platform/database/database.js';
import type { Browser } from '../../platform/request/browser.js';
import { TwoFactorChangeGuard } from '../../two-factor/application/two-factor-change-guard.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import { Recoveries } from '../../users/application/recoveries.js';

/** The ways back for the signed-in user after the loss of all passkeys: recovery codes, and a recovery that waits. */
@Injectable()
export class OwnRecovery {
  constructor(
    private readonly guard: TwoFactorChangeGuard,
    private readonly factors: TwoFactorProofs,
    private readonly recoveries: Recoveries,
    private readonly database: Database,
  ) {}

  async describe(browser: Browser): Promise<OwnRecoveryFacts> {
    const { id } = (await this.guard.ownerOf(browser, undefined)).account;
    return {
      codesLeft: (await this.factors.recoveryCodesLeft(id)) ?? null,
      readyAt: (await this.recoveries.ofAccount(id))?.readyAt.toISOString() ?? null,
    };
  }

  /** Returns new codes, which replace those before. */
  async makeCodes(browser: Browser, currentPassword: string | null | undefined): Promise<string[]> {
    const owner = await this.guard.ownerOf(browser, undefined);
    await this.guard.assertRecent(owner, currentPassword);
    return this.database.transaction(() => this.factors.replaceRecoveryCodes(owner.account.id));
  }

  /** Ends a recovery that waits. */
  async end(browser: Browser): Promise<void> {
    const { account } = await this.guard.ownerOf(browser, undefined);
    await this.recoveries.end(account.id, 'account-settings');
  }
}
