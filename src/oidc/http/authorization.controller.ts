import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import type { AuthorizationPlace } from '../../contract/authorization.js';
import { For } from '../../platform/http/access.js';
import { BrowserBinding } from '../../platform/http/browser-binding.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { Place } from '../application/place.js';

/** The app's request that waits for whoever is signed in. */
@Controller('api/authorization')
@For('Patient', 'Practitioner')
export class AuthorizationController {
  constructor(private readonly place: Place) {}

  @Get()
  where(
    @Query('returnUrl') returnUrl: unknown,
    @BrowserBinding() browser: string | undefined,
    @SignedIn() { id }: SignedInUser,
  ): Promise<AuthorizationPlace> {
    return this.place.of(String(returnUrl), browser, id);
  }

  /** Afterwards `returnUrl` leads back to the app. */
  @Delete()
  @HttpCode(204)
  leave(
    @Query('returnUrl') returnUrl: unknown,
    @BrowserBinding() browser: string | undefined,
    @SignedIn() { id }: SignedInUser,
  ): Promise<void> {
    return this.place.leave(String(returnUrl), browser, id);
  }
}
