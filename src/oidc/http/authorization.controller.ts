import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import type { AuthorizationPlace, EndedAuthorization } from '../../contract/authorization.js';
import { For, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { FlowProgress } from '../application/flow-progress.js';

/** The client's request that waits for the signed-in user. */
@Controller('api/authorization')
@For('Patient', 'Practitioner')
export class AuthorizationController {
  constructor(private readonly place: FlowProgress) {}

  @Get()
  where(
    @Query('returnUrl') returnUrl: unknown,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
  ): Promise<AuthorizationPlace> {
    return this.place.forRequest({ returnUrl: String(returnUrl), browser, accountId });
  }

  /** Also available to a user who is not signed in any more. */
  @Get('ended')
  @Public()
  ended(@Query('returnUrl') returnUrl: unknown, @CallingBrowser() browser: HttpBrowser): Promise<EndedAuthorization> {
    return this.place.ended({ returnUrl: String(returnUrl), browser });
  }

  /** Cancels the request; `returnUrl` then leads back to the client. */
  @Delete()
  @HttpCode(204)
  leave(
    @Query('returnUrl') returnUrl: unknown,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
  ): Promise<void> {
    return this.place.leave({ returnUrl: String(returnUrl), browser, accountId });
  }
}
