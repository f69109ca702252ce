import { Body, Controller, Get, HttpCode, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentUser, LoginOptions, LoginRequest, LoginResult, TimeLeft } from '../../contract/session.js';
import { For, Polled, Public } from '../../platform/http/access.js';
import { PasswordSignIn } from '../application/password-sign-in.js';
import { Sessions } from '../application/sessions.js';
import { SignInOptions } from '../application/sign-in-options.js';
import { LocalLoginGuard } from './local-login.guard.js';

@Controller('api/session')
@Public()
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly doors: SignInOptions,
    private readonly logins: PasswordSignIn,
  ) {}

  @Get()
  async current(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<CurrentUser> {
    return this.sessions.current(request, response);
  }

  @Get('time-left')
  @For('Admin', 'Patient', 'Practitioner')
  @Polled()
  timeLeft(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<TimeLeft> {
    return this.sessions.timeLeft(request, response);
  }

  @Get('login')
  options(@Req() request: Request, @Query('returnUrl') returnUrl?: string): Promise<LoginOptions> {
    return this.doors.forRequest(request, typeof returnUrl === 'string' ? returnUrl : undefined);
  }

  @Post('login')
  @HttpCode(200)
  @UseGuards(LocalLoginGuard)
  async login(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body() login: LoginRequest,
  ): Promise<LoginResult> {
    const account = request.user as Awaited<ReturnType<PasswordSignIn['authenticate']>>;
    return this.logins.signIn(request, response, account, login);
  }
}
