import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { InvitationList, InvitationProof, InvitationWithCode, InviteRequest } from '../../contract/invitations.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { PatientInvitations } from '../application/patient-invitations.js';

@For('Patient')
@AboutRepresentation()
@Controller('api/representation/invitations')
export class PatientInvitationsController {
  constructor(private readonly invitations: PatientInvitations) {}

  /** Lists the invitations that wait, and what can be chosen for a new one. */
  @Get()
  list(@SignedIn() { id }: SignedInUser): Promise<InvitationList> {
    return this.invitations.list(id);
  }

  /**
   * Invites an adult to act for the user: a link goes by mail, and the code is told by the user.
   * Without a mail server the answer has the link as well, which the user hands over.
   * @refuses 409 429
   */
  @Post()
  invite(@Body() asked: InviteRequest, @CallingBrowser() browser: HttpBrowser): Promise<InvitationWithCode> {
    return this.invitations.invite(browser, asked);
  }

  /** Shows the code of an invitation again. */
  @Post(':id/code')
  @HttpCode(200)
  showCode(
    @Param('id') id: string,
    @Body() { currentPassword }: InvitationProof,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<InvitationWithCode> {
    return this.invitations.showCode(browser, id, currentPassword);
  }

  /** Makes a new code, which has the tries that are left. */
  @Post(':id/new-code')
  @HttpCode(200)
  newCode(
    @Param('id') id: string,
    @Body() { currentPassword }: InvitationProof,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<InvitationWithCode> {
    return this.invitations.newCode(browser, id, currentPassword);
  }

  /** Cancels an invitation. */
  @Delete(':id')
  @HttpCode(204)
  cancel(@Param('id') id: string, @SignedIn() user: SignedInUser): Promise<void> {
    return this.invitations.cancel(user.id, id);
  }
}
