import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ResetSecondFactorRequest, StepUpFacts, UserSignIn } from '../../contract/users/helpdesk.js';
import { For, PeopleOnly } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { SecondFactorReset } from '../application/second-factor-reset.js';
import { UserHelp } from '../application/user-help.js';
import { UserRelease } from '../application/user-release.js';

/** The calls by which an administrator examines a user's sign-in, and lets them in again. */
@For('Admin')
@Controller('api/admin')
export class HelpdeskController {
  constructor(
    private readonly help: UserHelp,
    private readonly release: UserRelease,
    private readonly factors: SecondFactorReset,
  ) {}

  /** Reads how a user signs in, and what stops them. */
  @Get('user/:id/sign-in')
  describe(@Param('id') id: string): Promise<UserSignIn> {
    return this.help.describe(id);
  }

  /**
   * Releases the locks after wrong passwords, codes and passkeys.
   * @refuses 409 429
   */
  @Post('user/:id/unlock')
  @HttpCode(204)
  unlock(@Param('id') id: string): Promise<void> {
    return this.release.unlock(id);
  }

  /** Ends all sessions of a user. */
  @Delete('user/:id/session')
  @HttpCode(204)
  signOutEverywhere(@Param('id') id: string): Promise<void> {
    return this.release.signOutEverywhere(id);
  }

  /** Ends one session of a user. */
  @Delete('user/:id/session/:session')
  @HttpCode(204)
  signOut(@Param('id') id: string, @Param('session') session: string): Promise<void> {
    return this.release.signOut(id, session);
  }

  /** Tells by which proof the administrator confirms the reset of a second factor. */
  @Get('step-up')
  @PeopleOnly()
  stepUp(@CallingBrowser() browser: HttpBrowser, @SignedIn() admin: SignedInUser): Promise<StepUpFacts> {
    return this.factors.stepUp(browser, admin);
  }

  /**
   * Removes the second factor and the passkeys of a user who has lost them.
   * @refuses 409 429
   */
  @Post('user/:id/reset-second-factor')
  @PeopleOnly()
  @HttpCode(204)
  reset(
    @Param('id') id: string,
    @Body() form: ResetSecondFactorRequest,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() admin: SignedInUser,
  ): Promise<void> {
    return this.factors.reset(browser, admin, id, form);
  }
}
