import { Body, Controller, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ChoosePasswordRequest, ForgotPasswordRequest, LinkCheck, type LinkFacts } from '../../contract/account.js';
import { Public } from '../../platform/http/access.js';
import { BrowserBinding } from '../../platform/http/browser-binding.js';
import { ClientAddress } from '../../platform/http/client-address.js';
import { type Choice, Recovery } from '../application/recovery.js';

/** No call here signs a user in: the user does so with the new password, and the second factor if there is one. */
@Public()
@Controller('api/user')
export class RecoveryController {
  constructor(
    private readonly recovery: Recovery,
    private readonly addresses: ClientAddress,
  ) {}

  @Post('forgot-password')
  @HttpCode(200)
  requestReset(@Body() { email }: ForgotPasswordRequest, @Req() request: Request): Promise<void> {
    return this.recovery.requestReset(email, this.addresses.limitKey(request));
  }

  /** Uses nothing up, and no GET: a link stands in no log. */
  @Post(':userId/link')
  @HttpCode(200)
  check(
    @Param('userId') userId: string,
    @Body() { purpose, token }: LinkCheck,
    @Req() request: Request,
    @BrowserBinding() browser: string | undefined,
  ): Promise<LinkFacts> {
    return this.recovery.check(purpose, { userId, token, caller: this.addresses.limitKey(request) }, browser);
  }

  @Put('forgot-password/:userId/reset')
  @HttpCode(204)
  reset(
    @Param('userId') userId: string,
    @Body() form: ChoosePasswordRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    return this.recovery.reset(request, response, this.choiceOf(userId, form, request));
  }

  @Post(':userId/activate')
  @HttpCode(204)
  activate(
    @Param('userId') userId: string,
    @Body() form: ChoosePasswordRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    return this.recovery.activate(request, response, this.choiceOf(userId, form, request));
  }

  private choiceOf(userId: string, form: ChoosePasswordRequest, request: Request): Choice {
    return { userId, ...form, caller: this.addresses.limitKey(request) };
  }
}
