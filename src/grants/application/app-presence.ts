import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { GrantedApps } from '../../oidc-store/infrastructure/granted-apps.js';

/** The apps that have access now, or get it without a question. */
@Injectable()
export class AppPresence {
  constructor(
    private readonly apps: GrantedApps,
    private readonly consents: ConsentDecisions,
  ) {}

  async has(accountId: string, clientId: string): Promise<boolean> {
    const granted = await this.apps.ofAccount(accountId);
    if (granted.some((one) => one.clientId === clientId)) return true;
    const decisions = await this.consents.ofAccount(accountId);
    return decisions.some((one) => one.clientId === clientId && one.isInForce(new Date()));
  }
}
