import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { type Step, Steps } from '../../oidc/domain/steps.js';
import { Candidates } from './candidates.js';
import { contextTypesToChoose } from './context-types.js';

/** Due while a type that the scopes ask for is neither the user's own record nor supplied by the EHR. */
@Injectable()
export class LaunchContextStep implements Step, OnModuleInit {
  readonly name = 'launch-context';

  constructor(
    private readonly candidates: Candidates,
    private readonly steps: Steps,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  async isDue(authorization: Authorization): Promise<boolean> {
    return this.pages(authorization) > 0;
  }

  /** One for each kind. */
  pages(authorization: Authorization): number {
    return contextTypesToChoose(authorization, this.candidates.forTenant(authorization.tenant)).length;
  }
}
