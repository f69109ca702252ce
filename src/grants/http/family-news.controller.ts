import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { FamilyNews, NewsSeenRequest } from '../../contract/representation/news.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { FamilyNewsPage } from '../application/family-news.js';
import { FamilyNewsStep } from '../application/family-news-step.js';

@For('Patient')
@AboutRepresentation()
@Controller('api/representation/news')
export class FamilyNewsController {
  constructor(
    private readonly page: FamilyNewsPage,
    private readonly step: FamilyNewsStep,
  ) {}

  /** Reads what the user, as the patient, has not been told yet: who acts, and who does no more because of the age. */
  @Get()
  get(@SignedIn() { id }: SignedInUser): Promise<FamilyNews> {
    return this.page.forPatient(id);
  }

  /** Notes that the user has been told of these relationships; an app's request that waits for it continues. */
  @Post()
  @HttpCode(204)
  seen(
    @Body() seen: NewsSeenRequest,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id }: SignedInUser,
  ): Promise<void> {
    return this.step.seen(id, browser, seen);
  }
}
