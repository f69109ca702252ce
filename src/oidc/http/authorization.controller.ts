import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import type { AuthorizationPlace, EndedAuthorization } from '../../contract/authorization.js';
import { For, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { FlowProgress } from '../application/flow-progress.js';

/** The client's request that waits for the signed-in user; only requests of trials wait for an administrator. */
@Controller('api/authorization')
@For('Admin', 'Patient', 'Practitioner', 'RelatedPerson')
export class AuthorizationController {
  constructor(private readonly progress: FlowProgress) {}

  /**
   * Reads the app of the request, and the user's place in its steps.
   * @refuses 404
   */
  @Get()
  progressOf(
    @Query('returnUrl') returnUrl: unknown,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
  ): Promise<AuthorizationPlace> {
    return this.progress.forRequest({ returnUrl: String(returnUrl), browser, accountId });
  }

  /**
   * Tells about a request that cannot be continued.
   *
   * Also available to a user who is not signed in any more.
   */
  @Get('ended')
  @Public()
  endedAuthorization(
    @Query('returnUrl') returnUrl: unknown,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<EndedAuthorization> {
    return this.progress.endedAuthorization({ returnUrl: String(returnUrl), browser });
  }

  /**
   * Cancels the request; `returnUrl` then leads back to the client.
   * @refuses 404
   */
  @Delete()
  @HttpCode(204)
  cancel(
    @Query('returnUrl') returnUrl: unknown,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
  ): Promise<void> {
    return this.progress.cancel({ returnUrl: String(returnUrl), browser, accountId });
  }

  /**
   * Cancels the request on the sign-in page, where no user is signed in yet.
   * @refuses 404
   */
  @Delete('sign-in')
  @Public()
  @HttpCode(204)
  cancelSignIn(@Query('returnUrl') returnUrl: unknown, @CallingBrowser() browser: HttpBrowser): Promise<void> {
    return this.progress.cancelSignIn({ returnUrl: String(returnUrl), browser });
  }
}
