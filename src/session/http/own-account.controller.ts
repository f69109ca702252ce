import { Body, Controller, Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ChangeNameRequest, ChangePasswordRequest, SessionList } from '../../contract/users/account.js';
import { AboutPasskeys, ChangesOwnAccount, For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { OwnAccount } from '../application/own-account.js';

@For('Admin', 'Patient', 'Practitioner', 'RelatedPerson')
@Controller('api/user')
export class OwnAccountController {
  constructor(private readonly account: OwnAccount) {}

  /**
   * Changes the own name.
   * @refuses 404
   */
  @Put()
  @ChangesOwnAccount()
  @HttpCode(204)
  rename(@Body() { fullName }: ChangeNameRequest, @SignedIn() { id }: SignedInUser): Promise<void> {
    return this.account.rename(id, fullName);
  }

  /**
   * Changes the own password.
   * @refuses 404 409 429
   */
  @Post('reset-password')
  @ChangesOwnAccount()
  @HttpCode(204)
  changePassword(
    @Body() form: ChangePasswordRequest,
    @SignedIn() { id }: SignedInUser,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    return this.account.changePassword(browser, id, form);
  }

  /**
   * Removes the own password: the user signs in with passkeys from now on.
   *
   * Takes a passkey that was used within the last five minutes.
   * @refuses 409
   */
  @Delete('password')
  @ChangesOwnAccount()
  @AboutPasskeys()
  @HttpCode(204)
  removePassword(@CallingBrowser() browser: HttpBrowser): Promise<void> {
    return this.account.removePassword(browser);
  }

  /** Lists the browsers in which the user is signed in. */
  @Get('sessions')
  sessions(@SignedIn() { id }: SignedInUser, @CallingBrowser() browser: HttpBrowser): Promise<SessionList> {
    return this.account.sessions(browser, id);
  }

  /** Ends all sessions of the user but this one. */
  @Delete('sessions')
  @HttpCode(204)
  endOtherSessions(@SignedIn() { id }: SignedInUser, @CallingBrowser() browser: HttpBrowser): Promise<void> {
    return this.account.endOtherSessions(browser, id);
  }
}
