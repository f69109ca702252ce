import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { SignInResult } from '../../contract/session.js';
import {
  PasskeyOptions,
  PasskeySecondFactorOptionsRequest,
  PasskeySignInRequest,
} from '../../contract/users/passkeys.js';
import { AboutPasskeys, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { PasskeySecondFactor } from '../application/passkey-second-factor.js';

/** Needs no session: a user between password and second factor has none yet. */
@Controller('api/twofactor/passkey')
@AboutPasskeys()
@Public()
export class PasskeySecondFactorController {
  constructor(private readonly secondFactor: PasskeySecondFactor) {}

  /**
   * Begins to prove the second factor by a passkey: the options for the browser.
   * @refuses 401 404
   */
  @Post('options')
  @HttpCode(200)
  async options(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { returnUrl }: PasskeySecondFactorOptionsRequest,
  ): Promise<PasskeyOptions> {
    return { publicKey: { ...(await this.secondFactor.options(browser, returnUrl ?? undefined)) } };
  }

  /**
   * Signs in with a passkey, after the password.
   * @refuses 401 404 429
   */
  @Post()
  @HttpCode(200)
  async verify(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { response, ...verification }: PasskeySignInRequest,
  ): Promise<SignInResult> {
    const { keepPage } = await this.secondFactor.verify(browser, response, verification);
    return keepPage === undefined ? {} : { keepPage };
  }
}
