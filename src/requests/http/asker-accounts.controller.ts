import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { AccountForm, AccountLink, AskForAccountRequest, OpenedAccount } from '../../contract/requests/accounts.js';
import { AboutRepresentation, Public } from '../../platform/http/access.js';
import { CallingBrowser, type HttpBrowser } from '../../platform/http/http-browser.js';
import { AskerAccounts } from '../application/asker-accounts.js';

/** For users without an account, who want to ask to act for a patient. */
@Public()
@AboutRepresentation()
@Controller('api/requests/account')
export class AskerAccountsController {
  constructor(private readonly accounts: AskerAccounts) {}

  /** Says what the form asks for. 404 where users without an account cannot ask. */
  @Get()
  form(): AccountForm {
    return this.accounts.form();
  }

  /**
   * Sends a link to the address, by which an account is made that can ask to act for a patient.
   *
   * The answer is the same whatever is entered.
   */
  @Post()
  @HttpCode(204)
  ask(@Body() form: AskForAccountRequest, @CallingBrowser() browser: HttpBrowser): Promise<void> {
    return this.accounts.ask(browser, form);
  }

  /**
   * Makes the account of a mailed link. No GET: a link stands in no log.
   * @refuses 409 429
   */
  @Post(':id')
  @HttpCode(200)
  open(
    @Param('id') id: string,
    @Body() { token }: AccountLink,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<OpenedAccount> {
    return this.accounts.open(id, token, browser.addressKey);
  }
}
