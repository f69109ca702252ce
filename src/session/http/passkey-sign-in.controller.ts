import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { SignInResult } from '../../contract/session.js';
import { PasskeyOptions, PasskeySignInRequest } from '../../contract/users/passkeys.js';
import { AboutPasskeys, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { PasskeySignIn } from '../application/passkey-sign-in.js';

@Controller('api/passkeys/sign-in')
@AboutPasskeys()
@Public()
export class PasskeySignInController {
  constructor(private readonly passkeySignIn: PasskeySignIn) {}

  /** Begins a sign-in with a passkey: the options for the browser. */
  @Post('options')
  @HttpCode(200)
  async options(@CallingBrowser() browser: HttpBrowser): Promise<PasskeyOptions> {
    return { publicKey: { ...(await this.passkeySignIn.options(browser)) } };
  }

  /**
   * Signs in with a passkey.
   * @refuses 401 403 404 429 503
   */
  @Post()
  @HttpCode(200)
  signIn(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { response, ...facts }: PasskeySignInRequest,
  ): Promise<SignInResult> {
    return this.passkeySignIn.signIn(browser, response, facts);
  }
}
