import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { type Step, Steps } from '../../oidc/domain/steps.js';
import { note } from '../../platform/activity/launch-notes.js';
import { ConsentDecisions } from './consent-decisions.js';

/** Due unless the client needs no consent or an earlier decision of the user answers the request. */
@Injectable()
export class ConsentStep implements Step, OnModuleInit {
  readonly name = 'consent';

  constructor(
    private readonly decisions: ConsentDecisions,
    private readonly steps: Steps,
  ) {}

  onModuleInit(): void {
    this.steps.register(this);
  }

  async isDue(authorization: Authorization): Promise<boolean> {
    if (authorization.consentRequested) return true;
    if (!authorization.client.settings.requireConsent) return false;
    return !(await this.decisions.isDecided(authorization));
  }

  /** The scopes of the request that the user agreed to earlier, when consent is not asked for this time. */
  async agreed(authorization: Authorization): Promise<string[]> {
    const { client, scopes } = authorization;
    if (!client.settings.requireConsent) return scopes;
    const agreed = (await this.decisions.find(authorization))?.agreedOf(scopes) ?? [];
    note('consent-remembered', { granted: agreed.length, offered: scopes.length });
    return agreed;
  }
}
