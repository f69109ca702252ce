import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { LinkCheck, LinkPasskeyRequest } from '../../contract/users/account.js';
import { PasskeyOptions } from '../../contract/users/passkeys.js';
import { AboutPasskeys, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { LinkPasskeys } from '../application/recovery/link-passkeys.js';

/** No call here signs a user in: the user does so with the new passkey. */
@Public()
@AboutPasskeys()
@Controller('api/user/:userId/passkey')
export class LinkPasskeyController {
  constructor(private readonly passkeys: LinkPasskeys) {}

  /**
   * Begins to make a passkey by a link: the options for the browser.
   * @refuses 401 403 409 429
   */
  @Post('options')
  @HttpCode(200)
  async options(
    @Param('userId') userId: string,
    @Body() { purpose, token }: LinkCheck,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<PasskeyOptions> {
    const link = { userId, token, caller: browser.addressKey };
    return { publicKey: { ...(await this.passkeys.options(browser, purpose, link)) } };
  }

  /**
   * Stores a passkey by a link, in place of a password.
   *
   * A password that the account has is removed. An account that has a passkey needs a code or a passkey besides the
   * link, or has waited.
   * @refuses 401 403 409 429
   */
  @Post()
  @HttpCode(204)
  add(
    @Param('userId') userId: string,
    @Body() { purpose, token, response: answer, name, ...proof }: LinkPasskeyRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    const link = { userId, token, caller: browser.addressKey };
    return this.passkeys.add(browser, purpose, link, { made: { answer, name }, proof });
  }
}
