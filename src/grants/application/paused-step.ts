import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { type Step, Steps } from '../../oidc/domain/steps.js';
import { PausedApps } from '../../oidc-store/infrastructure/paused-apps.js';

/** Due while the user has paused the app: a new request of it asks whether to resume it. */
@Injectable()
export class PausedStep implements Step, OnModuleInit {
  readonly name = 'paused';

  constructor(
    private readonly paused: PausedApps,
    private readonly steps: Steps,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  async isDue({ accountId, client }: Authorization): Promise<boolean> {
    return this.paused.isPaused(accountId, client.clientId);
  }
}
