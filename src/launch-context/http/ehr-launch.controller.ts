import { All, Controller, Header, Headers, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import type { Request } from 'express';
import type { EhrLaunchAnswer } from '../../contract/launch-context.js';
import { Public } from '../../platform/http/access.js';
import { OAuthErrorFilter } from '../../platform/http/oauth-error.filter.js';
import { EhrAnnouncements } from '../application/ehr-announcements.js';

/**
 * The endpoint for EHRs: `application/x-www-form-urlencoded` or `application/json`, HTTP Basic, errors as in RFC 6749
 * §5.2.
 */
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
    @Headers('content-type') contentType: string | undefined,
    @Req() { body, query, url: address }: Request,
  ): Promise<EhrLaunchAnswer> {
    // Express has no text of a request without a body.
    const text = typeof body === 'string' ? body : '';
    const inAddress = Object.keys(query);
    const sent = { contentType, text, inAddress, address };
    return { launchContextIdentifier: await this.announcements.announce(authorization, sent) };
  }

  @All()
  @Header('Allow', 'POST')
  refuseMethod(@Req() { method, query }: Request): never {
    return this.announcements.refuseMethod(method, query);
  }
}
