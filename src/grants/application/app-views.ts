import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { PausedApps } from '../../oidc-store/infrastructure/paused-apps.js';

/** The part of a card that is the same for each patient. */
@Injectable()
export class AppViews {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly paused: PausedApps,
  ) {}

  /** By client. */
  pausesOf(accountId: string): Promise<Map<string, Date>> {
    return this.paused.ofAccount(accountId);
  }

  async view(clientId: string) {
    const client = await this.clients.findByClientId(clientId);
    const { description, legalCompanyName, contactUsUrl, privacyPolicyUrl, termsOfServiceUrl } = client?.settings ?? {};
    return {
      clientId,
      clientName: client?.clientName ?? clientId,
      clientDescription: description || null,
      legalCompanyName: legalCompanyName || null,
      contactUsUrl: contactUsUrl || null,
      privacyPolicyUrl: privacyPolicyUrl || null,
      termsOfServiceUrl: termsOfServiceUrl || null,
    };
  }
}
