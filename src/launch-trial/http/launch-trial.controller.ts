import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  type StartedTrial,
  type TrialOptions,
  TrialRequest,
  TrialReturn,
  type TrialView,
} from '../../contract/clients/launch-trial.js';
import { For, PeopleOnly } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { Trials } from '../application/trials.js';

/** Trials of launches; a service cannot make them, because they continue in a browser. */
@For('Admin')
@Controller('api/admin')
export class LaunchTrialController {
  constructor(private readonly trials: Trials) {}

  /** Reads what a trial of a launch can begin with. */
  @Get('client/:id/trial')
  options(@Param('id') id: string): Promise<TrialOptions> {
    return this.trials.options(id);
  }

  /**
   * Starts a trial of a launch with the settings of the client.
   * @refuses 409 429
   */
  @Post('client/:id/trial')
  @PeopleOnly()
  start(
    @Param('id') id: string,
    @Body() request: TrialRequest,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: adminId }: SignedInUser,
  ): Promise<StartedTrial> {
    return this.trials.start(id, request, { adminId, browser });
  }

  /**
   * Gives a trial the answer that came to its redirect URI.
   * @refuses 409
   */
  @Post('launch-trial/:id/answer')
  @PeopleOnly()
  @HttpCode(204)
  answer(
    @Param('id') id: string,
    @Body() answer: TrialReturn,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: adminId }: SignedInUser,
  ): Promise<void> {
    return this.trials.acceptAnswer(id, answer, { adminId, browser });
  }

  /**
   * Reads how far a trial is, and what it has shown.
   */
  @Get('launch-trial/:id')
  @PeopleOnly()
  view(
    @Param('id') id: string,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: adminId }: SignedInUser,
  ): Promise<TrialView> {
    return this.trials.view(id, { adminId, browser });
  }
}
