import { Body, Controller, Header, Headers, HttpCode, Post, UseFilters } from '@nestjs/common';
import type { EhrLaunchAnswer } from '../../contract/launch-context.js';
import { Public } from '../../platform/http/access.js';
import { OAuthErrorFilter } from '../../platform/http/oauth-error.filter.js';
import { EhrAnnouncements } from '../application/ehr-announcements.js';

/** The endpoint for EHRs: `application/x-www-form-urlencoded`, HTTP Basic, errors as in RFC 6749 §5.2. */
@Controller('connect/launchContext')
@Public()
@UseFilters(OAuthErrorFilter)
export class EhrLaunchController {
  constructor(private readonly announcements: EhrAnnouncements) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Header('Pragma', 'no-cache')
  async announce(
    @Headers('authorization') authorization: string | undefined,
    @Body() form: Record<string, unknown>,
  ): Promise<EhrLaunchAnswer> {
    return { launchContextIdentifier: await this.announcements.announce(authorization, form) };
  }
}
