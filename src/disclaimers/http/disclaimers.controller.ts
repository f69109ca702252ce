import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { AgreementRequest, DisclaimerList, DisclaimerQuery } from '../../contract/disclaimers.js';
import { For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { Disclaimers } from '../application/disclaimers.js';

@Controller('api/disclaimer')
@For('Patient', 'Practitioner', 'RelatedPerson')
export class DisclaimersController {
  constructor(private readonly disclaimers: Disclaimers) {}

  /** Lists the disclaimers that apply to the request of the app. */
  @Get()
  request(
    @Query() { returnUrl, ...claimed }: DisclaimerQuery,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
  ): Promise<DisclaimerList> {
    return this.disclaimers.request({ accountId, browser, returnUrl }, claimed);
  }

  /**
   * Records the agreement to disclaimers.
   * @refuses 404
   */
  @Post()
  @HttpCode(204)
  agree(
    @Body() agreement: AgreementRequest,
    @Query() { returnUrl }: DisclaimerQuery,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
  ): Promise<void> {
    return this.disclaimers.agree({ accountId, browser, returnUrl }, agreement);
  }
}
