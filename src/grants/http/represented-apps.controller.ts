import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { EndRepresentedAppQuery, RepresentedAppList } from '../../contract/own-record/represented-apps.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { RepresentedApps } from '../application/represented-apps.js';

@For('Patient')
@AboutRepresentation()
@Controller('api/grant/represented')
export class RepresentedAppsController {
  constructor(private readonly apps: RepresentedApps) {}

  /** Lists the apps that others have let in for the user's own record. */
  @Get()
  async list(@SignedIn() { id }: SignedInUser): Promise<RepresentedAppList> {
    return { apps: await this.apps.list(id) };
  }

  /**
   * Ends the access of an app that another user has let in for the user's own record.
   * @refuses 404
   */
  @Delete()
  @HttpCode(204)
  end(@Query() { relationship, clientId }: EndRepresentedAppQuery, @SignedIn() { id }: SignedInUser): Promise<void> {
    return this.apps.end(id, relationship, clientId);
  }
}
