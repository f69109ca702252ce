import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import {
  AddPasskeyRequest,
  ConfirmByPasskeyRequest,
  ConfirmedRequest,
  OwnPasskey,
  OwnPasskeys,
  PasskeyOffer,
  PasskeyOptions,
  RenamePasskeyRequest,
} from '../../contract/users/passkeys.js';
import { AboutPasskeys, AddsFactor, ChangesOwnAccount, For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { PasskeyConfirmation } from '../application/passkey-confirmation.js';
import { PasskeySettings } from '../application/passkey-settings.js';

@Controller('api/passkeys')
@AboutPasskeys()
@For('Admin', 'Patient', 'Practitioner', 'RelatedPerson')
export class PasskeysController {
  constructor(
    private readonly settings: PasskeySettings,
    private readonly confirmation: PasskeyConfirmation,
  ) {}

  /** Lists the passkeys of the signed-in user. */
  @Get()
  list(@CallingBrowser() browser: HttpBrowser): Promise<OwnPasskeys> {
    return this.settings.list(browser);
  }

  /** Reads whether a passkey is offered after this sign-in. */
  @Get('offer')
  async offer(@CallingBrowser() browser: HttpBrowser): Promise<PasskeyOffer> {
    return { isOffered: await this.settings.isOfferDue(browser) };
  }

  /** Puts the offer of a passkey off for 30 days. */
  @Post('offer/later')
  @HttpCode(204)
  putOff(@CallingBrowser() browser: HttpBrowser): Promise<void> {
    return this.settings.putOffOffer(browser);
  }

  /**
   * Begins to add a passkey: the options for the browser.
   * @refuses 409 429
   */
  @Post('registration')
  @AddsFactor()
  @HttpCode(200)
  async begin(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { currentPassword }: ConfirmedRequest,
  ): Promise<PasskeyOptions> {
    return { publicKey: { ...(await this.settings.begin(browser, currentPassword)) } };
  }

  /**
   * Begins to confirm with a passkey that the user is there: the options for the browser.
   * @refuses 404
   */
  @Post('confirmation/options')
  @HttpCode(200)
  async beginConfirmation(@CallingBrowser() browser: HttpBrowser): Promise<PasskeyOptions> {
    return { publicKey: { ...(await this.confirmation.options(browser)) } };
  }

  /**
   * Confirms with a passkey that the user is there.
   *
   * For five minutes this counts as the current password, and for the session as a sign-in with a passkey.
   * @refuses 429
   */
  @Post('confirmation')
  @HttpCode(204)
  confirm(@CallingBrowser() browser: HttpBrowser, @Body() { response }: ConfirmByPasskeyRequest): Promise<void> {
    return this.confirmation.confirm(browser, response);
  }

  /**
   * Adds a passkey: the browser's answer to the options.
   * @refuses 409
   */
  @Post()
  @AddsFactor()
  add(@CallingBrowser() browser: HttpBrowser, @Body() { response, name }: AddPasskeyRequest): Promise<OwnPasskey> {
    return this.settings.add(browser, response, name);
  }

  /**
   * Renames a passkey.
   * @refuses 404
   */
  @Patch(':id')
  @ChangesOwnAccount()
  @HttpCode(204)
  rename(
    @CallingBrowser() browser: HttpBrowser,
    @Param('id') id: string,
    @Body() { name }: RenamePasskeyRequest,
  ): Promise<void> {
    return this.settings.rename(browser, id, name);
  }

  /**
   * Removes a passkey, and ends the other sessions of the user.
   * @refuses 404 409 429
   */
  @Delete(':id')
  @ChangesOwnAccount()
  @HttpCode(204)
  remove(
    @CallingBrowser() browser: HttpBrowser,
    @Param('id') id: string,
    @Body() { currentPassword }: ConfirmedRequest,
  ): Promise<void> {
    return this.settings.remove(browser, id, currentPassword);
  }
}
