import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ConfirmedRequest, OwnRecoveryFacts, type RecoveryCodes } from '../../contract/users/passkeys.js';
import { AboutPasskeys, ChangesOwnAccount, For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { OwnRecovery } from '../application/own-recovery.js';

@For('Admin', 'Patient', 'Practitioner', 'RelatedPerson')
@Controller('api/passkeys/recovery')
@AboutPasskeys()
export class OwnRecoveryController {
  constructor(private readonly recovery: OwnRecovery) {}

  /**
   * Returns the number of recovery codes of the user, and the recovery that waits.
   * @refuses 403
   */
  @Get()
  describe(@CallingBrowser() browser: HttpBrowser): Promise<OwnRecoveryFacts> {
    return this.recovery.describe(browser);
  }

  /**
   * Makes recovery codes, which replace those before.
   *
   * With a passkey or an authenticator app they are one way back into the account; they are shown once.
   * @refuses 403 429
   */
  @Post('codes')
  @ChangesOwnAccount()
  async makeCodes(
    @Body() { currentPassword }: ConfirmedRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<RecoveryCodes> {
    return { recoveryCodes: await this.recovery.makeCodes(browser, currentPassword) };
  }

  /**
   * Ends a recovery of the own account that waits.
   * @refuses 403
   */
  @Delete()
  @ChangesOwnAccount()
  @HttpCode(204)
  end(@CallingBrowser() browser: HttpBrowser): Promise<void> {
    return this.recovery.end(browser);
  }
}
