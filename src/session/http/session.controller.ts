import { Body, Controller, Get, HttpCode, Post, Query, Req, UseGuards } from '@nestjs/common';
import { CurrentUser, LoginOptions, LoginRequest, LoginResult, TimeLeft } from '../../contract/session.js';
import { For, Polled, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { PasswordSignIn } from '../application/password-sign-in.js';
import { Sessions } from '../application/sessions.js';
import { SignInOptions } from '../application/sign-in-options.js';
import { type CheckedRequest, LocalLoginGuard } from './local-login.guard.js';

@Controller('api/session')
@Public()
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly signInOptions: SignInOptions,
    private readonly passwordSignIn: PasswordSignIn,
  ) {}

  /**
   * Reads who is signed in.
   * @refuses 401
   */
  @Get()
  async current(@CallingBrowser() browser: HttpBrowser): Promise<CurrentUser> {
    return this.sessions.current(browser);
  }

  /** Reads how long the session lasts without use. */
  @Get('time-left')
  @For('Admin', 'Patient', 'Practitioner', 'RelatedPerson')
  @Polled()
  timeLeft(@CallingBrowser() browser: HttpBrowser): Promise<TimeLeft> {
    return this.sessions.timeLeft(browser);
  }

  /** Reads the ways to sign in. */
  @Get('login')
  options(@CallingBrowser() browser: HttpBrowser, @Query('returnUrl') returnUrl?: string): Promise<LoginOptions> {
    return this.signInOptions.forRequest({ browser, returnUrl: typeof returnUrl === 'string' ? returnUrl : undefined });
  }

  /**
   * Signs in with a password.
   * @refuses 401 429
   */
  @Post('login')
  @HttpCode(200)
  @UseGuards(LocalLoginGuard)
  async login(
    @Req() { user: account }: CheckedRequest,
    @CallingBrowser() browser: HttpBrowser,
    @Body() login: LoginRequest,
  ): Promise<LoginResult> {
    return this.passwordSignIn.signIn(browser, account, login);
  }
}
