import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  DisableByRecoveryRequest,
  DisableTwoFactorRequest,
  EnableTwoFactorRequest,
  RecoveryResult,
  TwoFactorActivation,
  TwoFactorSetup,
  VerifyCodeRequest,
  VerifyRecoveryCodeRequest,
} from '../../contract/two-factor.js';
import { For, Public } from '../../platform/http/access.js';
import { TwoFactorSettings } from '../application/two-factor-settings.js';
import { TwoFactorSignIn } from '../application/two-factor-sign-in.js';

@Controller('api/twofactor')
@For('Admin', 'Patient', 'Practitioner')
export class TwoFactorController {
  constructor(
    private readonly settings: TwoFactorSettings,
    private readonly secondStep: TwoFactorSignIn,
  ) {}

  @Get('enable')
  setup(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Query('returnUrl') returnUrl?: unknown,
  ): Promise<TwoFactorSetup> {
    return this.settings.setup(request, response, typeof returnUrl === 'string' ? returnUrl : undefined);
  }

  @Post('enable')
  @HttpCode(200)
  async enable(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body() { verificationCode, ...confirmation }: EnableTwoFactorRequest,
  ): Promise<TwoFactorActivation> {
    return { recoveryCodes: await this.settings.enable(request, response, verificationCode, confirmation) };
  }

  @Post('disable')
  @HttpCode(204)
  disable(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body() { verificationCode: code, ...confirmation }: DisableTwoFactorRequest,
  ): Promise<void> {
    return this.settings.disable(request, response, { kind: 'authenticator', code }, confirmation);
  }

  @Post('disable-recovery')
  @HttpCode(204)
  disableByRecovery(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body() { recoveryCode: code, ...confirmation }: DisableByRecoveryRequest,
  ): Promise<void> {
    return this.settings.disable(request, response, { kind: 'recovery', code }, confirmation);
  }

  /** Needs no session: a user between password and second factor has none yet. */
  @Post('verify')
  @Public()
  @HttpCode(204)
  async verify(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body() { verificationCode: code, ...verification }: VerifyCodeRequest,
  ): Promise<void> {
    await this.secondStep.verify(request, response, { kind: 'authenticator', code }, verification);
  }

  @Post('verify-recovery')
  @Public()
  @HttpCode(200)
  async verifyRecovery(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body() { recoveryCode: code, ...verification }: VerifyRecoveryCodeRequest,
  ): Promise<RecoveryResult> {
    const left = await this.secondStep.verify(request, response, { kind: 'recovery', code }, verification);
    return { recoveryCodesLeft: left ?? 0 };
  }
}
