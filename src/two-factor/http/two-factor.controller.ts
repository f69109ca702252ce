import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { SignInResult } from '../../contract/session.js';
import type { WaitingRecovery } from '../../contract/users/account.js';
import {
  DisableByRecoveryRequest,
  DisableTwoFactorRequest,
  EnableTwoFactorRequest,
  LostSecondFactorRequest,
  RecoveryResult,
  TwoFactorActivation,
  TwoFactorSetup,
  VerifyCodeRequest,
  VerifyRecoveryCodeRequest,
} from '../../contract/users/two-factor.js';
import { AddsFactor, ChangesOwnAccount, For, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { LostSecondFactor } from '../application/lost-second-factor.js';
import { TwoFactorProofs } from '../application/two-factor-proofs.js';
import { TwoFactorSettings } from '../application/two-factor-settings.js';
import { TwoFactorSignIn } from '../application/two-factor-sign-in.js';

@Controller('api/twofactor')
@For('Admin', 'Patient', 'Practitioner', 'RelatedPerson')
export class TwoFactorController {
  constructor(
    private readonly settings: TwoFactorSettings,
    private readonly secondStep: TwoFactorSignIn,
    private readonly factors: TwoFactorProofs,
    private readonly lost: LostSecondFactor,
  ) {}

  /**
   * Creates the key that an authenticator app is set up with.
   * @refuses 409
   */
  @Get('enable')
  setup(@CallingBrowser() browser: HttpBrowser, @Query('returnUrl') returnUrl?: unknown): Promise<TwoFactorSetup> {
    return this.settings.setUp(browser, typeof returnUrl === 'string' ? returnUrl : undefined);
  }

  /**
   * Turns two-factor authentication on.
   * @refuses 409 429
   */
  @Post('enable')
  @AddsFactor()
  @HttpCode(200)
  async enable(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { verificationCode, ...confirmation }: EnableTwoFactorRequest,
  ): Promise<TwoFactorActivation> {
    return { recoveryCodes: await this.settings.enable(browser, verificationCode, confirmation) };
  }

  /**
   * Turns two-factor authentication off by a code.
   * @refuses 409 429
   */
  @Post('disable')
  @ChangesOwnAccount()
  @HttpCode(204)
  disable(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { verificationCode: code, ...confirmation }: DisableTwoFactorRequest,
  ): Promise<void> {
    return this.settings.disable(browser, { kind: 'authenticator', code }, confirmation);
  }

  /**
   * Turns two-factor authentication off by a recovery code.
   * @refuses 409 429
   */
  @Post('disable-recovery')
  @ChangesOwnAccount()
  @HttpCode(204)
  disableByRecovery(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { recoveryCode: code, ...confirmation }: DisableByRecoveryRequest,
  ): Promise<void> {
    return this.settings.disable(browser, { kind: 'recovery', code }, confirmation);
  }

  /**
   * Signs in with a code, after the password.
   *
   * Needs no session: a user between password and second factor has none yet.
   * @refuses 401 404 429
   */
  @Post('verify')
  @Public()
  @HttpCode(204)
  async verify(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { verificationCode: code, ...verification }: VerifyCodeRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInResult | undefined> {
    const factor = this.factors.factorOf({ kind: 'authenticator', code });
    const { keepPage } = await this.secondStep.verify(browser, factor, verification);
    if (keepPage === undefined) return undefined;
    response.status(200);
    return { keepPage };
  }

  /**
   * Signs in with a recovery code, after the password.
   * @refuses 401 404 429
   */
  @Post('verify-recovery')
  @Public()
  @HttpCode(200)
  async verifyRecovery(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { recoveryCode: code, ...verification }: VerifyRecoveryCodeRequest,
  ): Promise<RecoveryResult> {
    const { recoveryCodesLeft, keepPage } = await this.secondStep.verify(
      browser,
      this.factors.factorOf({ kind: 'recovery', code }),
      verification,
    );
    return { recoveryCodesLeft: recoveryCodesLeft ?? 0, ...(keepPage !== undefined && { keepPage }) };
  }

  /**
   * Begins the waiting time of a user who has lost the second factor, after the password.
   *
   * A link is mailed at its end. Succeeds again with the time that runs already.
   * @refuses 401 403 404 429
   */
  @Post('lost')
  @Public()
  @HttpCode(200)
  async beginRecovery(
    @CallingBrowser() browser: HttpBrowser,
    @Body() { returnUrl }: LostSecondFactorRequest,
  ): Promise<WaitingRecovery> {
    return { readyAt: (await this.lost.beginRecovery(browser, returnUrl)).toISOString() };
  }
}
