import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { message } from '../../contract/messages/message.js';
import type { DisclaimerReference } from '../../contract/own-record/grants.js';
import type { TakenBackBy } from '../../contract/own-record/receipts.js';
import { StandingAgreements } from '../../disclaimers/application/standing-agreements.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { ReceiptIssue } from './receipt-issue.js';

/** The end of what a user granted. */
@Injectable()
export class GrantRevocation {
  constructor(
    private readonly consents: ConsentDecisions,
    private readonly agreements: StandingAgreements,
    private readonly revocations: Revocations,
    private readonly receipts: ReceiptIssue,
    private readonly database: Database,
  ) {}

  /**
   * Ends the app's tokens of both formats and what it was allowed to do without asking, at once. Returns the id of the
   * receipt: that of the last end, if nothing is left to end, because the answer to the first call may have been lost.
   */
  async revokeApp(accountId: string, clientId: string, by: Exclude<TakenBackBy, 'everyone'>): Promise<string> {
    return this.database.repeatableTransaction(async () => {
      const at = await this.receipts.begin(accountId);
      const consent = await this.consents.forget(accountId, clientId);
      const { any, ended } = await this.revocations.revokeApp(accountId, clientId, `ended-by-${by}`);
      if (!consent?.applied && !ended?.signIns) {
        const earlier = await this.receipts.lastId(accountId, clientId);
        if (earlier !== undefined) return earlier;
      }
      if (!consent && !any) throw new Problem('not-found', message('app-gone'));
      return this.receipts.issue({ accountId, clientId, consent, ended, by, at });
    });
  }

  /** The next authorization that comes under them asks again; what was granted continues. */
  async withdrawDisclaimers(accountId: string, references: DisclaimerReference[]): Promise<void> {
    const subjects = references.map(({ tenantId = null, clientId = null, disclaimerId }) => ({
      tenantId,
      clientId,
      disclaimerId,
    }));
    await this.agreements.withdraw(accountId, subjects);
  }
}
