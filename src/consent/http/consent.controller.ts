import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ConsentRequest, ConsentSubmission } from '../../contract/consent.js';
import { For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { Consent } from '../application/consent.js';

/** Only requests of trials wait for an administrator. */
@Controller('api/consent')
@For('Admin', 'Patient', 'Practitioner', 'RelatedPerson')
export class ConsentController {
  constructor(private readonly consent: Consent) {}

  /**
   * Reads what the app asks for, for the consent page.
   * @refuses 409
   */
  @Get()
  request(
    @Query('returnUrl') returnUrl: string,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
  ): Promise<ConsentRequest> {
    return this.consent.request({ returnUrl: String(returnUrl), browser, accountId });
  }

  /**
   * Records the decision about what the app may do.
   * @refuses 409
   */
  @Post()
  @HttpCode(204)
  decide(
    @Body() { returnUrl, ...decision }: ConsentSubmission,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
  ): Promise<void> {
    return this.consent.decide({ returnUrl, browser, accountId }, decision);
  }
}
