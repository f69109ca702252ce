import { Body, Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ChangeNameRequest, ChangePasswordRequest, SessionList } from '../../contract/account.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { OwnAccount } from '../application/own-account.js';

@For('Admin', 'Patient', 'Practitioner')
@Controller('api/user')
export class OwnAccountController {
  constructor(private readonly account: OwnAccount) {}

  @Put()
  @HttpCode(204)
  rename(@Body() { fullName }: ChangeNameRequest, @SignedIn() { id }: SignedInUser): Promise<void> {
    return this.account.rename(id, fullName);
  }

  @Post('reset-password')
  @HttpCode(204)
  changePassword(
    @Body() form: ChangePasswordRequest,
    @SignedIn() { id }: SignedInUser,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    return this.account.changePassword(request, response, id, form);
  }

  @Get('sessions')
  sessions(
    @SignedIn() { id }: SignedInUser,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionList> {
    return this.account.sessions(request, response, id);
  }

  @Delete('sessions')
  @HttpCode(204)
  endOtherSessions(
    @SignedIn() { id }: SignedInUser,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    return this.account.endOtherSessions(request, response, id);
  }
}
