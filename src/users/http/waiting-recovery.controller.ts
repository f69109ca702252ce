import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { LinkToken, WaitingRecovery } from '../../contract/users/account.js';
import { Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { Recoveries } from '../application/recoveries.js';

/** The waiting time of a user who has lost their passkeys and recovery codes. */
@Public()
@Controller('api/user')
export class WaitingRecoveryController {
  constructor(private readonly recoveries: Recoveries) {}

  /**
   * Begins the waiting time by a link for a new password.
   *
   * A link is mailed at its end. Succeeds again with the time that runs already.
   * @refuses 401 429
   */
  @Post(':userId/recovery')
  @HttpCode(200)
  async begin(
    @Param('userId') userId: string,
    @Body() { token }: LinkToken,
    @CallingBrowser() { addressKey: caller }: HttpBrowser,
  ): Promise<WaitingRecovery> {
    return viewOf(await this.recoveries.begin({ userId, token, caller }));
  }

  /**
   * Reads the waiting time by the link of its mail.
   * @refuses 401 429
   */
  @Post(':userId/recovery/link')
  @HttpCode(200)
  async check(
    @Param('userId') userId: string,
    @Body() { token }: LinkToken,
    @CallingBrowser() { addressKey: caller }: HttpBrowser,
  ): Promise<WaitingRecovery> {
    return viewOf(await this.recoveries.check({ userId, token, caller }));
  }

  /**
   * Ends the recovery by the link of its mail.
   * @refuses 401 429
   */
  @Post(':userId/recovery/end')
  @HttpCode(204)
  endByLink(
    @Param('userId') userId: string,
    @Body() { token }: LinkToken,
    @CallingBrowser() { addressKey: caller }: HttpBrowser,
  ): Promise<void> {
    return this.recoveries.endByLink({ userId, token, caller });
  }
}

function viewOf(readyAt: Date | undefined): WaitingRecovery {
  return { readyAt: readyAt?.toISOString() ?? null };
}
