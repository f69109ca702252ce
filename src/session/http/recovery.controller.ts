import { Body, Controller, HttpCode, Param, Post, Put } from '@nestjs/common';
import {
  ChoosePasswordRequest,
  ForgotPasswordRequest,
  LinkCheck,
  type LinkFacts,
  LinkToken,
  ResetPasswordRequest,
} from '../../contract/users/account.js';
import type { PasskeyOptions } from '../../contract/users/passkeys.js';
import { AboutPasskeys, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { Recovery } from '../application/recovery/recovery.js';

/** No call here signs a user in: the user does so with the new password, and the second factor if there is one. */
@Public()
@Controller('api/user')
export class RecoveryController {
  constructor(private readonly recovery: Recovery) {}

  /**
   * Sends a link for a new password by mail.
   *
   * The answer is the same whether or not the address has an account.
   * @refuses 429
   */
  @Post('forgot-password')
  @HttpCode(200)
  requestReset(
    @Body() { email, returnUrl }: ForgotPasswordRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    return this.recovery.requestReset(email, browser, returnUrl);
  }

  /**
   * Checks a link of a mail before a password is thought of.
   *
   * Uses nothing up, and no GET: a link stands in no log.
   * @refuses 401 429
   */
  @Post(':userId/link')
  @HttpCode(200)
  check(
    @Param('userId') userId: string,
    @Body() { purpose, token }: LinkCheck,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<LinkFacts> {
    return this.recovery.check(purpose, { userId, token, caller: browser.addressKey }, browser);
  }

  /**
   * Begins the proof by a passkey besides a link.
   * @refuses 401 403 429
   */
  @Post('forgot-password/:userId/passkey')
  @HttpCode(200)
  @AboutPasskeys()
  async passkeyOptions(
    @Param('userId') userId: string,
    @Body() { token }: LinkToken,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<PasskeyOptions> {
    const link = { userId, token, caller: browser.addressKey };
    return { publicKey: { ...(await this.recovery.passkeyOptions(browser, link)) } };
  }

  /**
   * Sets a new password by a link.
   *
   * An account that has a passkey needs a code or a passkey besides it, or has waited.
   * @refuses 401 409 429
   */
  @Put('forgot-password/:userId/reset')
  @HttpCode(204)
  reset(
    @Param('userId') userId: string,
    @Body() { password, token, ...proof }: ResetPasswordRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    return this.recovery.reset(browser, { userId, password, token, caller: browser.addressKey }, proof);
  }

  /**
   * Sets the first password by the link of the invitation.
   * @refuses 401 409 429
   */
  @Post(':userId/activate')
  @HttpCode(204)
  activate(
    @Param('userId') userId: string,
    @Body() { password, token }: ChoosePasswordRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    return this.recovery.activate(browser, { userId, password, token, caller: browser.addressKey });
  }
}
