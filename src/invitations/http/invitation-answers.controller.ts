import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import {
  AcceptedInvitation,
  AcceptInvitationRequest,
  InvitationFacts,
  InvitationLink,
} from '../../contract/invitations.js';
import { AboutRepresentation, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { InvitationAnswers } from '../application/invitation-answers.js';
import { InvitedSignIns } from '../application/invited-sign-ins.js';

/** The page behind the link of an invitation. No call here is a GET: a link stands in no log. */
@Public()
@AboutRepresentation()
@Controller('api/invitations')
export class InvitationAnswersController {
  constructor(
    private readonly answers: InvitationAnswers,
    private readonly signIns: InvitedSignIns,
  ) {}

  /**
   * Tells who asks, and what for, before the code.
   * @refuses 429
   */
  @Post(':id/facts')
  @HttpCode(200)
  async facts(
    @Param('id') id: string,
    @Body() { token }: InvitationLink,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<InvitationFacts> {
    const facts = await this.answers.facts(id, token, browser.addressKey);
    this.signIns.mark(browser, id);
    return facts;
  }

  /**
   * Accepts with the code, for the account that is signed in or for a new one.
   * @refuses 401 409 429
   */
  @Post(':id/acceptance')
  @HttpCode(200)
  accept(
    @Param('id') id: string,
    @Body() asked: AcceptInvitationRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<AcceptedInvitation> {
    return this.answers.accept(id, asked, browser);
  }

  /**
   * Declines the invitation.
   * @refuses 429
   */
  @Post(':id/refusal')
  @HttpCode(204)
  decline(
    @Param('id') id: string,
    @Body() { token }: InvitationLink,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<void> {
    return this.answers.decline(id, token, browser.addressKey);
  }
}
