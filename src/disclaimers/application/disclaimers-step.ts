import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { type Step, Steps } from '../../oidc/domain/steps.js';
import { StandingAgreements } from './standing-agreements.js';

/** Due while the app or the portal has a disclaimer whose current wording the user has not agreed to. */
@Injectable()
export class DisclaimersStep implements Step, OnModuleInit {
  readonly name = 'disclaimers';

  constructor(
    private readonly agreements: StandingAgreements,
    private readonly steps: Steps,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  async isDue(authorization: Authorization): Promise<boolean> {
    const disclaimers = await this.agreements.applyingTo(authorization);
    return disclaimers.some(({ hasAlreadyAgreed }) => !hasAlreadyAgreed);
  }
}
