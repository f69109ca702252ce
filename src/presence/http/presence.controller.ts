import { Body, Controller, Put } from '@nestjs/common';
import { PresenceReport, PresenceView } from '../../contract/presence.js';
import { For, PeopleOnly, Polled } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { Presence } from '../application/presence.js';

@For('Admin')
@Controller('api/admin/presence')
export class PresenceController {
  constructor(private readonly presence: Presence) {}

  /**
   * Reports that a client or user is open in a tab, and reads who else has it open.
   * @refuses 404
   */
  @Put()
  @PeopleOnly()
  @Polled()
  report(@Body() report: PresenceReport, @SignedIn() admin: SignedInUser): Promise<PresenceView> {
    return this.presence.report(report, admin);
  }
}
