import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import {
  LaunchContextQuery,
  type LaunchContextRequest,
  type LaunchContextResult,
} from '../../contract/launch-context.js';
import { For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { LaunchContext } from '../application/launch-context.js';

@Controller('api/launch-context')
@For('Patient', 'Practitioner', 'RelatedPerson')
export class LaunchContextController {
  constructor(private readonly launchContext: LaunchContext) {}

  /** Lists the resources that the user can choose for the request of the app. */
  @Get()
  request(
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
    @Query() { returnUrl, ...query }: LaunchContextQuery,
  ): Promise<LaunchContextRequest> {
    return this.launchContext.request({ accountId, browser, returnUrl }, query);
  }

  /**
   * Records the chosen resources, by their row ids.
   *
   * At most one of each kind.
   * @refuses 409
   */
  @Post()
  @HttpCode(200)
  choose(
    @Body() resourceIds: string[],
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
    @Query('returnUrl') returnUrl?: string,
  ): Promise<LaunchContextResult> {
    return this.launchContext.choose({ accountId, browser, returnUrl: text(returnUrl) }, resourceIds);
  }
}

/** A parameter that is given twice arrives as a list. */
function text(parameter: string | undefined): string | undefined {
  return parameter === undefined ? undefined : String(parameter);
}
