import { Body, Controller, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ChoosePasswordRequest, ForgotPasswordRequest, LinkCheck, type LinkFacts } from '../../contract/account.js';
import { Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { type Choice, Recovery } from '../application/recovery.js';

/** No call here signs a user in: the user does so with the new password, and the second factor if there is one. */
@Public()
@Controller('api/user')
export class RecoveryController {
  constructor(private readonly recovery: Recovery) {}

  @Post('forgot-password')
  @HttpCode(200)
  requestReset(@Body() { email }: ForgotPasswordRequest, @CallingBrowser() browser: HttpBrowser): Promise<void> {
    return this.recovery.requestReset(email, browser.addressKey);
  }

  /** Uses nothing up, and no GET: a link stands in no log. */
  @Post(':userId/link')
  @HttpCode(200)
  check(
    @Param('userId') userId: string,
    @Body() { purpose, token }: LinkCheck,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<LinkFacts> {
    return this.recovery.check(purpose, { userId, token, caller: browser.addressKey }, browser);
  }

  @Put('forgot-password/:userId/reset')
  @HttpCode(204)
  reset(
    @Param('userId') userId: string,
    @Body() form: ChoosePasswordRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    return this.recovery.reset(browser, choiceOf(userId, form, browser));
  }

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
