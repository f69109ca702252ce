import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import type { DisclaimerReference } from '../../contract/grants.js';
import { message } from '../../contract/messages/message.js';
import { StandingAgreements } from '../../disclaimers/application/standing-agreements.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';

/** The end of what a user granted. */
@Injectable()
export class GrantRevocation {
  constructor(
    private readonly consents: ConsentDecisions,
    private readonly agreements: StandingAgreements,
    private readonly revocations: Revocations,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** Ends the app's tokens of both formats and what it was allowed to do without asking, at once. */
  async revokeApp(accountId: string, clientId: string): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      const hadConsent = await this.consents.forget(accountId, clientId);
      const hadGrants = await this.revocations.revokeApp(accountId, clientId);
      if (!hadConsent && !hadGrants) throw new Problem('not-found', message('app-gone'));
      await this.audit.record({ type: 'app.revoked', outcome: 'success', clientId });
    });
  }

  /** The next authorization that comes under them asks again; what was granted goes on. */
  async withdrawDisclaimers(accountId: string, references: DisclaimerReference[]): Promise<void> {
    const subjects = references.map(({ tenantId = null, clientId = null, disclaimerId }) => ({
      tenantId,
      clientId,
      disclaimerId,
    }));
    await this.agreements.withdraw(accountId, subjects);
  }
}
