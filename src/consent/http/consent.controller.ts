import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ConsentRequest, ConsentSubmission } from '../../contract/consent.js';
import { For } from '../../platform/http/access.js';
import { BrowserBinding } from '../../platform/http/browser-binding.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { Consent } from '../application/consent.js';

@Controller('api/consent')
@For('Patient', 'Practitioner')
export class ConsentController {
  constructor(private readonly consent: Consent) {}

  @Get()
  request(
    @Query('returnUrl') returnUrl: string,
    @BrowserBinding() browser: string | undefined,
    @SignedIn() { id }: SignedInUser,
  ): Promise<ConsentRequest> {
    return this.consent.request(String(returnUrl), browser, id);
  }

  @Post()
  @HttpCode(204)
  decide(
    @Body() submission: ConsentSubmission,
    @BrowserBinding() browser: string | undefined,
    @SignedIn() { id }: SignedInUser,
  ): Promise<void> {
    return this.consent.decide(submission, browser, id);
  }
}
