import { Body, Controller, HttpCode, Param, Post, Put } from '@nestjs/common';
import {
  ChoosePasswordRequest,
  ForgotPasswordRequest,
  LinkCheck,
  type LinkFacts,
} from '../../contract/users/account.js';
import { Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { type Choice, Recovery } from '../application/recovery.js';

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
   * Sets a new password by a link.
   * @refuses 401 409 429
   */
  @Put('forgot-password/:userId/reset')
  @HttpCode(204)
  reset(
    @Param('userId') userId: string,
    @Body() form: ChoosePasswordRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    return this.recovery.reset(browser, choiceOf(userId, form, browser));
  }

  /**
   * Sets the first password by the link of the invitation.
   * @refuses 401 409 429
   */
  @Post(':userId/activate')
  @HttpCode(204)
  activate(
    @Param('userId') userId: string,
    @Body() form: ChoosePasswordRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    return this.recovery.activate(browser, choiceOf(userId, form, browser));
  }
}

function choiceOf(userId: string, form: ChoosePasswordRequest, { addressKey: caller }: HttpBrowser): Choice {
  return { userId, ...form, caller };
}
